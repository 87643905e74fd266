/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the prediction of run times: which level (user, name, request ...)
 * answers, and how it learns. */
#include "config.h"
#include "tests/unit/harness.h"
#include <pthread.h>
#include <stdatomic.h>
#include "tests/unit/job_submit/predictor_fixture.h"
#include "job_submit/predictor/mixture.h"

/* Which class answers; a run time that all agree on is the answer. */
START_TEST(test_levels)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	static const struct {
		uint32_t uid;
		char *name;
		uint32_t nodes, minutes;
		int64_t seconds; /* 0: any */
		const char *from;
		uint32_t jobs;
	} cases[] = {
		{1, "a_1", 4, 60, 600, "class", 4},
		{1, "a_99", 4, 60, 600, "class", 4}, /* digits are one */
		{1, "b", 4, 60, 600, "size", 4},
		{1, "b", 2, 60, 600, "request", 4},
		{1, "a_1", 2, 50, 0, "name", 4},
		{1, "b", 4, 50, 0, "user", 5},
		{1, "b", 2, 50, 0, "user", 5},
		{1, "a_1", 4, 5, 0, "name", 4},
		{1, NULL, 7, 2, 77, "class", 1},
		{1, "", 7, 2, 77, "class", 1},
		{2, "c", 1, 60, 0, "account", 4},
		{2, "c", 1, 59, 3540, "shares", 5},
		{2, "c", 1, 0, 0, "none", 0},
	};

	for (int i = 0; i < 4; i++)
		teach(p, 1, "a_7", 4, 60, 600);
	teach(p, 1, NULL, 7, 2, 77);
	each(c, cases)
	{
		struct slu_prediction got =
			ask(p, c->uid, c->name, c->nodes, c->minutes);

		expect(!c->seconds || llabs(got.seconds - c->seconds) <= 1,
		       "case %td: %ld", c - cases, got.seconds);
		expect(strcmp(got.from, c->from) == 0, "case %td: %s",
		       c - cases, got.from);
		expect(got.jobs == c->jobs, "case %td: %u", c - cases,
		       got.jobs);
		expect(!c->minutes || got.careful <= c->minutes * 60,
		       "case %td: %ld", c - cases, got.careful);
		expect(got.careful >= got.seconds, "case %td: %ld", c - cases,
		       got.careful);
	}
	slu_predictor_free(p);
}
END_TEST

/* Of two kinds of runs the early answer is nearer to the short one, the careful
 * one is the long one; both keep to the floor and the request. */
START_TEST(test_early_and_careful_answers)
{
	struct slu_predictor *p = new_predictor(1000, 0.75, 300);
	struct slu_job job = make_job(1, "a", 4, 60, 0);

	job.account = job.partition = NULL;
	for (int i = 0; i < 40; i++)
		teach(p, 1, "a", 4, 60, i % 2 ? 600 : 3000);
	expect(slu_predict_early(p, &job) < 1800, "%ld",
	       slu_predict_early(p, &job));
	ck_assert_int_gt(ask(p, 1, "a", 4, 60).careful, 2900);
	for (int i = 0; i < 40; i++)
		teach(p, 1, "a", 4, 60, 20);
	ck_assert_int_eq(slu_predict_early(p, &job), 300);
	job.limit_asked = 2;
	ck_assert_int_le(slu_predict_early(p, &job), 120);
	slu_predictor_free(p);
}
END_TEST

/* A new user is answered from the account, else from the partition. */
START_TEST(test_strangers)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_job job = make_job(1, "a", 2, 60, 600);
	struct slu_prediction got;

	for (int i = 0; i < 5; i++)
		slu_learn(p, &job);
	job.uid = 2;
	slu_predict(p, &job, &got);
	ck_assert_str_eq(got.from, "account");
	ck_assert_int_eq(got.seconds, 600);
	job.account = NULL;
	slu_predict(p, &job, &got);
	ck_assert_str_eq(got.from, "site");
	ck_assert_int_ge(got.seconds, 600);
	job.partition = NULL;
	slu_predict(p, &job, &got);
	ck_assert_str_eq(got.from, "shares");
	slu_predictor_free(p);
}
END_TEST

/* Where jobs take a tenth of what they ask for, so will one of whose like none
 * has ended; where none has at all, the request is all there is. */
START_TEST(test_shares)
{
	struct slu_predictor *p = new_predictor(10000, 0.75, 0);
	struct slu_prediction got = ask(p, 9, "new", 3, 700);

	ck_assert_str_eq(got.from, "asked");
	ck_assert_int_eq(got.seconds, 700 * 60);
	for (uint32_t i = 0; i < 500; i++)
		teach(p, 10 + i, "a", 1, 60 + i, (60 + i) * 6);
	got = ask(p, 9, "new", 3, 700);
	ck_assert_str_eq(got.from, "shares");
	ck_assert_uint_eq(got.jobs, 500);
	ck_assert_int_lt(llabs(got.seconds - 4200), 200);
	ck_assert_int_lt(got.careful, 700 * 60 / 2);
	got = ask(p, 9, "new", 3, 0);
	ck_assert_str_eq(got.from, "none");
	slu_predictor_free(p);
}
END_TEST

START_TEST(test_ignored)
{
	struct slu_predictor *p = new_predictor(64, 0.9, 0);
	struct slu_job job = make_job(1, "a", 1, 10, -5);

	slu_learn(p, &job); /* ends before it starts */
	job.end = job.start;
	slu_learn(p, &job); /* did not run */
	job.start = 0;
	slu_learn(p, &job); /* cancelled before it started */
	ck_assert_str_eq(ask(p, 1, "a", 1, 10).from, "asked");
	slu_predictor_free(p);
}
END_TEST

/* A job's own end teaches, and its user's; the system's does not. */
START_TEST(test_ends)
{
	static const struct {
		char *state;
		bool teaches;
	} cases[] = {
		{NULL, true},	      {"", true},
		{"COMPLETED", true},  {"TIMEOUT", true},
		{"FAILED", true},     {"OUT_OF_MEMORY", true},
		{"CANCELLED", true},  {"DEADLINE", true},
		{"NODE_FAIL", false}, {"BOOT_FAIL", false},
		{"PREEMPTED", false}, {"REVOKED", false},
		{"REQUEUED", false},  {"RUNNING", false},
		{"SUSPENDED", false},
	};

	each(c, cases)
	{
		struct slu_predictor *p = new_predictor(64, 0.9, 0);
		struct slu_job job = make_job(1, "a", 1, 10, 100);

		job.state = c->state;
		slu_learn(p, &job);
		expect(ask(p, 1, "a", 1, 10).jobs == c->teaches, "%s",
		       c->state ? c->state : "(none)");
		slu_predictor_free(p);
	}
}
END_TEST

/* Ten minutes of work, five hours suspended. */
START_TEST(test_suspended)
{
	struct slu_predictor *p = new_predictor(64, 0.9, 0);
	struct slu_job job = make_job(1, "a", 1, 60, 600 + 18000);

	job.suspended = 18000;
	for (int i = 0; i < 20; i++)
		slu_learn(p, &job);
	ck_assert_int_eq(ask(p, 1, "a", 1, 60).seconds, 600);
	ck_assert_int_le(ask(p, 1, "a", 1, 60).careful, 1200);
	job.suspended = 18600; /* never ran */
	slu_learn(p, &job);
	job.suspended = 20000; /* a database's */
	slu_learn(p, &job);
	ck_assert_int_eq(slu_job_ran(&job), 0);
	job.suspended = 0;
	job.prepared = 18600; /* given up while it was staged in */
	slu_learn(p, &job);
	ck_assert_uint_eq(ask(p, 1, "a", 1, 60).jobs, 20);
	slu_predictor_free(p);
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		size_t classes;
		double quantile;
		int64_t floor;
	} cases[] = {
		{10, 0.5, 0},	    {10, 1, 0},		{10, 0.9, -1},
		{10, 0.0 / 0.0, 0}, {SIZE_MAX, 0.9, 0},
	};
	struct slu_err err;

	each(c, cases)
	{
		ck_assert_ptr_null(slu_predictor_new(c->classes, c->quantile,
						     c->floor, &err));
		expect(err.kind == SLU_INVALID, "case %td", c - cases);
	}
}
END_TEST

/* What ended after the submission is not known to the submission. */
START_TEST(test_no_future)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_job job = make_job(1, "a", 2, 60, 100);
	struct slu_prediction got;

	slu_learn(p, &job);
	job.end = 2000;
	slu_learn(p, &job);
	job.submit = 1500;
	slu_predict(p, &job, &got);
	ck_assert_int_eq(got.seconds, 100);
	job.submit = 1099;
	slu_predict(p, &job, &got);
	ck_assert_str_eq(got.from, "shares");
	slu_predictor_free(p);
}
END_TEST

START_TEST(test_careful)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 500);

	for (int i = 0; i < 30; i++)
		teach(p, 1, "a", 2, 60, 100 + i % 3);
	ck_assert_int_eq(ask(p, 1, "a", 2, 60).careful, 500); /* floor */
	ck_assert_int_eq(ask(p, 1, "a", 2, 5).careful, 300);  /* asked */
	for (int i = 0; i < 300; i++)
		teach(p, 2, "a", 2, 600, i % 2 ? 100 : 20000);
	ck_assert_int_ge(ask(p, 2, "a", 2, 600).careful, 19990);
	slu_predictor_free(p);
}
END_TEST

/* Runs beyond their requests are expected again, in proportion; but a limit is
 * never longer than the request, and what ran within a longer request is
 * expected to end with a shorter one. */
START_TEST(test_runs_beyond_their_request)
{
	static const struct {
		int64_t run;	  /* s, of an hour's request */
		uint32_t minutes; /* asked for now */
		int64_t seconds;
	} cases[] = {
		{7200, 60, 7200}, {3640, 60, 3640}, {7200, 120, 7200},
		{7200, 30, 3640}, {3600, 60, 3600}, {3540, 60, 3540},
		{3540, 30, 1800}, {3600, 30, 1800}, {7200, 0, 7200},
	};

	each(c, cases)
	{
		struct slu_predictor *p = new_predictor(1000, 0.9, 0);
		struct slu_prediction got;

		for (int i = 0; i < 50; i++)
			teach(p, 1, "a", 2, 60, c->run);
		got = ask(p, 1, "a", 2, c->minutes);
		expect(llabs(got.seconds - c->seconds) <= c->seconds / 50,
		       "case %td: %ld", c - cases, got.seconds);
		expect(!c->minutes || got.careful <= c->minutes * 60,
		       "case %td: %ld", c - cases, got.careful);
		slu_predictor_free(p);
	}
}
END_TEST

/* A program that changes: after some runs the new run time is the answer. */
START_TEST(test_changed_program)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);

	for (int i = 0; i < 50; i++)
		teach(p, 1, "a", 2, 600, 1000);
	ck_assert_int_eq(ask(p, 1, "a", 2, 600).seconds, 1000);
	for (int i = 0; i < 6; i++)
		teach(p, 1, "a", 2, 600, 9000);
	ck_assert_int_ge(ask(p, 1, "a", 2, 600).seconds, 8998);
	slu_predictor_free(p);
}
END_TEST

/* While a job runs its quantiles grow, and are never below what has passed. */
START_TEST(test_elapsed)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_job job = make_job(1, "a", 2, 0, 0);
	struct slu_outlook o;
	double last = 0;
	float weights = 0;

	for (int i = 0; i < 50; i++)
		teach(p, 1, "a", 2, 0, i % 2 ? 100 : 1000);
	slu_predict_outlook(p, &job, &o);
	for (int l = 0; l < SLU_EVIDENCE; l++)
		weights += o.class[l].weight;
	ck_assert_float_eq_tol(weights, 1, 1e-4);
	ck_assert_str_eq(o.class[0].name, "class");
	ck_assert_uint_eq(o.class[0].jobs, 0); /* other partition */
	ck_assert_uint_eq(o.class[1].jobs, 50);
	for (double t = 0; t < 5000; t = t * 1.3 + 10) {
		double q = slu_predict_quantile(p, &o, 0.5, t);

		expect(q >= t && q >= last, "%g: %g after %g", t, q, last);
		last = q;
	}
	ck_assert_double_ge(slu_predict_quantile(p, &o, 0.5, 150), 900);
	slu_predictor_free(p);
}
END_TEST

/* Ten times more classes than there is room for: the latest are known, the
 * earliest are not, and one that is taught now and then stays. */
START_TEST(test_aging)
{
	struct slu_predictor *p = new_predictor(1 << 15, 0.9, 0);
	uint32_t known = 0;

	for (uint32_t uid = 1; uid <= 40960; uid++) {
		struct slu_job job = make_job(uid, "j", 1, 10, uid % 500 + 1);

		job.start += uid * 60;
		job.end += uid * 60;
		slu_learn(p, &job);
		job.uid = 0;
		if (uid % 100 == 0)
			slu_learn(p, &job);
	}
	for (uint32_t uid = 40960; uid > 40960 - 500; uid--)
		known += strcmp(ask(p, uid, "j", 1, 10).from, "size") == 0;
	ck_assert_uint_gt(known, 490);
	for (uint32_t uid = 1; uid <= 20000; uid++)
		ck_assert_str_eq(ask(p, uid, "j", 1, 10).from, "shares");
	ck_assert_str_eq(ask(p, 0, "j", 1, 10).from, "size");
	slu_predictor_free(p);
}
END_TEST

/* One writer, two readers: whatever they see is what one kind of job took, from
 * the very first lesson on. */
struct shared {
	struct slu_predictor *p;
	_Atomic bool stop;
};

enum { USERS = 3 };

static void *read_all(void *arg)
{
	struct shared *s = arg;
	uintptr_t wrong = 0;

	while (!atomic_load(&s->stop))
		for (uint32_t uid = 0; uid < USERS; uid++) {
			struct slu_prediction g =
				ask(s->p, uid, "j", uid + 1, uid + 10);
			int64_t run = (int64_t)uid * 100 + 100;

			if (strcmp(g.from, "asked") == 0)
				run = (uid + 10) * 60;
			wrong += strcmp(g.from, "shares") != 0 &&
				 llabs(g.seconds - run) > 1;
			wrong += g.careful < g.seconds;
		}
	return (void *)wrong;
}

static void teach_readers(uint32_t samples)
{
	struct shared s = {.p = new_predictor(1 << 10, 0.96875, 0)};
	pthread_t reader[2];
	void *wrong;

	for (int i = 0; i < 2; i++)
		pthread_create(&reader[i], NULL, read_all, &s);
	for (uint32_t i = 0; i < samples; i++)
		teach(s.p, i % 2, "j", i % 2 + 1, i % 2 + 10,
		      i % 2 * 100 + 100);
	atomic_store(&s.stop, true);
	for (int i = 0; i < 2; i++) {
		pthread_join(reader[i], &wrong);
		ck_assert_ptr_null(wrong);
	}
	slu_predictor_free(s.p);
}

START_TEST(test_threads)
{
	for (int i = 0; i < 200; i++)
		teach_readers(60);
	teach_readers(60000);
}
END_TEST

TEST_MAIN("predict", test_levels, test_early_and_careful_answers,
	  test_strangers, test_shares, test_ignored, test_ends, test_suspended,
	  test_refused, test_no_future, test_careful,
	  test_runs_beyond_their_request, test_changed_program, test_elapsed,
	  test_aging, test_threads)
