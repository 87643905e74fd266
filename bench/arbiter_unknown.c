/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/arbiter: measures what it costs if the arbiter does not know
 * the curves (bandwidth by number of I/O nodes) of some jobs: section 3.2 of
 * Bez et al. again, with unknown curves for some of the jobs, with and without
 * direct access; and a queue of such jobs in which some have a new name each
 * time, so that the arbiter never learns their curves. Jobs reach their
 * measured bandwidth, whether the arbiter knows it or not.
 */
#include "bench/arbiter_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/random.h"
#include "select_io/division/division.h"

#define SET    16
#define LENGTH 1000 /* jobs of a queue */
#define QUEUES 4

struct tally {
	double *known, *all; /* MCKP / STATIC, per set */
	size_t below, below_all, starved;
};

static void decide(struct bench *b, enum slu_ion_policy policy, uint32_t pool,
		   const struct slu_ion_job *job, struct slu_ion_grant *grant)
{
	struct slu_err err;

	if (slu_ion_decide(b->division, policy, pool, job, SET, grant, NULL,
			   &err) < 0) {
		fprintf(stderr, "bench/arbiter: %s\n", err.text);
		exit(1);
	}
}

static void run_set(struct bench *b, uint32_t pool, uint32_t percent,
		    bool direct, size_t set, struct tally *t)
{
	const struct bench_scenario *s[SET];
	struct slu_ion_grant mckp[SET], fixed[SET];
	struct slu_ion_job job[SET];
	double sum[4] = {0};
	bool starved = false;

	for (int i = 0; i < SET; i++) {
		s[i] = &b->s[slu_random(&b->seed, b->n)];
		job[i] = bench_job(s[i], b->compute, pool);
		if (!direct) {
			job[i].choice++;
			job[i].n--;
			if (!job[i].usual)
				job[i].usual = job[i].choice[0];
		}
		if (slu_random(&b->seed, 100) < percent)
			job[i].curve = NULL;
	}
	decide(b, SLU_ION_STATIC, pool, job, fixed);
	decide(b, SLU_ION_MCKP, pool, job, mckp);
	for (int i = 0; i < SET; i++) {
		sum[0] += job[i].curve ? mckp[i].bandwidth : 0;
		sum[1] += job[i].curve ? fixed[i].bandwidth : 0;
		sum[2] += slu_replay_reaches(&s[i]->curve, mckp[i].ions,
					     mckp[i].shared, SET);
		sum[3] += slu_replay_reaches(&s[i]->curve, fixed[i].ions,
					     fixed[i].shared, SET);
		starved = starved ||
			  (!job[i].curve && mckp[i].ions < fixed[i].ions);
	}
	t->known[set] = sum[1] > 0 ? sum[0] / sum[1] : 1;
	t->all[set] = sum[2] / sum[3];
	t->below += t->known[set] < 1 - 1e-9;
	t->below_all += t->all[set] < 1 - 1e-9;
	t->starved += starved;
}

static size_t sets(struct bench *b, FILE *file, uint32_t pool, bool direct,
		   uint32_t percent, struct tally *t)
{
	double known, all;

	b->seed = 1;
	t->below = t->below_all = t->starved = 0;
	for (size_t i = 0; i < b->sets; i++)
		run_set(b, pool, percent, direct, i, t);
	known = bench_median(t->known, b->sets);
	all = bench_median(t->all, b->sets);
	printf("%4u  %-6s %8u | %5.2f %5.2f %7zu | %5.2f %5.2f %7zu | %7zu\n",
	       pool, direct ? "yes" : "no", percent, known, t->known[0],
	       t->below, all, t->all[0], t->below_all, t->starved);
	if (file)
		fprintf(file, "%u,%d,%u,%.4f,%.4f,%zu,%.4f,%.4f,%zu,%zu\n",
			pool, direct, percent, known, t->known[0], t->below,
			all, t->all[0], t->below_all, t->starved);
	return t->below + t->below_all + t->starved;
}

static size_t bench_unknown_sets(struct bench *b)
{
	static const uint32_t pools[] = {8, 12, 24, 56};
	struct tally t = {.known = calloc(b->sets, sizeof(double)),
			  .all = calloc(b->sets, sizeof(double))};
	FILE *file = bench_open(b, "unknown.csv");
	size_t wrong = 0;

	printf("\nSection 3.2 with unknown jobs: %zu sets of %d, C = %u\n\n"
	       "      direct  unknown, | MCKP/STATIC, known  | of all, measured "
	       "   | unknown\n"
	       "pool  access     %% | med   min   below   | med   min   below  "
	       " | starved\n",
	       b->sets, SET, b->compute);
	if (file)
		fputs("pool,direct,unknown_percent,median,min,below,"
		      "median_all,min_all,below_all,starved\n",
		      file);
	for (int p = 0; p < 4; p++)
		for (int direct = 1; direct >= 0; direct--)
			for (uint32_t percent = 0; percent <= 50; percent += 25)
				wrong += sets(b, file, pools[p], direct,
					      percent, &t);
	if (file)
		fclose(file);
	free(t.known);
	free(t.all);
	return wrong;
}

static struct slu_replayed simulate(struct bench *b, enum slu_ion_policy policy,
				    bool direct, bool remap, uint32_t percent)
{
	struct bench_queue q = {.policy = policy,
				.pool = 24,
				.direct = direct,
				.remap = remap,
				.jobs = LENGTH,
				.once = percent};
	struct slu_replayed sum = {0};

	for (q.seed = 1; q.seed <= QUEUES; q.seed++) {
		struct slu_replayed one = bench_simulate(b, &q);

		sum.hours += one.hours / QUEUES;
		sum.events += one.events;
		sum.below += one.below;
		sum.taught += one.taught;
	}
	return sum;
}

static size_t bench_names(struct bench *b)
{
	FILE *file = bench_open(b, "names.csv");
	size_t below = 0;

	printf("\n%d queues of %d jobs on %u compute and 24 I/O nodes, curves "
	       "learnt from them; some names are never seen\nagain. Hours until "
	       "all is done (mean)\n\n"
	       "direct  may be   new    | STATIC    MCKP | STATIC/ | events "
	       "predicted | runs that\n"
	       "access  remapped names, %%|  hours   hours |    MCKP | below "
	       "STATIC     | taught, %%\n",
	       QUEUES, LENGTH, b->compute);
	if (file)
		fputs("direct,remap,new_percent,STATIC_h,MCKP_h,below,taught\n",
		      file);
	for (int way = 3; way >= 0; way--)
		for (uint32_t percent = 0; percent <= 50; percent += 25) {
			bool direct = way & 2, remap = way & 1;
			struct slu_replayed m = simulate(
				b, SLU_ION_MCKP, direct, remap, percent);
			struct slu_replayed s = simulate(
				b, SLU_ION_STATIC, direct, remap, percent);

			printf("%-7s %-8s %6u  | %6.2f  %6.2f |  %6.2f | %5zu "
			       "of %zu      | %5.1f\n",
			       direct ? "yes" : "no", remap ? "yes" : "no",
			       percent, s.hours, m.hours, s.hours / m.hours,
			       m.below, m.events,
			       100.0 * (double)m.taught / (QUEUES * LENGTH));
			if (file)
				fprintf(file, "%d,%d,%u,%.3f,%.3f,%zu,%zu\n",
					direct, remap, percent, s.hours,
					m.hours, m.below, m.taught);
			below += m.below;
		}
	if (file)
		fclose(file);
	return below;
}

size_t bench_unknown(struct bench *b)
{
	size_t wrong = bench_unknown_sets(b);

	return wrong + bench_names(b);
}
