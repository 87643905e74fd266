/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the predictor's expert that copies from a user's last runs: how much
 * each run counts (attention), what is learned after a job, and readers in
 * other threads.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include "tests/unit/job_submit/predictor_fixture.h"
#include "tests/unit/random.h"
#include "job_submit/predictor/attention.h"
#include "job_submit/predictor/mixture.h"

#define N	  SLU_MIX_ATTENDED
#define SAME_SLOT 16384 /* between the numbers of users who share a ring */
#define LOGITS	  (SLU_MIX_ATTENTION_TABLES * SLU_MIX_ATTENTION_ROWS)

static const uint16_t *listed(const struct slu_mixture *mix)
{
	return &mix->inputs.at[SLU_MIX_LAGGED + SLU_MIX_SHARE_BINS];
}

static const float *believed(const struct slu_mixture *mix)
{
	return &mix->inputs.conditional[SLU_MIX_SHARE_BINS];
}

static void check_weights(const struct slu_mixture *mix)
{
	unsigned n = mix->inputs.n[SLU_EXPERT_ATTENTION];
	float sum = 0;

	ck_assert_uint_le(n, N);
	for (unsigned k = 0; k < N; k++) {
		float w = believed(mix)[k];

		expect(k < n ? w >= 0 : w == 0, "%u of %u", k, n);
		sum += w;
	}
	expect(fabsf(sum - (n > 0)) < 1e-5f, "%u: %g", n, (double)sum);
}

/* The latest first, and not more than there are places. */
START_TEST(test_latest_runs_first)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_job job = make_job(1, "a", 2, 600, 0);
	struct slu_mixture mix;

	for (unsigned i = 0; i < 2 * N + 5; i++) {
		unsigned n = i < N ? i : N;

		slu_mixture_read(p, &job, &mix);
		ck_assert_uint_eq(mix.inputs.n[SLU_EXPERT_ATTENTION], n);
		for (unsigned k = 0; k < n; k++)
			expect(listed(&mix)[k] ==
				       slu_logtime(1000 + 10 * (i - 1 - k)),
			       "%u of %u", k, i);
		check_weights(&mix);
		teach(p, 1, "a", 2, 600, 1000 + 10 * i);
	}
	slu_predictor_free(p);
}
END_TEST

/* Runs are listed as shares of the request; where either job has none, as they
 * are. */
START_TEST(test_as_shares)
{
	static const struct {
		int64_t run;
		uint32_t its, minutes;
		int64_t listed;
	} cases[] = {
		{600, 60, 120, 1200},	  {600, 60, 60, 600},
		{6000, 600, 300, 3000},	  {36000, 600, 1200, 72000},
		{7200, 60, 120, 14400},	  {600, 60, 0, 600},
		{600, 0, 120, 600},	  {600, 0, 0, 600},
		{6000, 600, 6000, 60000}, {6000, 6000, 3000, 3000},
		{40, 1440, 1, 0},
	};

	each(c, cases)
	{
		struct slu_predictor *p = new_predictor(1000, 0.9, 0);
		struct slu_job job = make_job(1, "a", 2, c->minutes, 0);
		struct slu_mixture mix;
		double is;

		teach(p, 1, "b", 3, c->its, c->run);
		slu_mixture_read(p, &job, &mix);
		ck_assert_uint_eq(mix.inputs.n[SLU_EXPERT_ATTENTION], 1);
		is = slu_logtime_seconds(listed(&mix)[0]);
		expect(fabs(is - (double)c->listed) <= 0.05 * (double)c->listed,
		       "case %td: %g", c - cases, is);
		check_weights(&mix);
		slu_predictor_free(p);
	}
}
END_TEST

/* Of few names, requests and run times, and in no order; the earliest ones are
 * the same for the same seed. */
static struct slu_ring random_ring(unsigned n, uint64_t *seed)
{
	struct slu_ring r = {.uid = 1, .n = n};

	for (unsigned k = n; k-- > 0;) {
		r.end[k] = 1000 + (uint32_t)slu_random(seed, 900);
		r.run[k] = (uint16_t)(10000 + 300 * slu_random(seed, 12));
		r.asked[k] = (uint16_t)(12000 + 1000 * slu_random(seed, 3));
		r.name[k] = (uint16_t)slu_random(seed, 3);
		r.nodes[k] = (uint16_t)slu_random(seed, 3);
	}
	return r;
}

/* A job of this user asks. */
static void look(const struct slu_predictor *p, const struct slu_ring *r,
		 uint16_t asked, struct slu_mixture *mix)
{
	struct slu_job job = {.uid = 1, .submit = 2000, .node_cnt = 1};

	*mix = (struct slu_mixture){.ring = *r};
	mix->inputs.at[SLU_EXPERT_REQUEST * SLU_MIX_LAGS] = asked;
	slu_attention_inputs(&job, mix);
	slu_attention_weigh(p, &mix->inputs);
	check_weights(mix);
}

/* A job that others of its user overtook is told what it would have been told
 * if what had not ended, and what was learnt after that, had never been. */
START_TEST(test_overtaken)
{
	static const struct {
		unsigned n, late[2]; /* of these, the latest is 0; N: none */
		uint32_t end;
		unsigned known;
	} cases[] = {
		{5, {N, N}, 0, 5},     {5, {0, N}, 2001, 4},
		{5, {0, N}, 2000, 5},  {5, {2, N}, 2001, 2},
		{5, {2, N}, 2000, 5},  {5, {0, 2}, 2001, 2},
		{5, {4, N}, 9000, 0},  {1, {0, N}, 9000, 0},
		{N, {0, N}, 9000, 47}, {N, {11, 18}, 9000, 29},
		{N, {46, N}, 9000, 1}, {N, {3, 47}, 9000, 0},
	};
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);

	each(c, cases)
	{
		uint64_t seed = 1, same = 1;
		struct slu_ring r = random_ring(c->n, &seed);
		struct slu_ring known = random_ring(c->known, &same);
		struct slu_mixture mix, w;

		for (int i = 0; i < 2; i++)
			if (c->late[i] < N)
				r.end[c->late[i]] = c->end;
		look(p, &r, 13000, &mix);
		look(p, &known, 13000, &w);
		expect(mix.inputs.n[SLU_EXPERT_ATTENTION] == c->known,
		       "case %td", c - cases);
		for (unsigned k = 0; k < c->known; k++)
			expect(listed(&mix)[k] == listed(&w)[k] &&
				       believed(&mix)[k] == believed(&w)[k],
			       "case %td: %u", c - cases, k);
	}
	slu_predictor_free(p);
}
END_TEST

START_TEST(test_learnt_late)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);

	for (int i = 0; i < 5; i++)
		teach(p, 1, "a", 2, 60, i == 3 ? 1500 : 100 + i);
	for (int on_time = 0; on_time < 2; on_time++) {
		struct slu_job job = make_job(1, "a", 2, 60, 0);
		struct slu_mixture mix;

		job.submit = 2499 + on_time;
		slu_mixture_read(p, &job, &mix);
		ck_assert_uint_eq(mix.inputs.n[SLU_EXPERT_ATTENTION],
				  on_time ? 5 : 3);
	}
	slu_predictor_free(p);
}
END_TEST

/* Users of one slot: each begins anew after another's job, and sees nothing of
 * it. Number 0 is a user like any other, though memory begins as his. */
static void check_ring(const struct slu_predictor *p, uint32_t uid, int64_t run,
		       unsigned jobs)
{
	struct slu_job job = make_job(uid, "a", 2, 60, 0);
	struct slu_mixture mix;

	slu_mixture_read(p, &job, &mix);
	expect(mix.inputs.n[SLU_EXPERT_ATTENTION] == jobs, "%u: not %u", uid,
	       jobs);
	for (unsigned k = 0; k < jobs; k++)
		ck_assert_uint_eq(listed(&mix)[k], slu_logtime((double)run));
	check_weights(&mix);
}

START_TEST(test_neighbours)
{
	static const uint32_t first[] = {0, 1, SAME_SLOT - 1, UINT32_MAX / 2};
	static const unsigned turn[] = {0, 0, 0, 1, 0, 2, 2, 1, 1, 1, 0};

	each(f, first)
	{
		struct slu_predictor *p = new_predictor(1000, 0.9, 0);
		unsigned own[3] = {0};

		each(t, turn)
		{
			for (unsigned u = 0; u < 3; u++) {
				check_ring(p, *f + u * SAME_SLOT, 100 + 100 * u,
					   own[u]);
				own[u] = u == *t ? own[u] + 1 : 0;
			}
			teach(p, *f + *t * SAME_SLOT, "a", 2, 60,
			      100 + 100 * *t);
		}
		slu_predictor_free(p);
	}
}
END_TEST

/* One lesson of random densities: each logit moves by `rate` times the slope of
 * the logarithm of what is predicted. 0: by some rate, which is found out. */
static double check_lesson(struct slu_predictor *p,
			   const struct slu_mixture *mix, float worth,
			   double rate, uint64_t *seed)
{
	slu_shared *logit = &p->attention[0][0];
	float was[LOGITS], density[N], slope[LOGITS] = {0}, likelihood = 0;

	for (int k = 0; k < N; k++) {
		density[k] = exp2f(-(float)slu_random(seed, 10));
		likelihood += believed(mix)[k] * density[k];
	}
	for (int k = 0; k < mix->inputs.n[SLU_EXPERT_ATTENTION]; k++)
		for (int t = 0; t < SLU_MIX_ATTENTION_TABLES; t++)
			slope[t * SLU_MIX_ATTENTION_ROWS +
			      mix->inputs.attention_row[t][k]] +=
				believed(mix)[k] *
				(density[k] / likelihood - 1);
	for (int i = 0; i < LOGITS; i++)
		was[i] = slu_get(&logit[i]);
	slu_attention_learn(p, &mix->inputs, density, 0, worth); /* nothing */
	slu_attention_learn(p, &mix->inputs, density, likelihood, worth);
	for (int i = 0; i < LOGITS; i++) {
		double by = (double)((slu_get(&logit[i]) - was[i]) / worth);

		if (rate == 0 && fabsf(slope[i]) > 0.01f)
			rate = by / (double)slope[i];
		expect(fabs(by - rate * (double)slope[i]) < 1e-5, "%d: %g, %g",
		       i, by, (double)slope[i]);
	}
	return rate;
}

START_TEST(test_gradient)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	uint64_t seed = 3;
	double rate = 0;

	for (unsigned i = 0; i < 200; i++) {
		struct slu_ring r = random_ring(i % (N + 1), &seed);
		struct slu_mixture mix;

		look(p, &r, 13000, &mix);
		rate = check_lesson(p, &mix, i % 2 ? 1 : 0.5f, rate, &seed);
	}
	expect(rate > 0.001 && rate < 0.5, "%g", rate);
	slu_predictor_free(p);
}
END_TEST

/* Another run in one place of a ring of which all were alike: does that tell
 * place 40 from another one of its age? */
enum { HERE = 40, OTHER = 35, FULL = 30000 /* the request, as `at` */ };

static struct slu_ring plain_ring(unsigned n)
{
	struct slu_ring r = {.uid = 1, .n = n};

	for (unsigned k = 0; k < N; k++) {
		r.run[k] = (uint16_t)(28500 + 300 * (k % 5)); /* in one row */
		r.asked[k] = FULL;
	}
	r.run[0] = 20000;
	r.run[1] = 24000;
	return r;
}

/* The weight here over that of the other one. */
static float odds(const struct slu_predictor *p, const struct slu_ring *r,
		  uint16_t asked)
{
	struct slu_mixture mix;

	look(p, r, asked, &mix);
	return believed(&mix)[HERE] / believed(&mix)[OTHER];
}

START_TEST(test_told_apart)
{
	static const struct {
		const char *what;
		unsigned k;
		uint16_t run, asked, name, nodes, wants;
		bool told;
	} cases[] = {
		{"a little longer", 40, 28520, FULL, 0, 0, FULL, false},
		{"shorter", 40, 26000, FULL, 0, 0, FULL, true},
		{"all of its request", 40, 29985, FULL, 0, 0, FULL, true},
		{"asked for more", 40, 28500, FULL + 9, 0, 0, FULL, true},
		{"asked for far more", 40, 28500, FULL + 1500, 0, 0, FULL - 700,
		 true},
		{"name", 40, 28500, FULL, 1, 0, FULL, true},
		{"nodes", 40, 28500, FULL, 0, 1, FULL, true},
		{"like the next", 39, 28510, FULL, 0, 0, FULL, true},
		{"like the one before", 41, 28510, FULL, 0, 0, FULL, true},
		{"after one like the last", 41, 20010, FULL, 0, 0, FULL, true},
		{"after two like the last", 42, 24010, FULL, 0, 0, FULL, true},
		{"farther before", 43, 20010, FULL, 0, 0, FULL, false},
		{"farther after", 38, 20010, FULL, 0, 0, FULL, false},
	};
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_ring r = plain_ring(N);
	struct slu_mixture mix;
	uint64_t seed = 4;

	r.name[0] = 1;
	look(p, &r, FULL, &mix); /* before any lesson, by name and age */
	ck_assert_float_lt(believed(&mix)[0], believed(&mix)[1]);
	for (unsigned k = 1; k + 1 < N; k++)
		expect(believed(&mix)[k] >= believed(&mix)[k + 1], "%u", k);
	ck_assert_float_gt(believed(&mix)[1], 3 * believed(&mix)[N - 1]);

	for (int i = 0; i < LOGITS; i++)
		slu_set(&p->attention[0][0] + i,
			(float)slu_random(&seed, 1000) / 250);
	for (unsigned n = HERE + 1; n <= N; n++)
		each(c, cases)
		{
			r = plain_ring(n);
			ck_assert_float_eq_tol(odds(p, &r, c->wants), 1, 1e-5f);
			r.run[c->k] = c->run;
			r.asked[c->k] = c->asked;
			r.name[c->k] = c->name;
			r.nodes[c->k] = c->nodes;
			expect((fabsf(odds(p, &r, c->wants) - 1) > 1e-3f) ==
				       (c->told && c->k < n),
			       "%s, of %u", c->what, n);
		}
	slu_predictor_free(p);
}
END_TEST

/* Two programs of a user alternate at random. Each is told its own time; and
 * its own share of a request, with nodes and a request that are new, where no
 * class has seen but run times of other requests, if they differed. Here even
 * that names matter has to be learnt. */
START_TEST(test_content)
{
	static const double usual[] = {0.1, 0.5};
	static char *const name[] = {"a", "b"};
	static const struct {
		bool differ;
		uint32_t nodes, minutes;
	} cases[] = {
		{false, 4, 1000}, {true, 77, 7001}, {true, 78, 9973},
		{true, 2, 12000}, {true, 500, 501},
	};

	each(c, cases)
	{
		struct slu_predictor *p = new_predictor(100000, 0.9, 0);
		uint64_t seed = 7;

		for (int i = 0; i < LOGITS; i++)
			slu_set(&p->attention[0][0] + i, 0);
		for (int i = 0; i < 1000; i++) {
			unsigned kind = (unsigned)slu_random(&seed, 2);
			uint32_t more = (uint32_t)slu_random(&seed, 6000);
			uint32_t minutes = c->differ ? 600 + more : 1000;

			teach(p, 1, name[kind], c->differ ? more % 9 : 4,
			      minutes, llround(minutes * 60 * usual[kind]));
		}
		for (unsigned kind = 0; kind < 2; kind++) {
			double want = c->minutes * 60 * usual[kind];
			struct slu_prediction got =
				ask(p, 1, name[kind], c->nodes, c->minutes);

			expect(fabs((double)got.seconds / want - 1) < 0.03,
			       "case %td: %ld", c - cases, got.seconds);
		}
		slu_predictor_free(p);
	}
}
END_TEST

/* One writer, two readers: each ring is one user's and as it was at some time.
 * All of a lesson follows from its number, and the users take turns. */
enum { LESSONS = 20000, MORE = 600000, TURN = 64, BEGIN = 100000 };

static struct slu_job numbered(uint32_t i)
{
	struct slu_job job =
		make_job(5 + i / TURN % 2 * SAME_SLOT, i % 2 ? "a" : "b",
			 i % 60000, 10 + i % 997, 0);

	job.end = BEGIN + i;
	job.start = job.end - 60 - i % 1009;
	return job;
}

static bool whole(const struct slu_ring *r)
{
	for (uint32_t k = 0; k < r->n; k++) {
		uint32_t i = r->end[0] - BEGIN - k;
		struct slu_job of = numbered(i);

		if (r->end[k] != BEGIN + i || r->uid != of.uid ||
		    r->nodes[k] != (uint16_t)of.node_cnt ||
		    r->run[k] != slu_logtime((double)(of.end - of.start)) ||
		    r->asked[k] != slu_logtime(of.limit_asked * 60.0) ||
		    r->name[k] != r->name[k % 2])
			return false;
	}
	return r->n <= N;
}

struct shared {
	struct slu_predictor *p;
	_Atomic bool stop;
};

static void *read_rings(void *arg)
{
	struct shared *s = arg;
	uintptr_t wrong = 0;
	bool stop;

	do {
		stop = atomic_load(&s->stop);
		for (uint32_t of = 0; of < 2; of++) {
			struct slu_job job =
				make_job(5 + of * SAME_SLOT, "a", 1, 60, 0);
			struct slu_mixture mix;

			slu_mixture_read(s->p, &job, &mix);
			wrong += mix.ring.uid != job.uid || !whole(&mix.ring);
		}
	} while (!stop);
	return (void *)wrong;
}

/* The writer is in the ring half of the time, and put to sleep in there. */
static void write_rings(struct slu_predictor *p)
{
	struct slu_mixture mix[2 * TURN];

	for (uint32_t i = LESSONS; i < LESSONS + MORE; i++) {
		struct slu_job job = numbered(i);
		struct slu_mixture *of = &mix[i % (2 * TURN)];
		double run = (double)(job.end - job.start);

		if (i < LESSONS + 2 * TURN)
			slu_mixture_read(p, &job, of);
		slu_attention_read(p, job.uid, of);
		slu_attention_remember(p, of, &job, slu_logtime(run));
	}
}

START_TEST(test_threads)
{
	struct shared s = {.p = new_predictor(1000, 0.9, 0)};
	pthread_t reader[2];
	void *wrong;

	for (int i = 0; i < 2; i++)
		pthread_create(&reader[i], NULL, read_rings, &s);
	for (uint32_t i = 0; i < LESSONS; i++) {
		struct slu_job job = numbered(i);

		slu_learn(s.p, &job);
	}
	write_rings(s.p);
	atomic_store(&s.stop, true);
	for (int i = 0; i < 2; i++) {
		pthread_join(reader[i], &wrong);
		ck_assert_ptr_null(wrong);
	}
	slu_predictor_free(s.p);
}
END_TEST

TEST_MAIN("attention", test_latest_runs_first, test_as_shares, test_overtaken,
	  test_learnt_late, test_neighbours, test_gradient, test_told_apart,
	  test_content, test_threads)
