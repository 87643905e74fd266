/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the cache of hosts' addresses in sluiced, with a simulated name
 * service. */
#include <arpa/inet.h>
#include "sluiced/host_addresses.h"
#include "tests/unit/harness.h"

static int asked;
static double now = 1;
static double takes; /* seconds, the name service */

static double clock_of_test(void)
{
	return now;
}

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
	now += takes;
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

START_TEST(test_address_check)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, clock_of_test, &err);
	struct in_addr from;

	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	each(c, cases)
	{
		int rc;

		inet_pton(AF_INET, c->from, &from);
		rc = slu_nodes_check(nodes, c->host, from, &err);
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

/* Before slurmctld has reported, only a name server can confirm an address, and
 * none is refused. */
START_TEST(test_before_slurmctld_reports)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, clock_of_test, &err);
	struct in_addr from;

	inet_pton(AF_INET, "10.0.0.3", &from);
	expect_fail(slu_nodes_check(nodes, "n3", from, &err), err, SLU_IO,
		    "not yet told");
	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	expect_ok(slu_nodes_check(nodes, "n3", from, &err), err);
	slu_nodes_free(nodes);
	nodes = slu_nodes_new(fake, clock_of_test, &err);
	inet_pton(AF_INET, "10.0.0.99", &from);
	expect_ok(slu_nodes_check(nodes, "login", from, &err), err);
	slu_nodes_free(nodes);
}
END_TEST

/* A host that does not fit is asked about once in ten seconds. */
START_TEST(test_asks_seldom)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, clock_of_test, &err);
	struct in_addr from;

	inet_pton(AF_INET, "10.0.0.99", &from);
	asked = 0;
	now = 5;
	for (int i = 0; i < 100; i++)
		slu_nodes_check(nodes, "login", from, &err);
	ck_assert_int_eq(asked, 1);
	from.s_addr = 1;
	now = 7;
	for (int i = 0; i < 100; i++)
		slu_nodes_check(nodes, "login", from, &err);
	ck_assert_int_eq(asked, 1);
	now = 16;
	slu_nodes_check(nodes, "login", from, &err);
	ck_assert_int_eq(asked, 2);
	slu_nodes_free(nodes);
}
END_TEST

static int wheres;

static bool where(void *arg, const char *name)
{
	ck_assert_ptr_eq(arg, &wheres);
	ck_assert(*name == 'n');
	wheres++;
	return wheres != 5; /* then there is no one to ask */
}

/* A node has registered, or moved, since slurmctld reported its nodes. */
START_TEST(test_moved_node_is_asked_for)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, clock_of_test, &err);
	struct in_addr from;

	wheres = 0;
	now = 100;
	slu_nodes_ask(nodes, where, &wheres);
	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	for (int is_new = 0; is_new < 2; is_new++, now += 1000) {
		const char *name = is_new ? "nnew" : "n3";

		inet_pton(AF_INET, "10.0.7.7", &from);
		/* it is asked once, and waited for */
		for (int i = 0; i < 5; i++)
			expect_fail(slu_nodes_check(nodes, name, from, &err),
				    err, SLU_IO, "slurmctld is asked where n");
		ck_assert_int_eq(wheres, 1 + 2 * is_new);
		/* it knows nothing new: for a moment that is final */
		ck_assert(
			!slu_nodes_is(nodes, name, is_new ? NULL : "10.0.0.3"));
		expect_fail(slu_nodes_check(nodes, name, from, &err), err,
			    SLU_DENIED, "no address of n");
		now += 2;
		expect_fail(slu_nodes_check(nodes, name, from, &err), err,
			    SLU_IO, "asked where");
		ck_assert(slu_nodes_is(nodes, name, "10.0.7.7") == is_new);
		expect_ok(slu_nodes_check(nodes, name, from, &err), err);
		ck_assert_int_eq(wheres, 2 + 2 * is_new);
		ck_assert_str_eq(slu_nodes_addr(nodes, name), "10.0.7.7");
	}
	/* no name service; then one without an answer */
	inet_pton(AF_INET, "10.0.8.8", &from);
	expect_fail(slu_nodes_check(nodes, "n3", from, &err), err, SLU_DENIED,
		    "no address");
	expect_fail(slu_nodes_check(nodes, "n3", from, &err), err, SLU_IO,
		    "asked where");
	now += 6;
	for (int i = 0; i < 5; i++, now++)
		expect_fail(slu_nodes_check(nodes, "n3", from, &err), err,
			    SLU_DENIED, "no address");
	now += 60;
	expect_fail(slu_nodes_check(nodes, "n3", from, &err), err, SLU_IO,
		    "asked where");
	ck_assert_int_eq(wheres, 7);
	slu_nodes_free(nodes);
}
END_TEST

/* Where NodeAddr says it all, the node's name is not asked about. */
START_TEST(test_asks_no_more)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, clock_of_test, &err);
	struct in_addr from;

	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	asked = 0;
	inet_pton(AF_INET, "10.0.0.3", &from);
	expect_ok(slu_nodes_check(nodes, "n3", from, &err), err);
	ck_assert_int_eq(asked, 0);
	inet_pton(AF_INET, "10.0.0.4", &from);
	for (int i = 0; i < 3; i++)
		expect_fail(slu_nodes_check(nodes, "n3", from, &err), err,
			    SLU_DENIED,
			    "no address of n3 (what does /etc/hosts");
	ck_assert_int_eq(asked, 1);
	slu_nodes_free(nodes);
}
END_TEST

/* A hello does not cause all names to be resolved again. */
START_TEST(test_hello_again)
{
	struct slu_node_addr moved = {(char *)"n1", (char *)"10.0.0.7"};
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, clock_of_test, &err);
	struct in_addr from;

	asked = 0;
	inet_pton(AF_INET, "10.9.0.1", &from);
	for (int i = 0; i < 3; i++) {
		expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
		expect_ok(slu_nodes_check(nodes, "n1", from, &err), err);
	}
	ck_assert_int_eq(asked, 1);
	expect_ok(slu_nodes_set(nodes, &moved, 1, &err), err);
	expect_fail(slu_nodes_check(nodes, "n1", from, &err), err, SLU_DENIED,
		    "no address of n1");
	ck_assert_ptr_null(slu_nodes_addr(nodes, "n3"));
	slu_nodes_free(nodes);
}
END_TEST

/* Invented names use no memory, and do not displace others. */
START_TEST(test_made_up)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, clock_of_test, &err);
	struct in_addr from;
	char name[16];

	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	inet_pton(AF_INET, "10.0.0.99", &from);
	expect_ok(slu_nodes_check(nodes, "login", from, &err), err);
	for (int i = 0; i < 200000; i++) {
		snprintf(name, sizeof(name), "x%d", i);
		expect_fail(slu_nodes_check(nodes, name, from, &err), err,
			    SLU_DENIED, name);
	}
	asked = 0;
	expect_ok(slu_nodes_check(nodes, "login", from, &err), err);
	ck_assert_int_eq(asked, 0);
	slu_nodes_free(nodes);
}
END_TEST

/* A name service that does not answer is not asked again; requests that need no
 * name go on meanwhile. */
START_TEST(test_slow_service)
{
	struct slu_err err;
	struct slu_nodes *nodes = slu_nodes_new(fake, clock_of_test, &err);
	struct in_addr from, known;

	expect_ok(slu_nodes_set(nodes, list, 3, &err), err);
	asked = 0;
	now = 100;
	takes = 5;
	inet_pton(AF_INET, "10.0.0.3", &known);
	inet_pton(AF_INET, "10.9.0.1", &from);
	expect_fail(slu_nodes_check(nodes, "x", from, &err), err, SLU_DENIED,
		    "no address of x");
	for (int i = 0; i < 9; i++) {
		expect_fail(slu_nodes_check(nodes, "n1", from, &err), err,
			    SLU_IO, "the name service is slow");
		expect_ok(slu_nodes_check(nodes, "n3", known, &err), err);
		now += 5;
	}
	ck_assert_int_eq(asked, 1);
	takes = 0;
	now += 5;
	expect_ok(slu_nodes_check(nodes, "n1", from, &err), err);
	ck_assert_int_eq(asked, 2);
	slu_nodes_free(nodes);
}
END_TEST

TEST_MAIN("sluiced_nodes", test_address_check, test_before_slurmctld_reports,
	  test_asks_seldom, test_asks_no_more, test_moved_node_is_asked_for,
	  test_hello_again, test_made_up, test_slow_service)
