/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the TBF controller with several targets, and with jobs that no rule can
 * name. */
#include "config.h"
#include "tests/unit/harness.h"
#include <string.h>
#include "common/jsonx.h"
#include "select_io/tbf/controller.h"
#include "tests/unit/select_io/tbf_server.h"

static uint32_t rate_of_number(const struct server *s, const char *number)
{
	const struct fake_rule *r = fake_tbf_match(&s->fake, 0, number);

	return r ? r->rate : 0;
}

/* What jobs do counts for whom the table names; with users for those of whom
 * Lustre made the id; else for nobody. A user has the nodes of all of his jobs.
 */
START_TEST(test_classes)
{
	static const struct {
		const char *key, *policy;
		uint32_t of_dd; /* "dd.0", on one node, is not in the table */
	} cases[] = {{"uid", "tbf uid", 200},
		     {"gid", "tbf gid", 0},
		     {"projid", "tbf projid", 0}};
	struct slu_err err;
	struct server s;

	each(c, cases)
	{
		struct slu_tbf_settings set = slu_tbf_defaults;
		uint32_t rest = 1000 - c->of_dd;

		set.class_key = c->key;
		open_server(&s, &set, 1);
		ck_assert_str_eq(s.fake.policy, c->policy);
		expect_ok(slu_tbf_set_nodes(s.tbf,
					    "100 2 500\n101 1 500\n102 1 501\n",
					    &err),
			  err);
		period(&s, 1);
		for (int k = 0; k < 4; k++) {
			for (int i = 0; i < 8; i++)
				s.rpcs[0][i] += 5000;
			period(&s, 1);
		}
		ck_assert_uint_eq(rate_of_number(&s, "500"), rest * 3 / 4);
		ck_assert_uint_eq(rate_of_number(&s, "501"), rest / 4);
		ck_assert_uint_eq(rate_of_number(&s, "0"), c->of_dd);
		ck_assert_uint_eq(s.fake.n[0], c->of_dd ? 3 : 2);
		close_server(&s);
	}
}
END_TEST

static double record_of(const struct server *s, const char *id)
{
	struct json_object *state = slu_tbf_save(s->tbf, s->now), *jobs = NULL;
	double record = 0;
	const char *job;

	json_object_object_get_ex(state, "jobs", &jobs);
	for (size_t i = 0; i < json_object_array_length(jobs); i++) {
		struct json_object *one = json_object_array_get_idx(jobs, i);

		job = "";
		slu_json_str_opt(one, "job", &job, NULL);
		if (strcmp(job, id) == 0)
			slu_json_double_opt(one, "record", &record, NULL);
	}
	json_object_put(state);
	return record;
}

/* A user whose jobs have ended is one of a node again, whatever he still does,
 * and what he borrows then he owes. */
START_TEST(test_class_after_its_jobs)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct slu_err err;
	struct server s;

	set.class_key = "uid";
	open_server(&s, &set, 1);
	expect_ok(slu_tbf_set_nodes(s.tbf, "100 9 0\n101 1 501\n", &err), err);
	period(&s, 1);
	for (int k = 0; k < 8; k++) {
		s.rpcs[0][1] += 5000; /* 101 */
		s.rpcs[0][3] += 5000; /* dd.0 */
		period(&s, 1);
		if (k == 3) {
			ck_assert_uint_eq(rate_of_number(&s, "0"), 900);
			expect_ok(slu_tbf_set_nodes(s.tbf, "101 1 501\n", &err),
				  err);
		}
	}
	ck_assert_uint_eq(rate_of_number(&s, "0"), 500);
	ck_assert_uint_eq(rate_of_number(&s, "501"), 500);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][1] += 10;
		s.rpcs[0][3] += 5000;
		period(&s, 1);
	}
	expect_ok(slu_tbf_set_nodes(s.tbf, "101 1 501\n", &err), err);
	ck_assert_double_lt(record_of(&s, "uid=0"), 0);
	close_server(&s);
}
END_TEST

/* Whose jobs are is known after a restart, before there is a table. */
START_TEST(test_class_after_a_restart)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct json_object *state;
	struct slu_err err;
	struct server s;

	set.class_key = "gid";
	open_server(&s, &set, 1);
	expect_ok(
		slu_tbf_set_nodes(s.tbf, "100 3 500\n101 1 501\n102 9\n", &err),
		err);
	period(&s, 1);
	state = slu_tbf_save(s.tbf, s.now);
	slu_tbf_free(s.tbf);
	s.tbf = slu_tbf_new(&set, &err);
	expect(s.tbf, "%s", err.text);
	slu_tbf_load(s.tbf, state, s.now);
	json_object_put(state);
	for (int k = 0; k < 4; k++) {
		for (int i = 0; i < 3; i++)
			s.rpcs[0][i] += 5000;
		period(&s, 1);
	}
	ck_assert_uint_eq(rate_of_number(&s, "500"), 750);
	ck_assert_uint_eq(rate_of_number(&s, "501"), 250);
	ck_assert_uint_eq(s.fake.n[0], 2);
	close_server(&s);
}
END_TEST

/* A job whose id is a user's number is not taken for him: of two, one is first.
 */
START_TEST(test_job_of_a_number)
{
	static const char *const tables[] = {"100 1 100\n101 1 102\n",
					     "101 1 102\n100 1 100\n"};
	struct slu_err err;
	struct server s;

	for (size_t i = 0; i < 2; i++) {
		struct slu_tbf_settings set = slu_tbf_defaults;
		uint32_t started = 0;

		set.class_key = "uid";
		open_server(&s, &set, 1);
		period(&s, 1);
		s.rpcs[0][2] += 5; /* "102" */
		expect_ok(slu_tbf_set_nodes(s.tbf, tables[i], &err), err);
		for (int k = 0; k < 6; k++) {
			s.rpcs[0][0] += 5000;
			s.rpcs[0][1] += 5000;
			period(&s, 1);
			adopt(&s);
			if (k == 1)
				started = s.fake.sequence;
		}
		ck_assert_uint_gt(started, 0);
		ck_assert_uint_eq(s.fake.sequence, started);
		close_server(&s);
	}
}
END_TEST

/* A job that calls itself as users are listed is nobody's; root is exempt. */
START_TEST(test_forged_class)
{
	static const char *const exempt[] = {"uid=0", NULL};
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct slu_buf text = {0};
	struct server s;

	set.class_key = "uid";
	set.exempt = exempt;
	open_server(&s, &set, 1);
	for (int k = 1; k < 4; k++) {
		slu_buf_reset(&text);
		slu_buf_printf(
			&text,
			"obdfilter.OST0.job_stats=\njob_stats:\n"
			"- job_id: uid=500\n  read_bytes: { samples: %d, "
			"sum: 1 }\n- job_id: dd.0\n  read_bytes: { "
			"samples: %d, sum: 1 }\n",
			k * 5000, k * 5000);
		observe(&s, 1, &text);
		write_rules(&s);
		adopt(&s);
	}
	slu_buf_free(&text);
	ck_assert_uint_eq(s.fake.n[0], 1);
	ck_assert_str_eq(s.fake.rule[0][0].expr, "uid={0}");
	ck_assert_uint_eq(s.fake.rule[0][0].rate, SLU_RULE_RATE_MAX);
	ck_assert_uint_eq(s.commands, 1);
	s.fake.braces_only = true; /* as before 2.18 */
	adopt(&s);
	ck_assert_uint_eq(write_rules(&s), 0);
	close_server(&s);
}
END_TEST

#define BORROWED                                                     \
	"\"jobs\": [{\"job\": \"100\", \"accounts\": [{\"target\": " \
	"\"OST0\", \"record\": -7}]}]}"

/* On two targets: the job's rate is the sum; a job elsewhere does not count. */
START_TEST(test_targets)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	struct slu_err err;

	open_server(&s, &set, 1);
	expect_ok(slu_tbf_set_rate(s.tbf, "OST1", 400, &err), err);
	expect_fail(slu_tbf_set_rate(s.tbf, "OST1", 0, &err), err, SLU_INVALID,
		    "OST1");
	period(&s, 1);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][0] += 5000;
		s.rpcs[1][0] += 5000;
		s.rpcs[1][1] += 5000;
		period(&s, 1);
	}
	ck_assert_uint_eq(rate_of(&s, 0), 1200);
	ck_assert_uint_eq(rate_of(&s, 1), 200);
	close_server(&s);
}
END_TEST

/* A target that was unmounted has no tokens. */
START_TEST(test_unmounted)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 2; k++) {
		s.rpcs[0][6] += 5000; /* "{", of the crowd */
		s.rpcs[1][0] += 5;
		period(&s, 1);
	}
	ck_assert_uint_eq(rate_of(&s, 6), 1500);
	s.unmounted = true;
	s.rpcs[0][6] += 5000;
	period(&s, 1);
	ck_assert_uint_eq(rate_of(&s, 6), 1000);
	close_server(&s);
}
END_TEST

/* Names that the grammar cannot hold match others: those come first. A rule
 * that would be everybody's is not made: who has such a name is one of the
 * crowd, of a node's part, here 1000 / (10 + 1) on a target and all of the idle
 * one. */
START_TEST(test_wild)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	struct slu_err err;

	open_server(&s, &set, 1);
	expect_ok(slu_tbf_set_nodes(s.tbf, "10{ 9\n{ 9\n100 1\n", &err), err);
	period(&s, 1);
	s.rpcs[0][7] += 5000;
	period(&s, 1);
	for (int k = 0; k < 3; k++) {
		s.rpcs[0][0] += 5000;
		s.rpcs[0][6] += 5000;
		s.rpcs[0][7] += 5000;
		period(&s, 1);
	}
	ck_assert_uint_eq(s.fake.n[0], 3);
	ck_assert_uint_eq(rate_of(&s, 0), 100);
	ck_assert_uint_eq(rate_of(&s, 7), 900);
	ck_assert_str_eq(s.fake.rule[0][2].name, "slx_others");
	ck_assert_uint_eq(rate_of(&s, 6), 1091);
	for (int k = 0; k < 12; k++) { /* it has ended */
		s.rpcs[0][0] += 5000;
		period(&s, 1);
	}
	ck_assert_uint_eq(rate_of(&s, 6), 0);
	close_server(&s);
}
END_TEST

/* The record of job 100 in what was saved in one unit and is loaded in the
 * other or the same. */
static double record_after(bool bytes_before, bool bytes_then)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct json_object *state, *jobs = NULL;
	double record = 0;
	struct slu_err err;
	struct server s;
	const char *text =
		bytes_before ? "{\"unit\": \"bytes\", " BORROWED : "{" BORROWED;

	set.bytes = bytes_then;
	open_server(&s, &set, 1);
	state = slu_json_parse(text, strlen(text), &err);
	ck_assert_ptr_nonnull(state);
	slu_tbf_load(s.tbf, state, s.now);
	json_object_put(state);
	state = slu_tbf_save(s.tbf, s.now);
	json_object_object_get_ex(state, "jobs", &jobs);
	ck_assert_uint_eq(json_object_array_length(jobs), 1);
	slu_json_double_opt(json_object_array_get_idx(jobs, 0), "record",
			    &record, NULL);
	json_object_put(state);
	close_server(&s);
	return record;
}

/* RPCs that were lent are no bytes. */
START_TEST(test_unit_of_records)
{
	ck_assert(record_after(false, false) == -7);
	ck_assert(record_after(false, true) == 0);
	ck_assert(record_after(true, false) == 0);
	ck_assert(record_after(true, true) == -7.0 * SLU_TBF_TOKEN);
}
END_TEST

TEST_MAIN("tbf_parts", test_targets, test_unmounted, test_wild,
	  test_unit_of_records, test_classes, test_class_after_its_jobs,
	  test_class_after_a_restart, test_job_of_a_number, test_forged_class)
