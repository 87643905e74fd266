/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/arbiter: measures how fast the arbiter learns: a month in which
 * it begins without any knowledge, under each rule of exploration; its share of
 * the optimum, and the jobs' run times.
 */
#include "bench/arbiter_queue.h"

#include <math.h>
#include "tests/unit/random.h"

#define JOBS  18000
#define APPS  60
#define EVERY 144.0 /* s between submissions, in thirty days */
#define SEEDS 1	    /* number of seeds, from b->months on */

/* Thompson sampling: a draw from each number's posterior distribution. */
static double thompson(void *arg, const struct slu_job *job, uint32_t ions)
{
	uint64_t seed = job->job_id * 64ull + ions;
	double sum = -6;

	(void)arg;
	for (int i = 0; i < 12; i++)
		sum += (double)slu_random(&seed, 1u << 30) / (1u << 30);
	return sum;
}

/* Epsilon-greedy: one job in twenty tries a random number. */
static double epsilon(void *arg, const struct slu_job *job, uint32_t ions)
{
	uint64_t seed = job->job_id;
	uint32_t choice;

	(void)arg;
	if (slu_random(&seed, 20))
		return 0;
	choice = bench_measured[slu_random(&seed, BENCH_CHOICES)];
	return ions == choice ? 1e6 : 0;
}

static const struct way {
	const char *name;
	struct bench_queue q;
} ways[] = {
	{"STATIC", {.policy = SLU_ION_STATIC}},
	{"one number", {.policy = SLU_ION_MCKP, .unchanged = true}},
	{"MCKP", {.policy = SLU_ION_MCKP}},
	{"epsilon", {.policy = SLU_ION_MCKP, .explore = 1, .hope = epsilon}},
	{"Thompson 2 %",
	 {.policy = SLU_ION_MCKP, .explore = 0.02, .hope = thompson}},
	{"Thompson 10 %",
	 {.policy = SLU_ION_MCKP, .explore = 0.1, .hope = thompson}},
	{"Explore=0.02", {.policy = SLU_ION_MCKP, .explore = 0.02}},
	{"Explore=0.05", {.policy = SLU_ION_MCKP, .explore = 0.05}},
	{"Explore=0.1", {.policy = SLU_ION_MCKP, .explore = 0.1}},
	{"all known", {.policy = SLU_ION_MCKP, .knows = true}},
};
#define WAYS (sizeof(ways) / sizeof(*ways))
#define OURS 7 /* index of the recommended rule */

static struct slu_replayed run_way(struct bench *b, const struct way *w,
				   bool direct, bool remap)
{
	struct slu_replayed sum = {0};

	for (uint64_t seed = b->month; seed < b->month + SEEDS; seed++) {
		struct bench_queue q = w->q;
		struct slu_replayed one;

		q.pool = 24;
		q.jobs = JOBS;
		q.apps = APPS;
		q.every = EVERY;
		q.noise = b->noise;
		q.direct = direct;
		q.remap = remap;
		q.seed = seed;
		one = bench_simulate(b, &q);
		sum.io_hours += one.io_hours;
		sum.events += one.events;
		sum.below += one.below;
		sum.below_in_effect += one.below_in_effect;
		sum.fixed += one.fixed;
		sum.short_of += one.short_of;
		sum.taught += one.taught;
		sum.best += one.best;
		sum.reached += one.reached;
		sum.last_best += one.last_best;
		sum.last_reached += one.last_reached;
	}
	return sum;
}

struct result {
	double minutes;		   /* mean run time of a job */
	double lost, lost_at_last; /* % */
	double taught;		   /* % of the runs that were samples */
	size_t events, below, below_in_effect;
	double short_of; /* shortfall, % of STATIC's total */
};

static struct result result_of(const struct slu_replayed *o)
{
	return (struct result){
		.minutes = 60 * o->io_hours / (SEEDS * JOBS),
		.lost = 100 * (1 - o->reached / o->best),
		.lost_at_last = 100 * (1 - o->last_reached / o->last_best),
		.taught = 100.0 * (double)o->taught / (SEEDS * JOBS),
		.events = o->events,
		.below = o->below,
		.below_in_effect = o->below_in_effect,
		.short_of = 100 * o->short_of / o->fixed,
	};
}

static void show(FILE *file, const char *name, bool direct, bool remap,
		 const struct result *r)
{
	printf("%-6s %-8s %-14s | %7.2f | %5.1f %8.1f | %5.1f | %5zu "
	       "%5zu %5.2f | %zu\n",
	       direct ? "yes" : "no", remap ? "yes" : "no", name, r->minutes,
	       r->lost, r->lost_at_last, r->taught, r->below,
	       r->below_in_effect, r->short_of, r->events);
	if (file)
		fprintf(file, "%d,%d,%s,%.3f,%.3f,%.3f,%.1f,%zu,%zu,%.3f,%zu\n",
			direct, remap, name, r->minutes, r->lost,
			r->lost_at_last, r->taught, r->below,
			r->below_in_effect, r->short_of, r->events);
}

static void show_csv(const char *name, bool direct, bool remap,
		     const struct result *ours, const struct result *rival)
{
	printf("month direct=%d remap=%d,run time,min,%.3f,%s,%.3f,%.4f\n"
	       "month direct=%d remap=%d,lost in the last quarter,%%,%.3f,%s,"
	       "%.3f,%.4f\n",
	       direct, remap, ours->minutes, name, rival->minutes,
	       ours->minutes / rival->minutes, direct, remap,
	       ours->lost_at_last, name, rival->lost_at_last,
	       ours->lost_at_last / rival->lost_at_last);
}

/* Returns the number of events with a prediction below STATIC's where the rule
 * guarantees that there is none. */
static size_t run_ways(struct bench *b, FILE *file, bool direct, bool remap)
{
	struct result r[WAYS];
	size_t below = 0;

	for (size_t i = 0; i < WAYS; i++) {
		bool bound = ways[i].q.policy == SLU_ION_MCKP && remap &&
			     ways[i].q.explore < 1;
		struct slu_replayed o = run_way(b, &ways[i], direct, remap);

		r[i] = result_of(&o);
		below += bound ? o.below : 0;
		if (!b->csv)
			show(file, ways[i].name, direct, remap, &r[i]);
	}
	for (size_t i = 0; b->csv && i < WAYS; i++)
		if (i != OURS)
			show_csv(ways[i].name, direct, remap, &r[OURS], &r[i]);
	return below;
}

size_t bench_month(struct bench *b)
{
	FILE *file = bench_open(b, "month.csv");
	size_t below = 0;

	if (!b->csv)
		printf("\n%d months of %d jobs of %d applications on %u compute "
		       "and 24 I/O nodes; runs differ by %.0f %%;\nnothing is "
		       "known at first. Mean run time; what is lost against "
		       "the best division of the same jobs;\nevents after "
		       "which less is predicted than of STATIC, or reached by "
		       "the true curves; how much, of STATIC's\n\n"
		       "direct may be                  | run,    | lost, %% the "
		       "last | runs  | below STATIC     |\n"
		       "access remapped rule           | minutes |   all   "
		       "quarter | teach | pred. reach.   %% | events\n",
		       SEEDS, JOBS, APPS, b->compute, 100 * b->noise);
	if (file)
		fputs("direct,remap,rule,minutes,lost,lost_last_quarter,taught,"
		      "below,below_in_effect,short,events\n",
		      file);
	for (int way = 3; way >= 0; way--)
		below += run_ways(b, file, way & 2, way & 1);
	if (file)
		fclose(file);
	return below;
}
