/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the TBF controller with more jobs than it stores. Users can invent job
 * ids: these must not use up its memory, displace Slurm's jobs, or escape the
 * limits.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/jsonx.h"

#include <string.h>
#include "select_io/tbf/controller.h"
#include "select_io/tbfd/tbfd.h"
#include "tests/unit/select_io/tbf_server.h"

static void add_jobs(struct slu_buf *out, char letter, size_t n)
{
	for (size_t i = 0; i < n; i++)
		slu_buf_printf(out,
			       "- job_id:  %c%zu\n  read_bytes: { samples: 1, "
			       "sum: 1 }\n",
			       letter, i);
}

/* A second in which there are those in mind, so many more, and job 100, which
 * works; how many commands. */
static size_t crowd(struct server *s, size_t more)
{
	struct slu_buf text = {0};

	s->rpcs[0][0] += 5000;
	slu_buf_puts(&text, "obdfilter.OST0.job_stats=\njob_stats:\n");
	add_jobs(&text, 'x', SLU_TBF_UNLISTED);
	add_jobs(&text, 'y', more);
	slu_buf_printf(&text,
		       "- job_id: 100\n  read_bytes: { samples: %llu, sum: 1 "
		       "}\n",
		       s->rpcs[0][0]);
	observe(s, 1, &text);
	slu_buf_free(&text);
	return write_rules(s);
}

/* The rules from the top, as "NAME RATE" with blanks between. */
static void check_rules(const struct server *s, const char *want)
{
	struct slu_buf text = {0};

	slu_buf_puts(&text, "");
	for (size_t i = 0; i < s->fake.n[0]; i++)
		slu_buf_printf(&text, "%s%s %u", i ? " " : "",
			       s->fake.rule[0][i].name,
			       s->fake.rule[0][i].rate);
	ck_assert_str_eq(text.data, want);
	slu_buf_free(&text);
}

/* In mind: all x, and job 100 of four nodes, which is told. */
static void fill(struct server *s)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct slu_err err;

	open_server(s, &set, 2);
	expect_ok(slu_tbf_set_nodes(s->tbf, "100 4\n", &err), err);
	adopt(s); /* two CPTs */
	ck_assert_uint_eq(crowd(s, 0), 0);
	ck_assert_uint_eq(slu_tbf_crowd(s->tbf), 0);
}

/* One rule behind all others, of a node's part: 1000 / (4 + 1) on two CPTs. It
 * goes some time after the crowd. */
START_TEST(test_rule)
{
	struct server s;

	fill(&s);
	crowd(&s, 10);
	ck_assert_uint_eq(slu_tbf_crowd(s.tbf), 10);
	check_rules(&s, "slu_100 500 slx_others 100");
	ck_assert_str_eq(fake_tbf_match(&s.fake, 0, "y3")->name, "slx_others");
	ck_assert_str_eq(fake_tbf_match(&s.fake, 0, "100")->name, "slu_100");
	adopt(&s);
	ck_assert_uint_eq(crowd(&s, 10), 0);
	for (int k = 0; k < 9; k++)
		crowd(&s, 0);
	check_rules(&s, "slu_100 500 slx_others 100");
	crowd(&s, 0);
	crowd(&s, 0);
	check_rules(&s, "slu_100 500");
	close_server(&s);
}
END_TEST

/* Whatever others do with it. */
START_TEST(test_repair)
{
	struct server s;

	fill(&s);
	crowd(&s, 10);
	fake_tbf_command(&s.fake, "change slx_others rank=slu_100");
	adopt(&s);
	ck_assert_uint_eq(crowd(&s, 10), 1);
	check_rules(&s, "slu_100 500 slx_others 100");
	fake_tbf_command(&s.fake, "stop slx_others");
	adopt(&s);
	ck_assert_uint_eq(crowd(&s, 10), 1);
	check_rules(&s, "slu_100 500 slx_others 100");
	fake_tbf_command(&s.fake, "stop slu_100");
	adopt(&s);
	crowd(&s, 10);
	check_rules(&s, "slu_100 500 slx_others 100");
	slu_tbf_pause(s.tbf);
	write_rules(&s);
	check_rules(&s, "");
	/* left by the start before */
	fake_tbf_command(&s.fake, "start slx_others jobid={*} rate=5");
	crowd(&s, 0);
	adopt(&s);
	crowd(&s, 0);
	check_rules(&s, "slu_100 500");
	close_server(&s);
}
END_TEST

static void contains(const struct slu_buf *text, const char *words)
{
	expect(strstr(text->data, words) != NULL, "no \"%s\" in %.300s", words,
	       text->data);
}

START_TEST(test_said)
{
	struct slu_buf out = {0};
	struct json_object *state;
	struct slu_err err;
	struct server s;

	fill(&s);
	state = slu_tbf_save(s.tbf, s.now);
	expect_ok(slu_tbfd_status(state, 0, &out, &err), err);
	ck_assert_ptr_null(strstr(out.data, "kept in mind"));
	json_object_put(state);
	crowd(&s, 10);
	state = slu_tbf_save(s.tbf, s.now);
	slu_buf_reset(&out);
	expect_ok(slu_tbfd_status(state, 0, &out, &err), err);
	contains(
		&out,
		"\n10 jobs have no rules of their own (more than the 4096 that are remembered, or ids that do not fit into a rule): each has the share of one node, 200 RPC/s\n");
	slu_buf_reset(&out);
	slu_tbfd_metrics(state, &out);
	contains(&out, "\nsluice_tbf_crowd 10\n");
	slu_json_set_str(state, "class", "uid");
	slu_buf_reset(&out);
	expect_ok(slu_tbfd_status(state, 0, &out, &err), err);
	contains(
		&out,
		"that do not fit into a rule): their I/O is charged to no class\n");
	json_object_put(state);
	slu_buf_free(&out);
	close_server(&s);
}
END_TEST

/* With users in place of jobs there is no rule for all others. */
START_TEST(test_users)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	set.class_key = "uid";
	open_server(&s, &set, 2);
	for (int k = 0; k < 3; k++)
		ck_assert_uint_eq(crowd(&s, 10), 0);
	ck_assert_uint_eq(slu_tbf_crowd(s.tbf), 11); /* with job 100 */
	ck_assert_uint_eq(s.fake.n[0], 0);
	close_server(&s);
}
END_TEST

/* RPCs that count for no job are reported. */
START_TEST(test_of_nobody)
{
	static const struct {
		bool bytes;
		const char *says;
	} cases[] = {
		{false, "\n500 RPC/s more of unknown owner, without a rule: "},
		{true, "\n2.05 MB/s more of unknown owner, without a rule: "}};
	struct slu_err err;
	struct server s;

	each(c, cases)
	{
		struct slu_tbf_settings set = slu_tbf_defaults;
		struct slu_buf out = {0};
		struct json_object *state;

		set.class_key = "gid";
		set.bytes = c->bytes;
		open_server(&s, &set, 1);
		expect_ok(slu_tbf_set_nodes(s.tbf, "100 3 500\n", &err), err);
		for (int k = 0; k < 3; k++) {
			state = slu_tbf_save(s.tbf, s.now);
			ck_assert(!json_object_object_get(state, "nobody"));
			json_object_put(state);
			s.rpcs[0][0] += 500;
			s.rpcs[0][1] += k == 2 ? 500 : 0;
			period(&s, 1);
		}
		state = slu_tbf_save(s.tbf, s.now);
		expect_ok(slu_tbfd_status(state, 0, &out, &err), err);
		contains(&out, c->says);
		json_object_put(state);
		slu_buf_free(&out);
		close_server(&s);
	}
}
END_TEST

static size_t count_jobs(struct json_object *state)
{
	return json_object_array_length(json_object_object_get(state, "jobs"));
}

/* Jobs of the table have room, before and after a restart; when the next table
 * does not name one, its record ends. */
START_TEST(test_told)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct slu_buf table = {0};
	struct json_object *state;
	struct server s;
	struct slu_err err;

	fill(&s);
	for (int i = 0; i < 5000; i++)
		slu_buf_printf(&table, "%d 2\n", 100 + i);
	expect_ok(slu_tbf_set_nodes(s.tbf, table.data, &err), err);
	crowd(&s, 10);
	state = slu_tbf_save(s.tbf, s.now);
	ck_assert_uint_eq(count_jobs(state), SLU_TBF_UNLISTED + 5000);
	slu_tbf_free(s.tbf);
	set.rate = 1000;
	s.tbf = slu_tbf_new(&set, &err);
	slu_tbf_load(s.tbf, state, s.now);
	json_object_put(state);
	state = slu_tbf_save(s.tbf, s.now);
	ck_assert_uint_eq(count_jobs(state), SLU_TBF_UNLISTED + 5000);
	json_object_put(state);
	expect_ok(slu_tbf_set_nodes(s.tbf, "100 4\n", &err), err);
	adopt(&s); /* the rules of before are stale */
	crowd(&s, 0);
	crowd(&s, 0);
	state = slu_tbf_save(s.tbf, s.now);
	ck_assert_uint_eq(count_jobs(state), SLU_TBF_UNLISTED + 1);
	json_object_put(state);
	slu_buf_free(&table);
	close_server(&s);
}
END_TEST

struct fake {
	struct slu_lustre lustre;
	size_t n, looks;
};

/* Each target serves more than the one before. */
static int fake_job_stats(struct slu_lustre *lustre, struct slu_jobstats *stats,
			  struct slu_err *err)
{
	struct fake *fake = (struct fake *)lustre;
	struct slu_buf text = {0};
	int rc;

	for (size_t i = 0; i < fake->n; i++)
		slu_buf_printf(&text,
			       "obdfilter.f-OST%04zx.job_stats=\njob_stats:\n"
			       "- job_id:  1\n  read_bytes: { samples: %zu, "
			       "sum: 1 }\n",
			       i, (i + 2) * 1000 * fake->looks);
	fake->looks++;
	rc = slu_jobstats_parse(stats, text.data, text.len, err);
	slu_buf_free(&text);
	return rc;
}

/* No more options are printed than are taken. */
START_TEST(test_measure)
{
	struct fake fake = {
		{.job_stats = fake_job_stats}, SLU_TBFD_RATES_MAX + 1, 0};
	struct slu_buf out = {0};
	struct slu_err err;

	expect_ok(slu_tbfd_measure(&fake.lustre, 0.5, &out, &err), err);
	contains(&out, "RATES=");
	slu_buf_reset(&out);
	fake.n++;
	fake.looks = 0;
	expect_fail(slu_tbfd_measure(&fake.lustre, 0.5, &out, &err), err,
		    SLU_INVALID, "65 targets");
	slu_buf_free(&out);
}
END_TEST

TEST_MAIN("tbf_crowd", test_rule, test_repair, test_said, test_users,
	  test_of_nobody, test_told, test_measure)
