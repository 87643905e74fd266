/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include "job_submit/predict.h"

static struct slu_predictor *new_predictor(size_t classes, double quantile,
					   int64_t floor)
{
	struct slu_err err;
	struct slu_predictor *p =
		slu_predictor_new(classes, quantile, floor, &err);

	ck_assert_msg(p != NULL, "%s", err.text);
	return p;
}

static struct slu_job make_job(uint32_t uid, char *name, uint32_t nodes,
			       uint32_t minutes, int64_t run)
{
	return (struct slu_job){
		.uid = uid,
		.name = name,
		.node_cnt = nodes,
		.limit_asked = minutes,
		.start = 1000,
		.end = 1000 + run,
	};
}

static struct slu_prediction ask(const struct slu_predictor *p, uint32_t uid,
				 char *name, uint32_t nodes, uint32_t minutes)
{
	struct slu_job job = make_job(uid, name, nodes, minutes, 0);
	struct slu_prediction out;

	slu_predict(p, &job, &out);
	return out;
}

static void teach(struct slu_predictor *p, uint32_t uid, char *name,
		  uint32_t nodes, uint32_t minutes, int64_t run)
{
	struct slu_job job = make_job(uid, name, nodes, minutes, run);

	slu_learn(p, &job);
}

START_TEST(test_rules)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	static const struct {
		uint32_t uid;
		char *name;
		uint32_t nodes, minutes;
		int64_t seconds;
		const char *from;
		uint32_t jobs;
	} cases[] = {
		{1, "a", 4, 60, 120, "class", 2},
		{1, "a", 8, 60, 300, "class", 1},
		{1, "a", 2, 60, 300, "request", 3}, /* other nodes */
		{1, "b", 4, 60, 300, "request", 3}, /* other name */
		{1, "a", 4, 30, 188, "user", 4},    /* other request */
		{1, NULL, 1, 0, 77, "class", 1},
		{1, "", 1, 0, 77, "class", 1},
		{1, "x", 1, 0, 77, "request", 1},
		{1, "a", 4, 1, 60, "user", 4}, /* no longer than asked */
		{2, "a", 4, 60, 3600, "asked", 0},
		{2, "a", 4, 0, 0, "none", 0},
	};

	teach(p, 1, "a", 4, 60, 100);
	teach(p, 1, "a", 4, 60, 120);
	teach(p, 1, NULL, 1, 0, 77);
	teach(p, 1, "a", 8, 60, 300);
	each(c, cases)
	{
		struct slu_prediction got =
			ask(p, c->uid, c->name, c->nodes, c->minutes);
		bool known = got.jobs > 0;

		expect(got.seconds == c->seconds, "case %td: %ld", c - cases,
		       got.seconds);
		expect(strcmp(got.from, c->from) == 0, "case %td: %s",
		       c - cases, got.from);
		expect(got.jobs == c->jobs, "case %td: %u", c - cases,
		       got.jobs);
		expect(known ? got.careful >= got.seconds
			     : got.careful == got.seconds,
		       "case %td: %ld", c - cases, got.careful);
	}
	slu_predictor_free(p);
}
END_TEST

/* `careful` by the rule of the header, worked out by hand. */
START_TEST(test_careful)
{
	static const struct {
		int64_t run[12]; /* 0 ends them */
		double quantile;
		int64_t floor;
		uint32_t minutes;
		int64_t careful;
	} cases[] = {
		{{100}, 0.75, 0, 0, 200},	   /* i = 2 > 1: / (1/4 * 2) */
		{{100, 100}, 0.75, 60, 0, 133},	   /* i = 3 > 2: / (1/4 * 3) */
		{{100, 100}, 0.75, 500, 0, 500},   /* the floor */
		{{100}, 0.9, 1000, 5, 300},	   /* the request */
		{{400}, 0.9, 0, 5, 300},	   /* it ran into its limit */
		{{40, 10, 20, 30}, 0.6, 0, 0, 30}, /* i = 3 */
		{{10, 20, 30, 5}, 0.6, 0, 0, 20},  /* sorted */
		{{10, 20, 30, 400}, 0.6, 0, 0, 400}, /* not below prediction */
		{{11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
		 0.9,
		 0,
		 0,
		 10}, /* 11 is gone */
		{{11, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 0.95, 0, 0, 20},
		{{1 << 30}, 1 - 0x1p-53, 0, 0, UINT32_MAX},
	};

	each(c, cases)
	{
		struct slu_predictor *p =
			new_predictor(64, c->quantile, c->floor);

		for (int i = 0; c->run[i]; i++)
			teach(p, 7, "j", 1, c->minutes, c->run[i]);
		expect(ask(p, 7, "j", 1, c->minutes).careful == c->careful,
		       "case %td: %ld", c - cases,
		       ask(p, 7, "j", 1, c->minutes).careful);
		slu_predictor_free(p);
	}
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

START_TEST(test_refused)
{
	static const struct {
		size_t classes;
		double quantile;
		int64_t floor;
		enum slu_kind kind;
	} cases[] = {
		{10, 0.5, 0, SLU_INVALID},
		{10, 1, 0, SLU_INVALID},
		{10, 0.9, -1, SLU_INVALID},
		{10, 0.0 / 0.0, 0, SLU_INVALID},
		{SIZE_MAX, 0.9, 0, SLU_INVALID},
	};
	struct slu_err err;

	each(c, cases)
	{
		ck_assert_ptr_null(slu_predictor_new(c->classes, c->quantile,
						     c->floor, &err));
		expect(err.kind == c->kind, "case %td", c - cases);
	}
}
END_TEST

/* Ten times more classes than there is room for: the latest are known, the
 * earliest are not, and one that is taught now and then stays. */
START_TEST(test_aging)
{
	struct slu_predictor *p = new_predictor(4096, 0.9, 0);
	uint32_t known = 0;

	for (uint32_t uid = 1; uid <= 40960; uid++) {
		teach(p, uid, "j", 1, 10, uid % 500 + 1);
		if (uid % 100 == 0)
			teach(p, 0, "root", 1, 10, 42);
	}
	for (uint32_t uid = 40960; uid > 40960 - 500; uid--)
		known += ask(p, uid, "j", 1, 10).seconds == uid % 500 + 1;
	ck_assert_uint_gt(known, 490);
	for (uint32_t uid = 1; uid <= 20000; uid++)
		ck_assert_str_eq(ask(p, uid, "j", 1, 0).from, "none");
	ck_assert_str_eq(ask(p, 0, "root", 1, 10).from, "class");
	slu_predictor_free(p);
}
END_TEST

/* The rules again, by searching the whole past. */
static struct slu_prediction oracle(const struct slu_job *past, size_t n,
				    const struct slu_job *job)
{
	struct slu_prediction class = {.from = "class"};
	struct slu_prediction request = {.from = "request"};
	struct slu_prediction user = {.from = "user"};
	int64_t asked = (int64_t)job->limit_asked * 60, before = 0;
	struct slu_prediction out = {.from = asked ? "asked" : "none",
				     .seconds = asked};

	for (size_t i = 0; i < n; i++) {
		int64_t run = past[i].end - past[i].start;

		if (past[i].uid != job->uid)
			continue;
		user.seconds = user.jobs++ ? (before + run) / 2 : run;
		before = run;
		if (past[i].limit_asked != job->limit_asked)
			continue;
		request.seconds = run;
		request.jobs++;
		if (past[i].node_cnt != job->node_cnt ||
		    strcmp(past[i].name, job->name) != 0)
			continue;
		class.seconds = run;
		class.jobs++;
	}
	if (class.jobs)
		out = class;
	else if (request.jobs)
		out = request;
	else if (user.jobs)
		out = user;
	if (asked && out.seconds > asked)
		out.seconds = asked;
	return out;
}

/* Submissions and ends of 3,000 jobs, only ended ones being known. */
START_TEST(test_prequential)
{
	static char *names[] = {"cfd", "md", "post"};
	enum { JOBS = 3000 };
	static struct slu_job past[JOBS];
	struct slu_predictor *p = new_predictor(1 << 16, 0.9, 60);
	uint64_t seed = 5;

	for (size_t i = 0; i < JOBS; i++) {
		struct slu_job *job = &past[i];
		size_t ended = i - slu_random(&seed, i < 20 ? i + 1 : 20);
		static size_t taught;
		struct slu_prediction got, want;

		*job = make_job((uint32_t)slu_random(&seed, 40),
				names[slu_random(&seed, 3)],
				1u << slu_random(&seed, 4),
				(uint32_t)slu_random(&seed, 3) * 10,
				1 + (int64_t)slu_random(&seed, 900));
		for (; taught < ended; taught++)
			slu_learn(p, &past[taught]);
		want = oracle(past, taught, job);
		slu_predict(p, job, &got);
		expect(got.seconds == want.seconds && got.jobs == want.jobs &&
			       strcmp(got.from, want.from) == 0,
		       "job %zu: %ld of %u by %s, not %ld of %u by %s", i,
		       got.seconds, got.jobs, got.from, want.seconds, want.jobs,
		       want.from);
	}
	slu_predictor_free(p);
}
END_TEST

/*
 * One writer, two readers. Job number n of a user runs n seconds, so that a
 * torn copy shows: prediction, number of jobs and `careful` belong together.
 */
struct shared {
	struct slu_predictor *p;
	_Atomic bool stop;
};

enum { USERS = 3, ROUNDS = 60000 };

static bool belongs_together(const struct slu_prediction *g)
{
	int64_t n = g->jobs, k = n < 10 ? n : 10;

	if (n == 0)
		return strcmp(g->from, "none") == 0 && g->careful == 0;
	if (strcmp(g->from, "user") == 0)
		return g->seconds == (n < 2 ? n : (2 * n - 1) / 2);
	return g->seconds == n &&
	       g->careful == llround((double)n / (0.03125 * (double)(k + 1)));
}

static void *read_all(void *arg)
{
	struct shared *s = arg;
	uintptr_t wrong = 0;
	uint32_t last[USERS] = {0};

	while (!atomic_load(&s->stop))
		for (uint32_t uid = 0; uid < USERS; uid++) {
			struct slu_prediction g = ask(s->p, uid, "j", 1, 0);

			wrong += !belongs_together(&g) ||
				 (g.jobs && g.jobs < last[uid]);
			last[uid] = g.jobs ? g.jobs : last[uid];
		}
	return (void *)wrong;
}

START_TEST(test_threads)
{
	struct shared s = {.p = new_predictor(8, 0.96875, 0)};
	pthread_t reader[2];
	void *wrong;

	for (int i = 0; i < 2; i++)
		pthread_create(&reader[i], NULL, read_all, &s);
	for (int64_t run = 1; run <= ROUNDS; run++)
		teach(s.p, (uint32_t)(run % 2), "j", 1, 0, (run + 1) / 2);
	atomic_store(&s.stop, true);
	for (int i = 0; i < 2; i++) {
		pthread_join(reader[i], &wrong);
		ck_assert_ptr_null(wrong);
	}
	slu_predictor_free(s.p);
}
END_TEST

TEST_MAIN("predict", test_rules, test_careful, test_ignored, test_refused,
	  test_aging, test_prequential, test_threads)
