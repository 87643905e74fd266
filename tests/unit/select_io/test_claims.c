/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that a user cannot get more I/O nodes by a false claim: a pattern of
 * the performance table that the job names (its curve was not measured), or a
 * new job name without history. Such a job gets at most what STATIC gives, or
 * what is left over, and takes nothing from jobs with measured runs.
 */
#include "config.h"
#include "tests/unit/arbiter_help.h"
#include "tests/unit/random.h"
#include "select_io/division/division.h"

#define JOBS	9
#define CHOICES 5

enum kind { MEASURED, CLAIMED, NEW };

struct set {
	struct slu_ion_job job[JOBS];
	struct slu_curve curve[JOBS], times[JOBS]; /* times: 1e6 times curve */
	uint32_t choice[JOBS][CHOICES];
	enum kind kind[JOBS];
	uint32_t pool;
};

struct divided {
	struct slu_ion_grant grant[JOBS];
	double measured;
};

static void random_curve(uint64_t *seed, struct slu_curve *c,
			 struct slu_curve *times)
{
	*c = *times = (struct slu_curve){0};
	for (uint32_t k = 0; k <= 8; k = k ? 2 * k : 1) {
		double v = 1 + (double)slu_random(seed, 200);

		slu_curve_add(c, k, v);
		slu_curve_add(times, k, v * 1e6);
	}
}

static void random_set(uint64_t *seed, struct set *s)
{
	bool direct = slu_random(seed, 2);

	s->pool = 1 + (uint32_t)slu_random(seed, 20);
	for (size_t i = 0; i < JOBS; i++) {
		uint32_t nodes = 1u << slu_random(seed, 5);
		struct slu_ion_job *job = &s->job[i];

		*job = (struct slu_ion_job){.choice = s->choice[i],
					    .nodes = nodes};
		job->n = slu_ion_choices(nodes, 8, direct, s->choice[i],
					 CHOICES);
		job->usual =
			slu_ion_usual(nodes, 40, s->pool, s->choice[i], job->n);
		random_curve(seed, &s->curve[i], &s->times[i]);
		s->kind[i] = (enum kind)slu_random(seed, 3);
	}
}

static struct divided divide(struct slu_ion_division *d, struct set *s,
			     enum slu_ion_policy policy)
{
	struct divided out = {.measured = 0};
	struct slu_err err;

	for (size_t i = 0; i < JOBS; i++) {
		s->job[i].claimed = s->kind[i] == CLAIMED;
		if (s->kind[i] == NEW)
			s->job[i].curve = NULL;
		else if (!s->job[i].curve)
			s->job[i].curve = &s->curve[i];
	}
	expect_ok(slu_ion_decide(d, policy, s->pool, s->job, JOBS, out.grant,
				 NULL, &err),
		  err);
	for (size_t i = 0; i < JOBS; i++)
		if (s->kind[i] == MEASURED)
			out.measured += out.grant[i].bandwidth;
	return out;
}

/* Job `who` has only a claimed curve. Measured jobs get no less bandwidth than
 * by STATIC, than without the claim, or if the claim were a million times as
 * high; without its claim the job gets what STATIC gives. */
static void check_claim(struct slu_ion_division *d, struct set *s, size_t who)
{
	struct divided fixed = divide(d, s, SLU_ION_STATIC);
	struct divided with = divide(d, s, SLU_ION_MCKP), as_new, more;

	ck_assert_double_ge(with.measured, fixed.measured - 0.01);
	s->kind[who] = NEW;
	as_new = divide(d, s, SLU_ION_MCKP);
	ck_assert_uint_eq(as_new.grant[who].ions, fixed.grant[who].ions);
	ck_assert_int_eq(as_new.grant[who].shared, fixed.grant[who].shared);
	ck_assert_double_ge(with.measured, as_new.measured - 0.01);
	s->kind[who] = CLAIMED;
	s->job[who].curve = &s->times[who];
	more = divide(d, s, SLU_ION_MCKP);
	ck_assert_double_eq_tol(more.measured, with.measured, 0.01);
	s->job[who].curve = &s->curve[who];
}

START_TEST(test_never_outbids)
{
	struct slu_ion_division *d = slu_ion_division_new(NULL);
	static struct set s;
	size_t checked = 0;

	for (uint64_t seed = 1; seed <= 3000; seed++) {
		uint64_t state = seed * 7;

		random_set(&state, &s);
		s.kind[seed % JOBS] = MEASURED; /* one at least */
		for (size_t i = 0; i < JOBS; i++)
			if (s.kind[i] == CLAIMED) {
				check_claim(d, &s, i);
				checked++;
			}
	}
	ck_assert_uint_gt(checked, 3000);
	slu_ion_division_free(d);
}
END_TEST

static struct slu_arbiter *with_table(const char *text, bool direct,
				      struct slu_patterns **table)
{
	struct slu_conf conf = conf_of("ion[1-4]", SLU_ION_MCKP);
	struct slu_arbiter *a;
	struct slu_err err;

	conf.direct_access = direct;
	a = slu_arbiter_new(&conf, 16, &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	slu_hosts_free(&conf.io_nodes);
	*table = slu_patterns_parse(text, "t", &err);
	ck_assert_msg(*table != NULL, "%s", err.text);
	slu_arbiter_patterns(a, *table);
	return a;
}

static void claim(struct slu_arbiter *a, uint32_t id, char *name)
{
	struct slu_job job = make_job(id, name, 4);
	struct slu_err err;

	job.uid = 8;
	job.ion_pattern = "p";
	expect_ok(slu_arbiter_start(a, &job, &err), err);
}

/* Two jobs with new names claim the best row of the table beside a measured
 * job: it keeps what it has without them; when one ends, the other gets what
 * is left. */
START_TEST(test_new_names)
{
	struct slu_patterns *t;
	struct slu_arbiter *a =
		with_table("pattern,0,1,2,4\np,1,4000,9000,9100\n", true, &t);
	struct slu_assignment got;

	learn(a, "heavy", 4, 0, 1);
	learn(a, "heavy", 4, 1, 20);
	learn(a, "heavy", 4, 2, 40);
	learn(a, "heavy", 4, 4, 41);
	start(a, 1, "heavy", 4);
	claim(a, 2, "tiny1");
	claim(a, 3, "tiny2");
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[0].in_effect, 2); /* as it was without */
	ck_assert_uint_eq(got.jobs[1].in_effect, 1);
	ck_assert_uint_eq(got.jobs[2].in_effect, 1);
	ck_assert_double_eq(got.total, 40);
	ck_assert_double_eq(got.static_total, 20);
	ck_assert_double_eq(got.table_total, 8000); /* another unit */
	ck_assert_double_eq(got.table_static, 8000);
	ck_assert_double_eq_tol(got.bound, 41, 0.1); /* it alone has all */
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_end(a, 2); /* what is left is for the claim */
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[0].in_effect, 2);
	ck_assert_uint_eq(got.jobs[1].in_effect, 2);
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
	slu_patterns_free(t);
}
END_TEST

/* New names of a user who has measured jobs: their claims are ignored, and each
 * name gets what STATIC gives until it was measured itself. */
START_TEST(test_of_a_known_user)
{
	struct slu_patterns *t;
	struct slu_arbiter *a =
		with_table("pattern,0,1,2,4\np,1,4000,9000,9100\n", true, &t);
	struct slu_job job = make_job(1, "tiny1", 4);
	struct slu_assignment got;
	struct slu_err err;

	learn(a, "heavy", 4, 0, 1);
	learn(a, "heavy", 4, 1, 20);
	learn(a, "heavy", 4, 2, 40);
	job.ion_pattern = "p";
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	start(a, 2, "tiny2", 4);
	solve(a, &got);
	for (int i = 0; i < 2; i++)
		ck_assert_uint_eq(got.jobs[i].in_effect, 1);
	ck_assert_str_eq(
		got.jobs[0].why,
		"no runs of this name; its pattern is ignored, as the user's other jobs were measured: as STATIC");
	ck_assert_str_eq(got.jobs[1].why, "no history: as STATIC");
	slu_msg_clear(&slu_assignment_desc, &got);
	learn(a, "tiny2", 4, 0, 9); /* now it is known to want none */
	learn(a, "tiny2", 4, 1, 5);
	start(a, 3, "tiny3", 4); /* which says nothing of another name */
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[1].in_effect, 0);
	ck_assert_uint_eq(got.jobs[2].in_effect, 1);
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
	slu_patterns_free(t);
}
END_TEST

/* While no running job was measured, curves of the table are compared with each
 * other, as all are in one unit; not while a measured job runs. */
START_TEST(test_tables_alone)
{
	struct slu_patterns *t;
	struct slu_arbiter *a = with_table("pattern,1,2,4\np,10,20,50\n"
					   "q,10,11,12\n",
					   false, &t);
	struct slu_job job = make_job(2, "two", 4);
	struct slu_assignment got;
	struct slu_err err;

	learn(a, "known", 4, 1, 3);
	claim(a, 1, "one");
	job.uid = 8;
	job.ion_pattern = "q";
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	for (int round = 0; round < 2; round++) {
		solve(a, &got);
		ck_assert_double_eq(got.total, 31); /* 2 and 2, or 20 and 11 */
		ck_assert_double_eq(got.static_total, 20);
		ck_assert_double_eq(got.table_total, 0);
		slu_msg_clear(&slu_assignment_desc, &got);
		start(a, 3, "known", 4);
		solve(a, &got);
		ck_assert_double_eq(got.total, 3);
		ck_assert_double_eq(got.table_total, 30); /* one was left */
		ck_assert_double_eq(got.table_static, 20);
		ck_assert_uint_eq(got.jobs[0].in_effect, 2);
		slu_msg_clear(&slu_assignment_desc, &got);
		slu_arbiter_end(a, 3);
	}
	slu_arbiter_free(a);
	slu_patterns_free(t);
}
END_TEST

/* The table says wrongly that direct access is best: measured runs of the job
 * replace it. */
START_TEST(test_wrong_table)
{
	static const struct {
		uint32_t has;
		double reaches;
		const char *why;
	} runs[] = {
		{0, 50, "PerformanceTable: p"},
		{1, 300, "history: 0 gave 50.0 MB/s (1 run): as STATIC"},
		{1, 300,
		 "history: 0 gave 50.0 MB/s (1 run), 1 gave 300.0 MB/s "
		 "(1 run)"},
	};
	struct slu_patterns *t;
	struct slu_arbiter *a =
		with_table("pattern,0,1,2,4\np,900,10,20,40\n", true, &t);
	struct slu_assignment got;

	each(r, runs)
	{
		claim(a, 1, "new");
		solve(a, &got);
		expect(got.jobs[0].in_effect == r->has &&
			       strcmp(got.jobs[0].why, r->why) == 0,
		       "run %td: %u, %s", r - runs, got.jobs[0].in_effect,
		       got.jobs[0].why);
		slu_msg_clear(&slu_assignment_desc, &got);
		slu_arbiter_end(a, 1);
		learn(a, "new", 4, r->has, r->reaches);
	}
	slu_arbiter_free(a);
	slu_patterns_free(t);
}
END_TEST

TEST_MAIN("claims", test_never_outbids, test_new_names, test_of_a_known_user,
	  test_tables_alone, test_wrong_table)
