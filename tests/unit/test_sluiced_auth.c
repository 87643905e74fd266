/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <stdlib.h>
#include <unistd.h>
#include "sluiced/auth.h"
#include "tests/unit/harness.h"
#include "tests/unit/munged.h"

static struct slu_err err;

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
	{SLU_WHO_HOST, 0, "10.0.0.1", "n1", 0},
	{SLU_WHO_HOST, 0, "10.0.0.2", "n1", SLU_DENIED},
	{SLU_WHO_HOST, 0, "10.0.0.1", "n2", SLU_DENIED},
	{SLU_WHO_HOST, 1000, "10.0.0.1", "n1", SLU_DENIED},
	{SLU_WHO_HOST, 64030, "10.0.0.1", "n1", SLU_DENIED},
	{SLU_WHO_HOST, 0, "10.0.0.1", "", SLU_INVALID},
	{SLU_WHO_HOST, 0, "10.0.0.1", NULL, SLU_INVALID},
};

START_TEST(test_allow)
{
	struct slu_node_addr nodes[] = {
		{(char *)"n1", (char *)"10.0.0.1"},
		{(char *)"n2", (char *)"10.0.0.2"},
	};
	struct slu_auth auth = {.owner = 64030,
				.nodes = slu_nodes_new(no_names, &err)};

	expect_ok(slu_nodes_set(auth.nodes, nodes, 2, &err), err);
	each(c, cases)
	{
		struct slu_caller caller = {.uid = c->uid,
					    .addr = addr(c->from)};
		int rc = slu_auth_allow(&auth, c->who, &caller, c->host, 1,
					&err);

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

/* A munged that does not answer is asked once a second. */
START_TEST(test_munge_down)
{
	struct slu_auth_request req = {.method = "POST",
				       .uri = "/v1/query",
				       .authorization = "Sluice MUNGE:x:"};
	struct slu_auth auth = {0};
	struct slu_caller caller;

	slu_cred_socket("/nonexistent/munge");
	expect_fail(slu_auth_prove(&auth, &req, 10, &caller, &err), err, SLU_IO,
		    "munge");
	expect_fail(slu_auth_prove(&auth, &req, 10.5, &caller, &err), err,
		    SLU_IO, "munged does not answer");
	if (!munged_start())
		return;
	expect_fail(slu_auth_prove(&auth, &req, 10.5, &caller, &err), err,
		    SLU_IO, "munged does not answer");
	expect_fail(slu_auth_prove(&auth, &req, 11.5, &caller, &err), err,
		    SLU_DENIED, "");
	req.authorization = "Basic abc";
	expect_fail(slu_auth_prove(&auth, &req, 11.5, &caller, &err), err,
		    SLU_DENIED, "Authorization");
	req.authorization = NULL;
	expect_fail(slu_auth_prove(&auth, &req, 11.5, &caller, &err), err,
		    SLU_DENIED, "Authorization");
}
END_TEST

TEST_MAIN("sluiced_auth", test_allow, test_munge_down)
