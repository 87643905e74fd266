/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the authentication of requests to sluiced: which user may do what, and
 * munge down or slow. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <unistd.h>
#include "sluiced/http/api/auth.h"
#include "tests/unit/harness.h"
#include "tests/unit/common/munged.h"

static struct slu_err err;

static double now = 1;

/* Each look at it is that much later. */
static double step;

static double clock_of_test(void)
{
	return now += step;
}

static struct in_addr addr(const char *text)
{
	struct in_addr a;

	inet_pton(AF_INET, text, &a);
	return a;
}

static size_t no_names(const char *name, struct in_addr *out, size_t max)
{
	(void)max;
	return inet_pton(AF_INET, name, out) == 1;
}

static const struct {
	enum slu_who who;
	uid_t uid;
	const char *from, *host;
	enum slu_kind kind; /* 0: allowed */
} cases[] = {
	{SLU_WHO_ANYBODY, 1000, "10.0.0.9", NULL, 0},
	{SLU_WHO_USER, 1000, "10.0.0.9", NULL, 0},
	{SLU_WHO_ADMIN, 0, "10.0.0.9", NULL, 0},
	{SLU_WHO_ADMIN, 64030, "10.0.0.9", NULL, 0},
	{SLU_WHO_ADMIN, 1000, "10.0.0.9", NULL, SLU_DENIED},
	{SLU_WHO_HOST, 0, "10.0.0.1", "n1", 0},
	{SLU_WHO_HOST, 0, "10.0.0.2", "n1", SLU_DENIED},
	{SLU_WHO_HOST, 0, "10.0.0.1", "n2", SLU_DENIED},
	{SLU_WHO_HOST, 1000, "10.0.0.1", "n1", SLU_DENIED},
	{SLU_WHO_HOST, 64030, "10.0.0.1", "n1", SLU_DENIED},
	{SLU_WHO_HOST, 0, "10.0.0.1", "", SLU_INVALID},
	{SLU_WHO_HOST, 0, "10.0.0.1", NULL, SLU_INVALID},
};

START_TEST(test_permissions)
{
	struct slu_node_addr nodes[] = {
		{(char *)"n1", (char *)"10.0.0.1"},
		{(char *)"n2", (char *)"10.0.0.2"},
	};
	struct slu_auth auth = {
		.owner = 64030,
		.clock = clock_of_test,
		.nodes = slu_nodes_new(no_names, clock_of_test, &err)};

	expect_ok(slu_nodes_set(auth.nodes, nodes, 2, &err), err);
	each(c, cases)
	{
		struct slu_caller caller = {.uid = c->uid,
					    .addr = addr(c->from)};
		int rc = slu_auth_allow(&auth, c->who, &caller, c->host, &err);

		expect(rc == (c->kind ? -1 : 0), "uid %u at %s for %s", c->uid,
		       c->from, c->host);
		if (rc < 0)
			ck_assert_int_eq(err.kind, c->kind);
		ck_assert_int_eq(slu_auth_admin(&auth, &caller),
				 c->uid == 0 || c->uid == 64030);
	}
	slu_nodes_free(auth.nodes);
}
END_TEST

static struct slu_auth_request ask_of(const char *authorization)
{
	return (struct slu_auth_request){.method = "POST",
					 .uri = "/v1/import",
					 .authorization = authorization};
}

/* A munged that does not answer is asked once a second. */
START_TEST(test_munge_down)
{
	struct slu_auth_request req = ask_of("Sluice MUNGE:x:");
	struct slu_auth auth = {.clock = clock_of_test};
	struct slu_caller caller;

	slu_cred_socket("/nonexistent/munge");
	now = 10;
	expect_fail(slu_auth_verify(&auth, &req, &caller, &err), err, SLU_IO,
		    "munge");
	now = 10.5;
	expect_fail(slu_auth_verify(&auth, &req, &caller, &err), err, SLU_IO,
		    "munged does not answer");
	if (!munged_start())
		return;
	expect_fail(slu_auth_verify(&auth, &req, &caller, &err), err, SLU_IO,
		    "munged does not answer");
	now = 11.5;
	expect_fail(slu_auth_verify(&auth, &req, &caller, &err), err,
		    SLU_DENIED, "");
	req = ask_of("Basic abc");
	expect_fail(slu_auth_verify(&auth, &req, &caller, &err), err,
		    SLU_DENIED, "Authorization");
	req = ask_of(NULL);
	expect_fail(slu_auth_verify(&auth, &req, &caller, &err), err,
		    SLU_DENIED, "Authorization");
}
END_TEST

/* One that takes two seconds not to answer is asked again after twenty,
 * whether it was to make a credential or to read one. */
START_TEST(test_munge_slow)
{
	struct slu_auth_request req = ask_of("Sluice MUNGE:x:");
	struct slu_auth auth = {.clock = clock_of_test};
	struct slu_caller caller = {0};
	char hash[65];

	slu_sha256("", 0, hash);
	slu_cred_socket("/nonexistent/munge");
	now = 10;
	step = 2;
	ck_assert_ptr_null(
		slu_auth_reply(&auth, &caller, 200, hash, NULL, &err));
	expect_err(err, SLU_IO, "munge:");
	step = 0;
	ck_assert_ptr_null(
		slu_auth_reply(&auth, &caller, 200, hash, NULL, &err));
	expect_err(err, SLU_IO, "munged does not answer");
	now += 19;
	expect_fail(slu_auth_verify(&auth, &req, &caller, &err), err, SLU_IO,
		    "munged does not answer");
	now += 2;
	expect_fail(slu_auth_verify(&auth, &req, &caller, &err), err, SLU_IO,
		    "munge:");
	ck_assert_ptr_null(
		slu_auth_reply(&auth, &caller, 200, hash, NULL, &err));
	expect_err(err, SLU_IO, "munged does not answer");
	if (!munged_start())
		return;
	now += 2;
	free(slu_auth_reply(&auth, &caller, 200, hash, NULL, &err));
	ck_assert(!slu_breaker_open(&auth.munge, now));
}
END_TEST

/* Who may not ask is known before the body is there. */
START_TEST(test_admin_alone)
{
	struct slu_auth auth = {.clock = clock_of_test, .owner = 1};
	char nonce[SLU_NONCE_TEXT];
	struct slu_auth_request req;
	struct slu_caller caller;
	char *cred, *header;

	if (!have_root() || !munged_start())
		return;
	ck_assert_int_eq(seteuid(2), 0);
	cred = slu_cred_request("POST", "/v1/import", "x", 1, nonce, &err);
	ck_assert_int_eq(seteuid(0), 0);
	expect(cred, "%s", err.text);
	header = slu_asprintf("Sluice %s", cred);
	req = ask_of(header);
	expect_ok(slu_auth_verify(&auth, &req, &caller, &err), err);
	expect_fail(slu_auth_user(&auth, SLU_WHO_ADMIN, &caller, &err), err,
		    SLU_DENIED, "only root and SlurmUser");
	free(header);
	free(cred);
}
END_TEST

TEST_MAIN("sluiced_auth", test_permissions, test_munge_down, test_munge_slow,
	  test_admin_alone)
