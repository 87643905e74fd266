/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include "sluiced/nodes.h"
#include "tests/unit/harness.h"

static int asked;

/* A name service that knows two names, and counts. */
static size_t fake(const char *name, struct in_addr *out, size_t max)
{
	struct in_addr numeric;

	ck_assert_uint_gt(max, 0);
	if (inet_pton(AF_INET, name, &numeric) == 1) {
		*out = numeric;
		return 1;
	}
	asked++;
	if (!strcmp(name, "n1-ib"))
		return inet_pton(AF_INET, "10.9.0.1", out) == 1;
	if (!strcmp(name, "login"))
		return inet_pton(AF_INET, "10.0.0.99", out) == 1;
	return 0;
}

static struct slu_node_addr list[] = {
	{(char *)"n3", (char *)"10.0.0.3"},
	{(char *)"n1", (char *)"n1-ib"},
	{(char *)"n2", NULL},
};

static const struct {
	const char *host, *from;
	bool good;
} cases[] = {
	{"n3", "10.0.0.3", true},     {"n3", "10.0.0.1", false},
	{"n1", "10.9.0.1", true},     {"n1", "10.0.0.3", false},
	{"n2", "10.0.0.2", false},    {"login", "10.0.0.99", true},
	{"login", "10.0.0.3", false}, {"nobody", "0.0.0.0", false},
};

START_TEST(test_check)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, &err);
	struct in_addr from;

	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	each(c, cases)
	{
		int rc;

		inet_pton(AF_INET, c->from, &from);
		rc = slu_nodes_check(nodes, c->host, from, 1, &err);
		expect(rc == (c->good ? 0 : -1), "%s at %s", c->host, c->from);
		if (!c->good)
			expect_err(err, SLU_DENIED, c->from);
	}
	ck_assert_str_eq(slu_nodes_addr(nodes, "n1"), "n1-ib");
	ck_assert_ptr_null(slu_nodes_addr(nodes, "n2"));
	ck_assert_ptr_null(slu_nodes_addr(nodes, "login"));
	ck_assert_ptr_null(slu_nodes_addr(nodes, "n9"));
	slu_nodes_free(nodes);
}
END_TEST

/* Before slurmctld has told, only a name server can say yes, and nobody no. */
START_TEST(test_not_yet_told)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, &err);
	struct in_addr from;

	inet_pton(AF_INET, "10.0.0.3", &from);
	expect_fail(slu_nodes_check(nodes, "n3", from, 1, &err), err, SLU_IO,
		    "not yet told");
	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	expect_ok(slu_nodes_check(nodes, "n3", from, 1, &err), err);
	slu_nodes_free(nodes);
	nodes = slu_nodes_new(fake, &err);
	inet_pton(AF_INET, "10.0.0.99", &from);
	expect_ok(slu_nodes_check(nodes, "login", from, 1, &err), err);
	slu_nodes_free(nodes);
}
END_TEST

/* A host that does not fit is asked about once in ten seconds. */
START_TEST(test_asks_seldom)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, &err);
	struct in_addr from;

	inet_pton(AF_INET, "10.0.0.99", &from);
	asked = 0;
	for (int i = 0; i < 100; i++)
		slu_nodes_check(nodes, "login", from, 5 + i / 100.0, &err);
	ck_assert_int_eq(asked, 1);
	from.s_addr = 1;
	for (int i = 0; i < 100; i++)
		slu_nodes_check(nodes, "login", from, 6 + i / 100.0, &err);
	ck_assert_int_eq(asked, 1);
	slu_nodes_check(nodes, "login", from, 16, &err);
	ck_assert_int_eq(asked, 2);
	slu_nodes_free(nodes);
}
END_TEST

/* Where NodeAddr says it all, the node's name is not asked about. */
START_TEST(test_asks_no_more)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, &err);
	struct in_addr from;

	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	asked = 0;
	inet_pton(AF_INET, "10.0.0.3", &from);
	expect_ok(slu_nodes_check(nodes, "n3", from, 1, &err), err);
	ck_assert_int_eq(asked, 0);
	inet_pton(AF_INET, "10.0.0.4", &from);
	for (int i = 0; i < 3; i++)
		expect_fail(slu_nodes_check(nodes, "n3", from, 2, &err), err,
			    SLU_DENIED, "no address of n3");
	ck_assert_int_eq(asked, 1);
	slu_nodes_free(nodes);
}
END_TEST

TEST_MAIN("sluiced_nodes", test_check, test_not_yet_told, test_asks_seldom,
	  test_asks_no_more)
