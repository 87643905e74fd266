/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the incremental division of I/O nodes through random histories: after
 * each event it must equal a division computed from the beginning. Also with
 * every allocation failing.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/division/division.h"

#define MAX_JOBS 48
#define CHOICES	 5

/* How often memory is taken (local.mk wraps these; Check takes some too). */
static size_t taken;
static size_t taken_by_put;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

void *__wrap_malloc(size_t n)
{
	taken++;
	return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	taken++;
	return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	taken++;
	return __real_realloc(p, n);
}

struct world {
	uint64_t seed;
	enum slu_ion_policy policy;
	uint32_t pool;
	uint32_t most_jobs;
	bool claims;		  /* some have a table's curve */
	bool fixed, direct, keep; /* what is granted is held from then on */
	struct slu_ion_job job[MAX_JOBS];
	struct slu_curve curve[MAX_JOBS];
	uint32_t choice[MAX_JOBS][CHOICES];
	uint32_t slot[MAX_JOBS], age[MAX_JOBS];
	size_t n;
	uint32_t newest;
	struct slu_ion_division *followed, *anew;
};

static uint32_t pick(struct world *w, uint32_t n)
{
	return (uint32_t)slu_random(&w->seed, n);
}

static void measure(struct world *w, struct slu_curve *c)
{
	*c = (struct slu_curve){0};
	if (pick(w, 4) == 0)
		return; /* unknown */
	for (uint32_t k = 1; k <= 8; k *= 2)
		if (pick(w, 5))
			slu_curve_add(c, k, 1 + pick(w, 200) * k);
	if (w->direct)
		slu_curve_add(c, 0, 1 + pick(w, 100));
}

static void put(struct world *w, size_t i)
{
	size_t before = taken;
	struct slu_err err;
	int rc = slu_ion_division_put(w->followed, &w->slot[i], w->age[i],
				      &w->job[i], &err);

	taken_by_put += taken - before;
	expect_ok(rc, err);
}

static void arrive(struct world *w)
{
	uint32_t nodes = 1u << pick(w, 5);
	size_t i = w->n++;
	struct slu_ion_job *job = &w->job[i];

	*job = (struct slu_ion_job){.nodes = nodes, .tasks = nodes * 4};
	job->choice = w->choice[i];
	job->n = slu_ion_choices(nodes, 8, w->direct, w->choice[i], CHOICES);
	job->usual = slu_ion_usual(nodes, 64, w->pool, w->choice[i], job->n);
	job->curve = &w->curve[i];
	job->fixed = w->fixed;
	job->claimed = w->claims && pick(w, 3) == 0;
	measure(w, &w->curve[i]);
	w->slot[i] = SLU_ION_NEW;
	w->age[i] = ++w->newest;
	put(w, i);
}

/* Jobs are in order of age, so the ones behind move up. */
static void depart(struct world *w, size_t i)
{
	slu_ion_division_drop(w->followed, w->slot[i]);
	w->n--;
	for (; i < w->n; i++) {
		w->job[i] = w->job[i + 1];
		w->curve[i] = w->curve[i + 1];
		memcpy(w->choice[i], w->choice[i + 1], sizeof(w->choice[i]));
		w->job[i].choice = w->choice[i];
		w->job[i].curve = &w->curve[i];
		w->slot[i] = w->slot[i + 1];
		w->age[i] = w->age[i + 1];
	}
}

static uint32_t held(const struct world *w)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < w->n; i++)
		sum += w->job[i].holds && !w->job[i].shares ? w->job[i].held
							    : 0;
	return sum;
}

static void event(struct world *w)
{
	uint32_t pool;

	switch (pick(w, 6)) {
	case 0:
	case 1:
		if (w->n < w->most_jobs)
			arrive(w);
		break;
	case 2:
	case 3:
		if (w->n)
			depart(w, pick(w, (uint32_t)w->n));
		break;
	case 4: /* something was learnt of it */
		if (w->n) {
			size_t i = pick(w, (uint32_t)w->n);

			if (w->fixed && w->job[i].holds)
				break; /* it was the best of what was known */
			measure(w, &w->curve[i]);
			put(w, i);
		}
		break;
	case 5: /* I/O nodes fail or return */
		pool = pick(w, 4) ? 1 + pick(w, 24) : 0;
		if (pool >= held(w))
			w->pool = pool;
	}
}

static void check(struct world *w)
{
	struct slu_ion_grant anew[MAX_JOBS];
	struct slu_ion_proof here, there;
	double total, best, granted = 0;
	uint64_t sum = 0;
	struct slu_err err;
	bool shared = false;
	/* What STATIC has given those who are fixed is not seen from them. */
	bool alike = w->policy != SLU_ION_MCKP || !w->fixed;

	expect_ok(slu_ion_decide(w->anew, w->policy, w->pool, w->job, w->n,
				 anew, &there, &err),
		  err);
	slu_ion_division_rules(w->followed, w->policy, w->pool, false);
	expect_ok(slu_ion_division_solve(w->followed, &here, &err), err);
	for (size_t i = 0; i < w->n; i++) {
		struct slu_ion_grant g =
			slu_ion_division_grant(w->followed, w->slot[i]);
		const struct slu_ion_job *job = &w->job[i];

		granted += g.bandwidth;
		sum += g.ions;
		shared = shared || g.shared;
		if (w->policy != SLU_ION_MCKP || (job->holds && job->fixed))
			expect(g.ions == anew[i].ions &&
				       g.shared == anew[i].shared,
			       "job %u: %u, not %u", w->age[i], g.ions,
			       anew[i].ions);
	}
	/* What is left over for claims differs between equal optima. */
	total = slu_ion_division_total(w->followed, false);
	best = slu_ion_division_total(w->anew, false);
	ck_assert(fabs(total + slu_ion_division_total(w->followed, true) -
		       granted) < 1e-6);
	expect(!alike || fabs(total - best) <= 1e-6 * best, "%f, not %f", total,
	       best);
	if (w->policy == SLU_ION_MCKP)
		expect(total >= slu_ion_division_static_total(w->followed,
							      false) -
					1e-3 * (double)w->n,
		       "%f, STATIC %f", total,
		       slu_ion_division_static_total(w->followed, false));
	expect(sum + (shared && sum < w->pool) <= w->pool, "%ju of %u",
	       (uintmax_t)sum, w->pool);
	ck_assert(here.proved && there.proved);
	ck_assert(here.bound >= total * (1 - 1e-9) || w->pool == 0);
	ck_assert(there.bound >= best * (1 - 1e-9) || w->pool == 0);
}

/* Exactly the jobs that were reported as changed have another grant than
 * before. */
static void check_changed(const struct world *w,
			  const struct slu_ion_grant *before,
			  const bool *had_one)
{
	size_t n;
	const uint32_t *age = slu_ion_division_changed(w->followed, &n);

	for (size_t i = 0; i < w->n; i++) {
		struct slu_ion_grant g =
			slu_ion_division_grant(w->followed, w->slot[i]);
		bool told = false, other;

		for (size_t k = 0; k < n; k++)
			told = told || age[k] == w->age[i];
		other = !had_one[i] || g.ions != before[i].ions ||
			g.shared != before[i].shared ||
			g.bandwidth != before[i].bandwidth;
		expect(told || !other, "job %u: %u", w->age[i], g.ions);
	}
}

static void hold_all(struct world *w)
{
	for (size_t i = 0; i < w->n; i++) {
		struct slu_ion_grant g =
			slu_ion_division_grant(w->followed, w->slot[i]);

		w->job[i].holds = true;
		w->job[i].shares = g.shared;
		w->job[i].held = g.ions;
		w->job[i].fixed = w->fixed;
		put(w, i);
	}
}

static void live(struct world *w, int days)
{
	struct slu_ion_grant before[MAX_JOBS];
	bool had_one[MAX_JOBS];

	w->followed = slu_ion_division_new(NULL);
	w->anew = slu_ion_division_new(NULL);
	for (int day = 0; day < days; day++) {
		for (uint32_t k = pick(w, 3); k < 3; k++)
			event(w);
		for (size_t i = 0; i < w->n; i++) {
			before[i] =
				slu_ion_division_grant(w->followed, w->slot[i]);
			had_one[i] = before[i].bandwidth >= 0;
		}
		check(w);
		check_changed(w, before, had_one);
		if (w->keep)
			hold_all(w);
		if (pick(w, 40) == 0) { /* a restart */
			slu_ion_division_clear(w->followed);
			for (size_t i = 0; i < w->n; i++) {
				w->slot[i] = SLU_ION_NEW;
				put(w, i);
			}
		}
	}
	slu_ion_division_free(w->followed);
	slu_ion_division_free(w->anew);
}

START_TEST(test_histories)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		static struct world w;

		w = (struct world){.seed = seed, .pool = 16};
		w.policy = pick(&w, 3) ? SLU_ION_MCKP : pick(&w, 6);
		w.most_jobs = 4 + pick(&w, MAX_JOBS - 4);
		w.keep = pick(&w, 4);
		w.direct = pick(&w, 2);
		w.fixed = pick(&w, 2);
		w.claims = pick(&w, 2);
		live(&w, 120);
	}
}
END_TEST

/* Once there was room for so many jobs, no event takes memory. */
START_TEST(test_no_memory)
{
	static struct world w;
	struct slu_ion_proof proof;
	struct slu_err err;
	size_t before, by_solve;
	int rc;

	for (int shape = 0; shape < 2; shape++) {
		w = (struct world){.seed = 5,
				   .pool = shape ? 20 : 200,
				   .policy = SLU_ION_MCKP,
				   .most_jobs = 40};
		w.followed = slu_ion_division_new(NULL);
		slu_ion_division_rules(w.followed, w.policy, w.pool, false);
		for (int round = 0; round < 200; round++) {
			taken_by_put = 0;
			while (w.n > 20)
				depart(&w, pick(&w, (uint32_t)w.n));
			while (w.n < 40)
				arrive(&w);
			before = taken;
			rc = slu_ion_division_solve(w.followed, &proof, &err);
			by_solve = taken - before;
			expect_ok(rc, err);
			if (round > 100)
				ck_assert_uint_eq(taken_by_put + by_solve, 0);
		}
		slu_ion_division_free(w.followed);
	}
}
END_TEST

TEST_MAIN("division", test_histories, test_no_memory)
