/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of TBF rules as Lustre prints them, and the names of
 * Sluice's rules. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/select_io/recorded.h"
#include <regex.h>
#include "select_io/tbf/rules.h"

START_TEST(test_dump)
{
	static const char text[] = "ost.OSS.ost_io.nrs_tbf_rule=\n"
				   "regular_requests:\n"
				   "CPT 0:\n"
				   "quo jobid={\"we ird:@x\"} 200, ref 0\n"
				   "two {4712* dd.0} 100, ref 2\n"
				   "slu_4711 jobid={4711} 5, ref 1\n"
				   "default * 5000, ref 7\n"
				   "CPT 1:\n"
				   "quo jobid={\"we ird:@x\"} 200, ref 0\n"
				   "two {4712* dd.0} 100, ref 0\n"
				   "slu_4711 jobid={4711} 5, ref 1\n"
				   "default * 5000, ref 0\n"
				   "high_priority_requests:\n"
				   "CPT 0:\n"
				   "other {x} 1, ref 9\n";
	static const struct slu_rule want[] = {
		{"quo", "jobid={\"we ird:@x\"}", 200, 0},
		{"two", "{4712* dd.0}", 100, 2},
		{"slu_4711", "jobid={4711}", 5, 2},
		{"default", "*", 5000, 7},
	};
	struct slu_rules rules = {0};
	struct slu_err err;

	expect_ok(slu_rules_parse(&rules, text, &err), err);
	ck_assert_uint_eq(rules.cpts, 2);
	ck_assert_uint_eq(rules.n, 4);
	for (size_t i = 0; i < 4; i++)
		expect(strcmp(rules.rule[i].name, want[i].name) == 0 &&
			       strcmp(rules.rule[i].match, want[i].match) ==
				       0 &&
			       rules.rule[i].rate == want[i].rate &&
			       rules.rule[i].classes == want[i].classes,
		       "%s %s %u %u", rules.rule[i].name, rules.rule[i].match,
		       rules.rule[i].rate, rules.rule[i].classes);
	ck_assert(slu_rules_find(&rules, "other") == NULL);
	ck_assert(slu_rules_find(&rules, "two") == &rules.rule[1]);
	expect_fail(slu_rules_parse(&rules, "error: No such device\n", &err),
		    err, SLU_INVALID, "regular_requests");
	slu_rules_free(&rules);
}
END_TEST

/* Lustre takes commands of up to 4,095 bytes: somebody else's rule may list
 * many ids, of which the beginning is enough. */
START_TEST(test_long)
{
	struct slu_rules rules = {0};
	struct slu_buf text = {0};
	struct slu_err err;

	slu_buf_puts(&text, "regular_requests:\nCPT 0:\ntheirs jobid={");
	for (int i = 0; i < 600; i++)
		slu_buf_printf(&text, "%d ", 100000 + i);
	slu_buf_puts(&text, "x} 9, ref 3\ndefault * 10000, ref 0\n");
	expect_ok(slu_rules_parse(&rules, text.data, &err), err);
	ck_assert_uint_eq(rules.n, 2);
	ck_assert_str_eq(rules.rule[0].name, "theirs");
	ck_assert_int_eq(strncmp(rules.rule[0].match, "jobid={100000 ", 14), 0);
	ck_assert_uint_eq(rules.rule[0].rate, 9);
	ck_assert_uint_eq(rules.rule[0].classes, 3);
	slu_rules_free(&rules);
	slu_buf_free(&text);
}
END_TEST

/* Lines that are none. */
START_TEST(test_no_rules)
{
	static const char *const lines[] = {
		" 5, ref 1",
		"a 5, ref ",
		"a 5,ref 1",
		"a x, ref 1",
		"a 5, ref 4294967296",
		"a_name_too_long_ {x} 5, ref 1",
		", ref 1",
		"5, ref 1",
	};
	struct slu_rules rules = {0};
	struct slu_err err;
	char text[200];

	each(line, lines)
	{
		snprintf(text, sizeof(text), "regular_requests:\n%s\n", *line);
		expect_ok(slu_rules_parse(&rules, text, &err), err);
		expect(rules.n == 0, "%s: %s", *line,
		       rules.n ? rules.rule[0].name : "");
	}
	slu_rules_free(&rules);
}
END_TEST

/* A line that belongs to a dump: "NAME MATCH RATE, ref N". */
static bool is_rule(const char *line)
{
	const char *end = strchrnul(line, '\n'), *ref = strstr(line, ", ref ");

	return ref && ref < end;
}

/* A line, read by a regular expression, beside what we read of it. */
static void check_line(const struct slu_rules *rules, const char *line,
		       unsigned refs[])
{
	char *copy = strndup(line, strcspn(line, "\n"));
	const struct slu_rule *rule;
	regmatch_t at[5];
	regex_t form;

	ck_assert_int_eq(regcomp(&form, "^([^ ]+) (.*) ([0-9]+), ref ([0-9]+)$",
				 REG_EXTENDED),
			 0);
	expect(regexec(&form, copy, 5, at, 0) == 0, "%s", copy);
	for (int i = 1; i < 5; i++)
		copy[at[i].rm_eo] = '\0';
	rule = slu_rules_find(rules, copy);
	expect(rule != NULL, "no %s", copy);
	ck_assert_str_eq(rule->match, copy + at[2].rm_so);
	ck_assert_uint_eq(rule->rate, strtoul(copy + at[3].rm_so, NULL, 10));
	refs[rule - rules->rule] +=
		(unsigned)strtoul(copy + at[4].rm_so, NULL, 10);
	regfree(&form);
	free(copy);
}

static void check_values(const struct slu_rules *rules, const char *dump)
{
	unsigned refs[64] = {0};

	ck_assert_uint_le(rules->n, 64);
	for (const char *line = dump; *line;
	     line = strchrnul(line, '\n'), line += *line == '\n')
		if (is_rule(line))
			check_line(rules, line, refs);
	for (size_t i = 0; i < rules->n; i++)
		ck_assert_uint_eq(rules->rule[i].classes, refs[i]);
}

/* Every dump in the recordings, beside a count of its lines. */
static size_t check_dumps(const char *text)
{
	struct slu_rules rules = {0};
	struct slu_err err;
	const char *p = text, *line;
	size_t dumps = 0, lines;
	char *dump;

	while ((p = strstr(p, "regular_requests:\nCPT"))) {
		lines = 0;
		for (line = strchr(p, '\n') + 1;
		     is_rule(line) || strncmp(line, "CPT", 3) == 0;
		     line = strchrnul(line, '\n'), line += *line == '\n')
			lines += is_rule(line);
		dump = strndup(p, (size_t)(line - p));
		expect_ok(slu_rules_parse(&rules, dump, &err), err);
		expect(rules.n * rules.cpts == lines && rules.n > 0,
		       "%zu rules, %u CPTs, %zu lines: %.80s", rules.n,
		       rules.cpts, lines, p);
		check_values(&rules, dump);
		free(dump);
		dumps++;
		p++;
	}
	slu_rules_free(&rules);
	return dumps;
}

START_TEST(test_recorded)
{
	static const struct {
		const char *file;
		size_t dumps;
	} cases[] = {
		{"lustre/recorded-2.17.57-ldiskfs/nrs_tbf.txt", 4},
		{"lustre/recorded-2.15.8-zfs/nrs_tbf.txt", 4},
		{"lustre/recorded-2.17.57-ldiskfs/tbf_cpt.txt", 2},
		{"lustre/recorded-2.17.57-ldiskfs/tbf_dyn.txt", 1},
		{"lustre/recorded-2.15.8-zfs/tbf_dyn.txt", 0},
		{"lustre/tbf_samples.txt", 2},
	};

	each(c, cases)
	{
		struct slu_buf text = {0};
		size_t n;

		if (!recorded_text(c->file, &text))
			continue;
		n = check_dumps(text.data);
		expect(n >= c->dumps, "%s: %zu", c->file, n);
		slu_buf_free(&text);
	}
}
END_TEST

START_TEST(test_policy)
{
	static const char *const files[] = {
		"lustre/recorded-2.17.57-ldiskfs/nrs_policies.txt",
		"lustre/recorded-2.15.8-zfs/nrs_policies.txt",
	};
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"\nregular_requests:\n  - name: fifo\n    state: started\n"
		 "    fallback: yes\n    queued: 0      \n\n"
		 "  - name: tbf jobid\n    state: started\n    fallback: no\n",
		 "tbf jobid"},
		{"regular_requests:\n  - name: fifo\n    state: started\n"
		 "    fallback: yes\n\n  - name: tbf\n    state: stopped\n"
		 "    fallback: no\nhigh_priority_requests:\n  - name: tbf\n"
		 "    state: started\n    fallback: no\n",
		 "fifo"},
		{"  - name: tbf nid\n    state: stopping\n    fallback: no\n",
		 ""},
		{"", ""},
	};
	char policy[SLU_POLICY_SIZE];

	each(c, cases)
	{
		slu_policy_parse(c->text, policy);
		expect(strcmp(policy, c->want) == 0, "%s", policy);
	}
	each(f, files)
	{
		struct slu_buf text = {0};

		if (!recorded_text(*f, &text))
			continue;
		slu_policy_parse(text.data, policy);
		ck_assert_str_eq(policy, "fifo");
		slu_buf_free(&text);
	}
}
END_TEST

START_TEST(test_names_of_rules)
{
	static const struct {
		const char *job, *name, *match;
	} cases[] = {
		{"4711", "slu_4711", "jobid={4711}"},
		{"4712_3", "slu_4712_3", "jobid={4712_3}"},
		{"1234567890", "slu_1234567890", "jobid={1234567890}"},
		{"12345678901", NULL, "jobid={12345678901}"},
		{"a?b", NULL, "jobid={a*b}"},
		{"123456789012", NULL, "jobid={123456789012}"},
		{"dd.0", NULL, "jobid={dd.0}"},
		{"we ird:@x", NULL, "jobid={we*ird:@x}"},
		{"a{b}*c\\d,e&f=g\"h", NULL, "jobid={a*h}"},
		{"\xc3\xa4", NULL, "jobid={*}"},
		{"=", NULL, "jobid={*}"},
		{"{a{", NULL, "jobid={*}"},
		{"a{a{a{a{a{b", NULL, "jobid={a*b}"},
		{"{ab", NULL, "jobid={*ab}"},
		{"ab{", NULL, "jobid={ab*}"},
		{"", NULL, "jobid={}"},
		{"1234567890123456789012345678901", NULL,
		 "jobid={1234567890123456789012345678901}"},
	};

	each(c, cases)
	{
		char name[SLU_RULE_NAME], match[SLU_RULE_MATCH];

		slu_rule_name(c->job, name);
		/* not, when it would match every job */
		expect(slu_rule_match(c->job, match) ==
			       (match[7 + strspn(match + 7, "*")] != '}'),
		       "%s", c->job);
		expect(strcmp(match, c->match) == 0, "%s: %s", c->job, match);
		expect(slu_rule_is_ours(name) &&
			       strlen(name) == (c->name ? strlen(c->name) : 15),
		       "%s", name);
		expect(!c->name || strcmp(name, c->name) == 0, "%s", name);
	}
	ck_assert(!slu_rule_is_ours("default") && slu_rule_is_ours("slx_0"));
}
END_TEST

/* An id that looks like another's hash has another name. */
START_TEST(test_disguise)
{
	char one[SLU_RULE_NAME], other[SLU_RULE_NAME];

	slu_rule_name("dd.0", one);
	slu_rule_name(one + strlen(SLU_RULE_PREFIX), other);
	ck_assert_str_ne(one, other);
}
END_TEST

START_TEST(test_rate)
{
	static const struct {
		double rate;
		unsigned cpts;
		uint32_t want;
	} cases[] = {
		{10, 1, 10}, {10, 2, 5},  {11, 2, 6},	    {0, 1, 1},
		{-3, 1, 1},  {2.5, 1, 3}, {1e9, 1, 999999}, {5, 0, 5},
	};

	each(c, cases)
	{
		uint32_t got = slu_rule_rate(c->rate, c->cpts);

		expect(got == c->want, "%g on %u: %u", c->rate, c->cpts, got);
	}
}
END_TEST

TEST_MAIN("rules", test_dump, test_long, test_no_rules, test_recorded,
	  test_policy, test_names_of_rules, test_disguise, test_rate)
