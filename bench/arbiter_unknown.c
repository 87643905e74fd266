/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Section 3.2 again, where nobody knows what some of the jobs gain, with and
 * without direct access; and a queue of such jobs whose users give some of them
 * a new name each time, so that nothing is ever learnt of those. What jobs
 * reach is as measured, whether it is known or not.
 */
#include "bench/arbiter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/ion/arbiter.h"
#include "tests/unit/random.h"

#define SET    16
#define LENGTH 1000 /* jobs of a queue */
#define QUEUES 4

struct tally {
	double *known, *all; /* MCKP / STATIC, per set */
	size_t below, below_all, starved;
};

static double reached(const struct bench_scenario *s,
		      const struct slu_ion_grant *g, size_t running)
{
	if (g->shared)
		return slu_curve_at(&s->curve, 1) / (double)running;
	return slu_curve_at(&s->curve, g->ions);
}

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
		sum[2] += reached(s[i], &mckp[i], SET);
		sum[3] += reached(s[i], &fixed[i], SET);
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

/* The queue: strict FIFO on C nodes, as in section 5.3. */
struct run {
	const struct bench_scenario *s;
	struct slu_job job;
	char name[24];
	double left; /* MB */
	double rate;
	bool running;
};

struct sim {
	struct bench *b;
	struct run *run;
	struct slu_arbiter *arbiter;
	size_t first, next; /* of those that may run */
	uint32_t free, running;
	double now; /* s */
	size_t events, below, taught;
	uint64_t seed;
};

static struct slu_arbiter *arbiter_of(uint32_t pool, uint32_t compute,
				      enum slu_ion_policy policy, bool direct,
				      bool remap)
{
	struct slu_conf conf = {.max_ions_per_job = 8,
				.remap_running = remap,
				.direct_access = direct,
				.ion_policy = policy};
	struct slu_arbiter *a;
	char text[32];

	snprintf(text, sizeof(text), "ion[1-%u]", pool);
	if (slu_hosts_parse(text, &conf.io_nodes, NULL) < 0)
		exit(1);
	a = slu_arbiter_new(&conf, compute, NULL);
	slu_hosts_free(&conf.io_nodes);
	return a;
}

static void resolve(struct sim *sim)
{
	struct slu_assignment out;
	struct slu_err err;
	size_t k = 0;

	if (slu_arbiter_solve(sim->arbiter, &out, &err) < 0) {
		fprintf(stderr, "bench/arbiter: %s\n", err.text);
		exit(1);
	}
	for (size_t i = sim->first; i < sim->next; i++) {
		struct run *r = &sim->run[i];
		struct slu_ion_grant g;

		if (!r->running)
			continue;
		g.shared = out.jobs[k].shared;
		g.ions = out.jobs[k++].in_effect;
		r->rate = fmax(reached(r->s, &g, sim->running), 1e-3);
	}
	sim->events++;
	sim->below += out.total <
		      out.static_total * (1 - 1e-9) - 1e-3 * (double)out.n_jobs;
	slu_msg_clear(&slu_assignment_desc, &out);
}

static bool start_next(struct sim *sim)
{
	struct run *r = &sim->run[sim->next];
	struct slu_err err;

	if (sim->next == LENGTH || r->s->nodes > sim->free)
		return false;
	if (slu_arbiter_start(sim->arbiter, &r->job, &err) < 0)
		exit(1);
	sim->free -= r->s->nodes;
	sim->running++;
	sim->next++;
	r->running = true;
	return true;
}

static bool end_next(struct sim *sim)
{
	struct slu_history_row row = {0};
	struct run *next = NULL;
	double step;

	for (size_t i = sim->first; i < sim->next; i++) {
		struct run *r = &sim->run[i];

		if (r->running &&
		    (!next || r->left / r->rate < next->left / next->rate))
			next = r;
	}
	if (!next)
		return false;
	step = next->left / next->rate;
	for (size_t i = sim->first; i < sim->next; i++)
		if (sim->run[i].running)
			sim->run[i].left -= sim->run[i].rate * step;
	sim->now += step;
	next->running = false;
	sim->free += next->s->nodes;
	sim->running--;
	row.job = next->job;
	row.job.ions = slu_arbiter_held(sim->arbiter, next->job.job_id);
	row.io_bandwidth = next->rate;
	sim->taught += row.job.ions != SLU_NO_ID;
	slu_arbiter_end(sim->arbiter, next->job.job_id);
	slu_arbiter_learn(sim->arbiter, &row);
	while (sim->first < sim->next && !sim->run[sim->first].running)
		sim->first++;
	return true;
}

/* The same jobs whatever the policy; a name of its own for so many. */
static void fill(struct sim *sim, uint32_t percent)
{
	for (size_t i = 0; i < LENGTH; i++) {
		size_t app = slu_random(&sim->seed, sim->b->n);
		struct run *r = &sim->run[i];

		*r = (struct run){.s = &sim->b->s[app]};
		/* ten minutes to an hour and a half with one I/O node */
		r->left = slu_curve_at(&r->s->curve, 1) *
			  (600 + (double)slu_random(&sim->seed, 4800));
		if (slu_random(&sim->seed, 100) < percent)
			snprintf(r->name, sizeof(r->name), "once%zu", i);
		else
			snprintf(r->name, sizeof(r->name), "app%zu", app);
		r->job = (struct slu_job){.job_id = (uint32_t)i + 1,
					  .name = r->name,
					  .nodes = "n[1-99]",
					  .node_cnt = r->s->nodes,
					  .tasks = r->s->tasks,
					  .ion_max = SLU_NO_ID};
	}
}

struct outcome {
	double hours;
	size_t events, below, taught;
};

static struct outcome run_queue(struct bench *b, enum slu_ion_policy policy,
				bool direct, bool remap, uint32_t percent,
				uint64_t seed)
{
	struct sim sim = {.b = b, .free = b->compute, .seed = seed};

	sim.run = calloc(LENGTH, sizeof(*sim.run));
	sim.arbiter = arbiter_of(24, b->compute, policy, direct, remap);
	fill(&sim, percent);
	do {
		while (start_next(&sim))
			;
		resolve(&sim);
	} while (end_next(&sim));
	slu_arbiter_free(sim.arbiter);
	free(sim.run);
	return (struct outcome){sim.now / 3600, sim.events, sim.below,
				sim.taught};
}

static struct outcome simulate(struct bench *b, enum slu_ion_policy policy,
			       bool direct, bool remap, uint32_t percent)
{
	struct outcome sum = {0};

	for (uint64_t seed = 1; seed <= QUEUES; seed++) {
		struct outcome one =
			run_queue(b, policy, direct, remap, percent, seed);

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
			struct outcome m = simulate(b, SLU_ION_MCKP, direct,
						    remap, percent);
			struct outcome s = simulate(b, SLU_ION_STATIC, direct,
						    remap, percent);

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
