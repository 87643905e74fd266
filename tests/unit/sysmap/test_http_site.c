/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the creation of the HTTP client from sluice.conf: addresses and
 * SlurmUser. */
#include "config.h"
#include "common/conf.h"
#include "common/http.h"
#include "tests/unit/harness.h"

START_TEST(test_site)
{
	char *addrs[] = {"localhost:1", NULL}, *none[] = {NULL};
	struct slu_conf conf = {.slurm_user = "root"};
	struct slu_http *http;
	struct slu_err err;

	ck_assert_ptr_null(slu_http_of_site(&conf, &err));
	expect_err(err, SLU_INVALID, "DaemonAddr");
	conf.daemon_addr = none;
	ck_assert_ptr_null(slu_http_of_site(&conf, &err));
	expect_err(err, SLU_INVALID, "DaemonAddr");
	conf.daemon_addr = addrs;
	http = slu_http_of_site(&conf, &err);
	ck_assert_msg(http != NULL, "%s", err.text);
	slu_http_free(http);
	conf.slurm_user = "no-such-user-here";
	ck_assert_ptr_null(slu_http_of_site(&conf, &err));
	expect_err(err, SLU_NOTFOUND, "no-such-user-here");
}
END_TEST

TEST_MAIN("http_site", test_site)
