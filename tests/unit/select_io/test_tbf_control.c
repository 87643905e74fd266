/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the TBF controller, which computes rules from job_stats, with a fake
 * rule list that has Lustre's grammar. The order of rules is tested in
 * test_tbf_order.
 */
#include "config.h"

#include <math.h>
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "common/jsonx.h"
#include "select_io/tbf/controller.h"
#include "tests/unit/select_io/tbf_server.h"

/* What was there before the daemon came is not what a job does now. */
START_TEST(test_baseline)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	open_server(&s, &set, 1);
	s.rpcs[0][0] = 1000000;
	period(&s, 1);
	period(&s, 1);
	ck_assert_uint_eq(s.commands, 0);
	s.rpcs[0][0] += 100;
	s.rpcs[0][1] = 50; /* new: all of it is of this period */
	period(&s, 1);
	ck_assert_uint_eq(s.commands, 2);
	ck_assert(rate_of(&s, 0) > 0 && rate_of(&s, 1) > 0);
	close_server(&s);
}
END_TEST

/* By nodes; divided by CPTs; more nodes stand before fewer. */
START_TEST(test_shares)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	struct slu_err err;

	open_server(&s, &set, 2);
	adopt(&s);
	expect_ok(slu_tbf_set_nodes(s.tbf,
				    "# who has what\n100 1\n101\t6\n\n"
				    "102 3 # three\n",
				    &err),
		  err);
	period(&s, 1);
	for (int k = 0; k < 5; k++) {
		for (int i = 0; i < 3; i++)
			s.rpcs[0][i] += 2000; /* all want more */
		period(&s, 1);
	}
	ck_assert_uint_eq(rate_of(&s, 0), 50);
	ck_assert_uint_eq(rate_of(&s, 1), 300);
	ck_assert_uint_eq(rate_of(&s, 2), 150);
	ck_assert_str_eq(s.fake.rule[0][0].name, "slu_101");
	ck_assert_str_eq(s.fake.rule[0][1].name, "slu_102");
	ck_assert_str_eq(s.fake.rule[0][2].name, "slu_100");
	ck_assert_uint_eq(s.commands, 3);
	close_server(&s);
}
END_TEST

START_TEST(test_bad_nodes)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"100 2\n101\n", "line 2"},  {"100 zero\n", "line 1"},
		{"100 0\n", "line 1"},	     {"\n\n100 3 4 5\n", "line 3"},
		{"100 3 alice\n", "line 1"}, {"100 3 -1\n", "line 1"},
	};
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	struct slu_err err;

	open_server(&s, &set, 1);
	each(c, cases) expect_fail(slu_tbf_set_nodes(s.tbf, c->text, &err), err,
				   SLU_INVALID, c->words);
	close_server(&s);
}
END_TEST

/* A job that uses little lends tokens; one that wants more gets them. Both
 * rates are written once and then stay. */
START_TEST(test_lending)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 20; k++) {
		s.rpcs[0][0] += 100;
		s.rpcs[0][1] += 5000;
		period(&s, 1);
	}
	ck_assert_uint_eq(rate_of(&s, 0), 500); /* at once, if it wants */
	ck_assert_uint_eq(rate_of(&s, 1), 900);
	expect(s.commands <= 3, "%zu", s.commands);
	close_server(&s);
}
END_TEST

/* As in the paper, every rule is written in every period. */
START_TEST(test_naive)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	set.naive = set.literal = true;
	set.hungry = set.instant = false;
	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 20; k++) {
		s.rpcs[0][0] += 500;
		s.rpcs[0][1] += 500;
		period(&s, 1);
	}
	ck_assert_uint_eq(s.changes, 38);
	period(&s, 1); /* both idle */
	ck_assert_uint_eq(s.fake.n[0], 0);
	close_server(&s);
}
END_TEST

/* A job that nobody names is forgotten. What its record said then is of then,
 * should it be read again; a record that begins anew is of this period. */
START_TEST(test_return)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	unsigned long long rpcs;
	double start;

	open_server(&s, &set, 1);
	s.rpcs[0][0] = 1000000;
	s.rpcs[0][1] = 10;
	period(&s, 1);
	rpcs = s.rpcs[0][0];
	start = s.start[0][0];
	s.rpcs[0][0] = 0;
	period(&s, 1);
	period(&s, set.forget + 1);
	s.rpcs[0][0] = rpcs;
	s.start[0][0] = start;
	s.rpcs[0][1] += 10;
	period(&s, 1);
	ck_assert_uint_eq(rate_of(&s, 0), 0);
	ck_assert(rate_of(&s, 1) > 0);
	s.rpcs[0][0] = 100;
	s.start[0][0] = 0;
	period(&s, 1);
	ck_assert(rate_of(&s, 0) > 0);
	close_server(&s);
}
END_TEST

static size_t count_jobs(const struct server *s)
{
	struct json_object *state = slu_tbf_save(s->tbf, s->now), *jobs;
	size_t n;

	json_object_object_get_ex(state, "jobs", &jobs);
	n = json_object_array_length(jobs);
	json_object_put(state);
	return n;
}

/* An idle job keeps its rule for a while, and its record for long. */
START_TEST(test_idle)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 5; k++) {
		s.rpcs[0][0] += 10;
		s.rpcs[0][1] += 5000;
		period(&s, 1);
	}
	for (int k = 0; k < 9; k++)
		period(&s, 1);
	ck_assert_uint_eq(s.fake.n[0], 2);
	period(&s, 2);
	ck_assert_uint_eq(s.fake.n[0], 0);
	ck_assert_uint_eq(count_jobs(&s), 2);
	s.rpcs[0][0] = s.rpcs[0][1] = 0; /* job_stats has dropped them */
	period(&s, 1);
	period(&s, set.forget + 1);
	ck_assert_uint_eq(count_jobs(&s), 0);
	close_server(&s);
}
END_TEST

static double record_of(const struct server *s, const char *id)
{
	struct json_object *state = slu_tbf_save(s->tbf, s->now), *jobs;
	double record = 1e300;

	json_object_object_get_ex(state, "jobs", &jobs);
	for (size_t i = 0; i < json_object_array_length(jobs); i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);
		const char *name;

		if (slu_json_str(job, "job", &name, NULL) == 0 &&
		    strcmp(name, id) == 0)
			slu_json_double_opt(job, "record", &record, NULL);
	}
	json_object_put(state);
	return record;
}

/* The record of a job that Slurm does not name any more goes; the job, when
 * job_stats does not either. */
START_TEST(test_ended)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	struct slu_err err;

	open_server(&s, &set, 1);
	expect_ok(slu_tbf_set_nodes(s.tbf, "100 1\n101 1\n", &err), err);
	period(&s, 1);
	for (int k = 0; k < 5; k++) {
		s.rpcs[0][0] += 10;
		s.rpcs[0][1] += 5000;
		period(&s, 1);
	}
	ck_assert(record_of(&s, "100") > 0);
	expect_ok(slu_tbf_set_nodes(s.tbf, "101 1\n", &err), err);
	ck_assert(record_of(&s, "100") == 0);
	period(&s, set.linger + 1);
	ck_assert_uint_eq(count_jobs(&s), 2);
	s.rpcs[0][0] = s.rpcs[0][1] = 0;
	period(&s, 1);
	period(&s, 1);
	ck_assert_uint_eq(count_jobs(&s), 1);
	close_server(&s);
}
END_TEST

/* Without statistics there are no rules. */
START_TEST(test_pause)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	const char *command;

	open_server(&s, &set, 1);
	period(&s, 1);
	s.rpcs[0][0] += 10;
	s.rpcs[0][1] += 5000;
	period(&s, 1);
	ck_assert_uint_eq(s.fake.n[0], 2);
	slu_tbf_pause(s.tbf);
	while ((command = slu_tbf_command(s.tbf, s.now)))
		ck_assert_int_eq(fake_tbf_command(&s.fake, command), 0);
	ck_assert_uint_eq(s.fake.n[0], 0);
	s.rpcs[0][1] += 5000;
	period(&s, 100);
	ck_assert_uint_eq(s.fake.n[0], 1);
	close_server(&s);
}
END_TEST

/* Another controller goes on where the first one was killed. */
START_TEST(test_restart)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct json_object *state;
	struct server s;
	double lent;
	size_t rules;

	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 5; k++) {
		s.rpcs[0][0] += 10;
		s.rpcs[0][1] += 5000;
		s.rpcs[1][2] += 70;
		period(&s, 1);
	}
	lent = record_of(&s, "100");
	ck_assert(lent > 0 && record_of(&s, "101") == -lent);
	state = slu_tbf_save(s.tbf, s.now);
	slu_tbf_free(s.tbf);
	s.tbf = slu_tbf_new(&set, NULL);
	slu_tbf_load(s.tbf, state, s.now);
	json_object_put(state);
	ck_assert(record_of(&s, "100") == lent);
	/* a rule of a job that the state does not know, and somebody else's */
	fake_tbf_command(&s.fake, "start slu_999 jobid={999} rate=1");
	fake_tbf_command(&s.fake, "start theirs jobid={x} rate=1");
	rules = s.fake.n[0];
	period(&s, 1);
	adopt(&s);
	s.rpcs[0][1] += 5000;
	period(&s, 1);
	ck_assert_ptr_null(fake_tbf_match(&s.fake, 0, "999"));
	ck_assert_ptr_nonnull(fake_tbf_match(&s.fake, 0, "x"));
	ck_assert(s.fake.n[0] < rules && rate_of(&s, 1) > 0);
	close_server(&s);
}
END_TEST

/* Rules that another program stopped are started again; a changed policy has
 * none. */
START_TEST(test_repair)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][0] += 5000;
		period(&s, 1);
	}
	fake_tbf_command(&s.fake, "stop slu_100");
	adopt(&s);
	s.rpcs[0][0] += 5000;
	period(&s, 1);
	ck_assert_uint_eq(rate_of(&s, 0), 1000);
	fake_tbf_set_policy(&s.fake, "fifo");
	fake_tbf_set_policy(&s.fake, "tbf jobid");
	adopt(&s);
	s.rpcs[0][0] += 5000;
	period(&s, 1);
	ck_assert_uint_eq(rate_of(&s, 0), 1000);
	close_server(&s);
}
END_TEST

/* The uid makes the policy generic; exemptions stand on top of all rules. */
START_TEST(test_exempt)
{
	static const char *const exempt[] = {"uid=0", "jobid=105", NULL};
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	set.exempt = exempt;
	open_server(&s, &set, 1);
	ck_assert_str_eq(s.fake.policy, "tbf");
	period(&s, 1);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][0] += 5000;
		s.rpcs[0][3] += 5000; /* dd.0: root's */
		s.rpcs[0][5] += 5000; /* 105 */
		period(&s, 1);
	}
	ck_assert_uint_eq(s.fake.n[0], 4);
	ck_assert_str_eq(s.fake.rule[0][0].name, "slx_1");
	ck_assert_str_eq(s.fake.rule[0][0].expr, "jobid={105}");
	ck_assert_str_eq(s.fake.rule[0][1].expr, "uid={0}");
	ck_assert_uint_eq(s.fake.rule[0][2].rate, 1000); /* all of it */
	/* who only calls itself so is not root */
	ck_assert_str_eq(s.fake.rule[0][3].expr, "jobid={dd.0}");
	ck_assert_uint_eq(s.fake.rule[0][3].rate, 500);
	adopt(&s);
	period(&s, 1);
	ck_assert_uint_eq(s.fake.n[0], 4);
	/* the same number, but another's exemption: of the start before */
	fake_tbf_command(&s.fake, "stop slx_0");
	fake_tbf_command(&s.fake, "start slx_0 uid={5} rate=999999");
	adopt(&s);
	period(&s, 1);
	ck_assert_uint_eq(s.fake.n[0], 4);
	for (size_t i = 0; i < s.fake.n[0]; i++)
		ck_assert_str_ne(s.fake.rule[0][i].expr, "uid={5}");
	close_server(&s);
}
END_TEST

/* A rule that stands where it does not belong any more, as its job's nodes
 * were told late. */
START_TEST(test_told_late)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	struct slu_err err;

	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][0] += 5000;
		s.rpcs[0][1] += 5000;
		period(&s, 1);
	}
	ck_assert_str_eq(s.fake.rule[0][0].name, "slu_100");
	expect_ok(slu_tbf_set_nodes(s.tbf, "101 3\n", &err), err);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][0] += 5000;
		s.rpcs[0][1] += 5000;
		period(&s, 1);
	}
	ck_assert_str_eq(s.fake.rule[0][0].name, "slu_101");
	ck_assert_uint_eq(rate_of(&s, 1), 750);
	close_server(&s);
}
END_TEST

/* The floor is each class's, as one of less than a token in a tenth of a second
 * would wait so long for a new one; but it lifts no job above its part: 15 of
 * 30 for each on four CPTs, the first rounded up, the second down. */
START_TEST(test_floor)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	set.rate = 30;
	open_server(&s, &set, 4);
	adopt(&s);
	period(&s, 1);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][0] += 5000;
		s.rpcs[0][1] += 5000;
		period(&s, 1);
	}
	ck_assert_uint_eq(rate_of(&s, 0), 4);
	ck_assert_uint_eq(rate_of(&s, 1), 3);
	close_server(&s);
}
END_TEST

/* More tokens than can be counted. */
START_TEST(test_huge)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	set.rate = 1e9;
	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][0] += 5000;
		s.rpcs[0][1] += 5000;
		period(&s, 1000);
	}
	ck_assert(rate_of(&s, 0) > 100000 && rate_of(&s, 1) > 100000);
	close_server(&s);
}
END_TEST

/* Equal jobs that do the same have the same, whoever was seen first: a few
 * tokens are averaged over as many periods for all, and none lends to another.
 */
START_TEST(test_equal)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	set.rate = 8;
	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 60; k++) {
		for (int i = 0; i < 3; i++)
			s.rpcs[0][i] += k % 2 ? 1 : 12;
		period(&s, 1);
		for (int i = 0; i < 3; i++)
			ck_assert_double_le(fabs(record_of(&s, server_ids[i])),
					    2);
	}
	close_server(&s);
}
END_TEST

/* Counters that restart, strange ids, random loads: every command is accepted,
 * and rates stay within Lustre's limits. */
START_TEST(test_random)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	uint64_t seed = 4;
	struct server s;

	open_server(&s, &set, 3);
	for (int k = 0; k < 3000; k++) {
		for (int i = 0; i < JOBS; i++)
			switch (slu_random(&seed, 6)) {
			case 0:
				s.rpcs[0][i] = 1 + slu_random(&seed, 50);
				s.start[0][i] = 0;
				break;
			case 1:
				s.rpcs[1][i] += slu_random(&seed, 5000);
				break;
			case 2:
				s.rpcs[0][i] += slu_random(&seed, 300);
				break;
			}
		if (slu_random(&seed, 50) == 0)
			adopt(&s);
		period(&s, 0.1 + (double)slu_random(&seed, 30) / 10);
		for (size_t i = 0; i < s.fake.n[0]; i++)
			ck_assert(s.fake.rule[0][i].rate >= 1 &&
				  s.fake.rule[0][i].rate <= SLU_RULE_RATE_MAX);
	}
	ck_assert(s.commands > 1000);
	close_server(&s);
}
END_TEST

TEST_MAIN("tbf_control", test_baseline, test_shares, test_bad_nodes,
	  test_lending, test_naive, test_return, test_idle, test_ended,
	  test_pause, test_restart, test_repair, test_exempt, test_told_late,
	  test_floor, test_huge, test_equal, test_random)
