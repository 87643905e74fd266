/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The users that sluice.conf names, with a user database that fails: ann is
 * there, long's entry is a large one, there is no nobody1, and bob cannot be
 * looked up while the database is away. */
#include "config.h"
#include <errno.h>
#include <pwd.h>
#include "tests/unit/ctl_fake.h"
#include "tests/unit/tmpdir.h"

static bool away;
static unsigned asked; /* how often for bob */

int getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t cap,
	       struct passwd **found)
{
	(void)buf;
	*found = NULL;
	if (!strcmp(name, "nobody1"))
		return 0;
	if (!strcmp(name, "nobody2"))
		return ENOENT;
	if (!strcmp(name, "long") && cap < 100000)
		return ERANGE;
	if (!strcmp(name, "endless"))
		return ERANGE;
	asked += !strcmp(name, "bob");
	if (!strcmp(name, "bob") && away)
		return EIO;
	*pw = (struct passwd){.pw_uid = !strcmp(name, "ann")   ? 1001
					: !strcmp(name, "bob") ? 1002
							       : 1003};
	*found = pw;
	return 0;
}

START_TEST(test_looked_up)
{
	struct slu_site *site;
	char path[300];

	write_conf("AllowUsers=ann,nobody1,long,nobody2\n"
		   "DenyUsers=endless,bob");
	away = true;
	snprintf(path, sizeof(path), "%s/sluice.conf", tmpdir());
	site = slu_site_new(path);
	ck_assert_ptr_nonnull(site);
	ck_assert_str_eq(slu_site_user(site, 1001), "ann");
	ck_assert_str_eq(slu_site_user(site, 1003), "long");
	ck_assert_ptr_null(slu_site_user(site, 1002));
	ck_assert_str_eq(site->unknown.data, "nobody1, nobody2");
	expect(!strncmp(site->users_why_not, "endless: ", 9), "%s",
	       site->users_why_not);
	slu_site_free(site);
}
END_TEST

static int ask(struct slu_ctl *ctl, uint32_t uid, struct slu_err *err)
{
	const struct slu_ctl_ask ask = {
		.option = "type=scratch capacity=1MiB",
		.uid = uid,
		.min_nodes = 1,
		.max_nodes = 1,
		.prolog_flags = true,
	};
	char *text = NULL;
	int rc = slu_ctl_validate(ctl, &ask, &text, err);

	free(text);
	return rc;
}

static unsigned times_logged(const char *words)
{
	unsigned n = 0;

	for (const char *at = host.log; (at = strstr(at, words)); at++)
		n++;
	return n;
}

/* Those who are refused for it are not for ever. */
START_TEST(test_again)
{
	struct slu_ctl *ctl;
	struct slu_err err;

	away = true;
	ctl = ctl_by_hand("AllowUsers=ann,bob,nobody1");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 1);
	slu_ctl_step(ctl, 2);
	ck_assert_uint_eq(times_logged("users that there are not: nobody1"), 1);
	ck_assert_uint_eq(times_logged("cannot be looked up"), 1);
	expect_ok(ask(ctl, 1001, &err), err);
	expect_fail(ask(ctl, 1002, &err), err, SLU_DENIED,
		    "user uid 1002 may not ask");
	link_up(ctl, 3);
	asked = 0;
	slu_ctl_step(ctl, 50);
	ck_assert_uint_eq(asked, 0);
	slu_ctl_step(ctl, 63);
	ck_assert_uint_eq(asked, 1);
	ck_assert(ctl->linked); /* nothing has changed */
	away = false;
	slu_ctl_step(ctl, 124);
	ck_assert_uint_eq(asked, 2);
	expect_ok(ask(ctl, 1002, &err), err);
	slu_ctl_step(ctl, 300);
	ck_assert_uint_eq(asked, 2);
	ck_assert_uint_eq(times_logged("cannot be looked up"), 1);
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl users", test_looked_up, test_again)
