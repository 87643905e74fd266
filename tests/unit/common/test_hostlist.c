/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of host lists such as n[1-4], and their canonical text. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/hostlist.h"
#include "common/str.h"

/* Names joined by blanks; caller frees. */
static char *joined(const struct slu_hosts *hosts)
{
	struct slu_buf buf = {0};

	for (size_t i = 0; i < hosts->n; i++)
		slu_buf_printf(&buf, "%s%s", i ? " " : "", hosts->name[i]);
	return slu_buf_steal(&buf);
}

START_TEST(test_parse)
{
	static const struct {
		const char *text, *names;
	} cases[] = {
		{"", ""},
		{"n1", "n1"},
		{"n[1-3,7]", "n1 n2 n3 n7"},
		{"a1,b[01-03]x", "a1 b01x b02x b03x"},
		{"b[08-11]", "b08 b09 b10 b11"},
		{"b[98-101]", "b98 b99 b100 b101"},
		{"b[0098-101]", "b0098 b0099 b0100 b0101"},
		{"r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"},
		{"[1-2]", "1 2"},
		{"n[3,1,2]", "n3 n1 n2"},
		{"b,a,b,c,a", "b a c"},
		{"n[1-3],n[2-4]", "n1 n2 n3 n4"},
		{"login-1.hpc_x.de", "login-1.hpc_x.de"},
		{"n[999999999999999998-999999999999999999]",
		 "n999999999999999998 n999999999999999999"},
	};
	struct slu_err err;

	each(c, cases)
	{
		struct slu_hosts hosts;
		char *names;

		expect_ok(slu_hosts_parse(c->text, &hosts, &err), err);
		names = joined(&hosts);
		expect(strcmp(names, c->names) == 0, "%s: %s", c->text, names);
		free(names);
		slu_hosts_free(&hosts);
	}
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{",", "is an empty name"},
		{"a,", "is an empty name"},
		{"a,,b", "is an empty name"},
		{"a b", "\"a b\" holds a character"},
		{"x,a/b,y", "\"a/b\" holds a character"},
		{"n1]", "holds a character"},
		{"caf\xc3\xa9", "holds a character"},
		{"..", "begins with"},
		{"-n", "begins with"},
		{"n[", "not closed"},
		{"n[1-2", "not closed"},
		{"n[]", "no list of numbers"},
		{"n[1,]", "no list of numbers"},
		{"n[,1]", "no list of numbers"},
		{"n[1-]", "no list of numbers"},
		{"n[-1]", "no list of numbers"},
		{"n[a]", "no list of numbers"},
		{"n[1-2-3]", "no list of numbers"},
		{"n[[1]]", "no list of numbers"},
		{"n[2-1]", "runs backwards"},
		{"n[1234567890123456789]", "18 digits"},
		{"n[1-65537]", "more than 65536 names"},
		{"n[0-999999999999999999]", "more than 65536 names"},
		{"a[1-300]b[1-300]", "more than 65536 names"},
	};
	struct slu_err err;

	each(c, cases)
	{
		struct slu_hosts hosts = {.n = 42};

		expect_fail(slu_hosts_parse(c->text, &hosts, &err), err,
			    SLU_INVALID, c->words);
		ck_assert_uint_eq(hosts.n, 42);
	}
}
END_TEST

START_TEST(test_long_names)
{
	struct slu_hosts hosts;
	struct slu_err err;
	char text[300];

	memset(text, 'n', sizeof(text));
	text[255] = '\0';
	expect_ok(slu_hosts_parse(text, &hosts, &err), err);
	slu_hosts_free(&hosts);
	text[255] = 'n';
	text[256] = '\0';
	expect_fail(slu_hosts_parse(text, &hosts, &err), err, SLU_INVALID,
		    "too long");
	strcpy(text + 254, "[9-10]");
	expect_fail(slu_hosts_parse(text, &hosts, &err), err, SLU_INVALID,
		    "too long");
}
END_TEST

START_TEST(test_add_find)
{
	struct slu_hosts hosts = {0};

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 100; i++) {
			char name[16];

			snprintf(name, sizeof(name), "n%d", i);
			ck_assert_int_eq(slu_hosts_add(&hosts, name), 0);
			ck_assert_int_eq(slu_hosts_find(&hosts, name), i);
		}
	ck_assert_uint_eq(hosts.n, 100);
	ck_assert_int_eq(slu_hosts_find(&hosts, "n100"), -1);
	slu_hosts_free(&hosts);
	ck_assert(hosts.n == 0 && !hosts.name);
}
END_TEST

START_TEST(test_sorted)
{
	struct slu_hosts hosts;

	ck_assert_int_eq(slu_hosts_parse("n[9-11],a,n[1-3]", &hosts, NULL), 0);
	slu_hosts_sort(&hosts);
	ck_assert_str_eq(hosts.name[2], "n10");
	for (size_t i = 0; i < hosts.n; i++)
		ck_assert(slu_hosts_sorted_has(&hosts, hosts.name[i]));
	ck_assert(!slu_hosts_sorted_has(&hosts, "n4"));
	ck_assert_int_eq(slu_hosts_append(&hosts, "n9"), 0);
	ck_assert_uint_eq(hosts.n, 8);
	slu_hosts_sort(&hosts);
	ck_assert_uint_eq(hosts.n, 7);
	slu_hosts_free(&hosts);
	slu_hosts_sort(&hosts);
	ck_assert(!slu_hosts_sorted_has(&hosts, "a"));
}
END_TEST

/* Parsing and then adding share one array. */
START_TEST(test_add_to_parsed)
{
	struct slu_hosts hosts;
	char name[] = "x0";

	ck_assert_int_eq(slu_hosts_parse("a,b,a,c,b", &hosts, NULL), 0);
	for (; name[1] <= '9'; name[1]++)
		ck_assert_int_eq(slu_hosts_add(&hosts, name), 0);
	ck_assert_uint_eq(hosts.n, 13);
	ck_assert_str_eq(hosts.name[12], "x9");
	slu_hosts_free(&hosts);
}
END_TEST

START_TEST(test_text_of_lists)
{
	static const struct {
		const char *list, *text;
	} cases[] = {
		{"", ""},
		{"n1", "n1"},
		{"login", "login"},
		{"n1,n2,n3,n4,n7", "n[1-4,7]"},
		{"n10,n9,n2", "n[2,9-10]"},
		{"n08,n09,n10", "n[08-10]"},
		{"n8,n9,n10,n08,n09", "n[8-9,08-10]"},
		{"n99,n099,n100", "n[99,099-100]"},
		{"n99,n100", "n[99-100]"},
		{"r1n1,r1n2,r2n1,r2n2", "r[1-2]n[1-2]"},
		{"r1n1,r1n2,r2n1", "r1n[1-2],r2n1"},
		{"n1-ib0,n2-ib0", "n[1-2]-ib0"},
		{"b,a,login2,n2,n1,login10", "a,b,login[2,10],n[1-2]"},
		{"1,2,3", "[1-3]"},
		{"n1,n12345678901234567890123", "n1,n12345678901234567890123"},
	};

	each(c, cases)
	{
		struct slu_hosts hosts;
		char *text;

		ck_assert_int_eq(slu_hosts_parse(c->list, &hosts, NULL), 0);
		text = slu_hosts_text(&hosts);
		expect(strcmp(text, c->text) == 0, "%s: %s", c->list, text);
		free(text);
		slu_hosts_free(&hosts);
	}
}
END_TEST

/* A name added without the parser's check must not confuse the folding. */
START_TEST(test_text_of_strange_names)
{
	struct slu_hosts hosts = {0};
	char *text;

	slu_hosts_add(&hosts, "a]");
	slu_hosts_add(&hosts, "]1");
	slu_hosts_add(&hosts, "");
	text = slu_hosts_text(&hosts);
	ck_assert_ptr_nonnull(text);
	free(text);
	slu_hosts_free(&hosts);
}
END_TEST

/* Whatever the set, its text names the same set. */
START_TEST(test_round_trip)
{
	static const char *const shapes[] = {"n%d", "n%03d", "r%dn1", "n%d-ib0",
					     "%d"};
	unsigned seed = 1;

	for (int round = 0; round < 300; round++) {
		struct slu_hosts hosts = {0}, back;
		char *text, name[32];

		for (int i = 0; i < 40; i++) {
			int number = rand_r(&seed) % 120;

			snprintf(name, sizeof(name), shapes[rand_r(&seed) % 5],
				 number);
			slu_hosts_add(&hosts, name);
		}
		text = slu_hosts_text(&hosts);
		ck_assert_int_eq(slu_hosts_parse(text, &back, NULL), 0);
		expect(back.n == hosts.n, "%s", text);
		for (size_t i = 0; i < back.n; i++)
			expect(slu_hosts_find(&hosts, back.name[i]) >= 0, "%s",
			       text);
		slu_hosts_free(&hosts);
		slu_hosts_free(&back);
		free(text);
	}
}
END_TEST

/* The largest list takes no noticeable time. */
START_TEST(test_largest_list_is_fast)
{
	struct slu_hosts hosts;
	char *text;

	ck_assert_int_eq(slu_hosts_parse("r[1-256]n[001-256]", &hosts, NULL),
			 0);
	ck_assert_uint_eq(hosts.n, SLU_HOSTS_MAX);
	text = slu_hosts_text(&hosts);
	ck_assert_str_eq(text, "r[1-256]n[001-256]");
	free(text);
	slu_hosts_free(&hosts);
}
END_TEST

START_TEST(test_cmp)
{
	static const char *const sorted[] = {
		"",    "1",  "2",   "10",   "a",   "a01", "a1",
		"a1b", "a2", "a2b", "a2b1", "a10", "a10", "b",
	};

	each(a, sorted) each(b, sorted)
	{
		int order = slu_host_cmp(*a, *b);

		if (strcmp(*a, *b) == 0)
			expect(order == 0, "%s %s", *a, *b);
		else
			expect((order < 0) == (a < b) && order, "%s %s: %d", *a,
			       *b, order);
	}
}
END_TEST

TEST_MAIN("hostlist", test_parse, test_refused, test_long_names, test_add_find,
	  test_sorted, test_add_to_parsed, test_text_of_lists,
	  test_text_of_strange_names, test_round_trip,
	  test_largest_list_is_fast, test_cmp)
