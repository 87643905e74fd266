/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue, event by event. */
#include "bench/arbiter_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/random.h"

#define RUNNING 4096

struct run {
	const struct bench_scenario *s;
	struct slu_job job;
	char name[24];
	double due, start; /* s */
	double all, left;  /* MB */
	double luck;	   /* times the rate */
	double rate;
	bool running;
};

struct sim {
	struct bench *b;
	const struct bench_queue *q;
	struct run *run;
	struct slu_arbiter *arbiter;
	size_t first, next; /* of those that may run */
	uint32_t free, running;
	double now;	      /* s */
	double best, reached; /* MB/s since the last event */
	uint64_t seed;
	struct bench_outcome out;
};

static _Noreturn void fail(const struct slu_err *err)
{
	fprintf(stderr, "bench/arbiter: %s\n", err->text);
	exit(1);
}

double bench_reaches(const struct bench_scenario *s, uint32_t ions, bool shared,
		     size_t running)
{
	if (shared)
		return slu_curve_at(&s->curve, 1) / (double)running;
	return slu_curve_at(&s->curve, ions);
}

static struct slu_arbiter *arbiter_of(const struct bench *b,
				      const struct bench_queue *q)
{
	struct slu_conf conf = {.max_ions_per_job = 8,
				.remap_running = q->remap,
				.direct_access = q->direct,
				.explore = q->explore,
				.ion_policy = q->policy};
	struct slu_arbiter *a;
	struct slu_err err;
	char text[32];

	snprintf(text, sizeof(text), "ion[1-%u]", q->pool);
	if (slu_hosts_parse(text, &conf.io_nodes, &err) < 0)
		fail(&err);
	a = slu_arbiter_new(&conf, b->compute, &err);
	slu_hosts_free(&conf.io_nodes);
	if (!a)
		fail(&err);
	return a;
}

/* MB/s of the best division of those that run, by the true curves. */
static double best_of(struct sim *sim)
{
	static struct slu_ion_job job[RUNNING];
	static struct slu_ion_grant grant[RUNNING];
	double total = 0;
	struct slu_err err;
	size_t n = 0;

	for (size_t i = sim->first; i < sim->next; i++) {
		if (!sim->run[i].running || n == RUNNING)
			continue;
		job[n] =
			bench_job(sim->run[i].s, sim->b->compute, sim->q->pool);
		job[n].choice += !sim->q->direct;
		job[n].n -= !sim->q->direct;
		n++;
	}
	if (slu_ion_decide(sim->b->division, SLU_ION_MCKP, sim->q->pool, job, n,
			   grant, NULL, &err) < 0)
		fail(&err);
	for (size_t i = 0; i < n; i++)
		total += grant[i].bandwidth;
	return total;
}

static void resolve(struct sim *sim)
{
	struct slu_assignment out;
	struct slu_err err;
	size_t k = 0;

	slu_arbiter_clock(sim->arbiter, 1 + (int64_t)sim->now);
	if (slu_arbiter_solve(sim->arbiter, &out, &err) < 0)
		fail(&err);
	sim->reached = 0;
	for (size_t i = sim->first; i < sim->next; i++) {
		struct run *r = &sim->run[i];
		double rate;

		if (!r->running)
			continue;
		rate = bench_reaches(r->s, out.jobs[k].in_effect,
				     out.jobs[k].shared, sim->running);
		sim->reached += rate;
		r->rate = fmax(rate * r->luck, 1e-3);
		k++;
	}
	sim->best = fmax(best_of(sim), sim->reached);
	sim->out.events++;
	sim->out.below += out.total < out.static_total * (1 - 1e-9) -
					      1e-3 * (double)out.n_jobs;
	slu_msg_clear(&slu_assignment_desc, &out);
}

static bool start_next(struct sim *sim)
{
	struct run *r = &sim->run[sim->next];
	struct slu_err err;

	if (sim->next == sim->q->jobs || r->due > sim->now ||
	    r->s->nodes > sim->free)
		return false;
	if (slu_arbiter_start(sim->arbiter, &r->job, &err) < 0)
		fail(&err);
	sim->free -= r->s->nodes;
	sim->running++;
	sim->next++;
	r->running = true;
	r->start = sim->now;
	return true;
}

static void advance(struct sim *sim, double step)
{
	struct bench_outcome *o = &sim->out;

	for (size_t i = sim->first; i < sim->next; i++)
		if (sim->run[i].running)
			sim->run[i].left -= sim->run[i].rate * step;
	sim->now += step;
	o->best += sim->best * step;
	o->reached += sim->reached * step;
	if (sim->next <= sim->q->jobs * 3 / 4)
		return;
	o->last_best += sim->best * step;
	o->last_reached += sim->reached * step;
}

static void teach(struct sim *sim, const struct run *r)
{
	struct slu_history_row row = {.job = r->job};
	int64_t end = 1 + (int64_t)sim->now;
	struct slu_ion_times times;
	char *text = NULL;

	row.job.end = end;
	row.job.ions = slu_arbiter_held(sim->arbiter, r->job.job_id);
	if (row.job.ions == SLU_NO_ID && !sim->q->unchanged &&
	    slu_arbiter_times(sim->arbiter, r->job.job_id, end, &times) == 0)
		text = slu_ion_times_text(&times);
	row.job.ion_times = text;
	row.io_bandwidth = r->all / fmax(sim->now - r->start, 1e-3);
	sim->out.taught += row.job.ions != SLU_NO_ID || text;
	slu_arbiter_end(sim->arbiter, r->job.job_id);
	slu_arbiter_learn(sim->arbiter, &row);
	free(text);
}

static struct run *next_end(struct sim *sim)
{
	struct run *next = NULL;

	for (size_t i = sim->first; i < sim->next; i++) {
		struct run *r = &sim->run[i];

		if (r->running &&
		    (!next || r->left / r->rate < next->left / next->rate))
			next = r;
	}
	return next;
}

/* To the next end, or to when the next job comes if that is before; false:
 * nothing is left. */
static bool next_event(struct sim *sim)
{
	struct run *end = next_end(sim), *due = NULL;
	double step = end ? end->left / end->rate : INFINITY;

	if (sim->next < sim->q->jobs && sim->run[sim->next].due > sim->now)
		due = &sim->run[sim->next];
	if (!end && !due)
		return false;
	if (due && due->due - sim->now < step) {
		advance(sim, due->due - sim->now);
		sim->now = due->due;
		return true;
	}
	advance(sim, step);
	end->running = false;
	sim->free += end->s->nodes;
	sim->running--;
	sim->out.io_hours += (sim->now - end->start) / 3600;
	teach(sim, end);
	while (sim->first < sim->next && !sim->run[sim->first].running)
		sim->first++;
	return true;
}

static double gauss(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)slu_random(seed, 1u << 30) / (1u << 30);
	return sum;
}

/* The same jobs whatever the policy. */
static void fill(struct sim *sim)
{
	const struct bench_queue *q = sim->q;
	size_t apps = q->apps ? q->apps : sim->b->n;
	double due = 0;

	for (size_t i = 0; i < q->jobs; i++) {
		size_t app = slu_random(&sim->seed, apps) * sim->b->n / apps;
		struct run *r = &sim->run[i];

		*r = (struct run){.s = &sim->b->s[app], .luck = 1};
		/* ten minutes to an hour and a half with one I/O node */
		r->all = slu_curve_at(&r->s->curve, 1) *
			 (600 + (double)slu_random(&sim->seed, 4800));
		r->left = r->all;
		if (slu_random(&sim->seed, 100) < q->once)
			snprintf(r->name, sizeof(r->name), "once%zu", i);
		else
			snprintf(r->name, sizeof(r->name), "app%zu", app);
		if (q->noise > 0)
			r->luck = exp(q->noise * gauss(&sim->seed) -
				      q->noise * q->noise / 2);
		if (q->every > 0)
			due += -q->every *
			       log(((double)slu_random(&sim->seed, 1u << 30) +
				    1) /
				   (1u << 30));
		r->due = due;
		r->job = (struct slu_job){.job_id = (uint32_t)i + 1,
					  .name = r->name,
					  .nodes = "n[1-99]",
					  .node_cnt = r->s->nodes,
					  .tasks = r->s->tasks,
					  .ion_max = SLU_NO_ID};
	}
}

/* All curves, as if there had been a thousand runs of each number. */
static void teach_all(struct sim *sim)
{
	for (size_t i = 0; i < sim->b->n; i++) {
		const struct bench_scenario *s = &sim->b->s[i];
		struct slu_history_row row = {0};
		char name[24];

		snprintf(name, sizeof(name), "app%zu", i);
		row.job.name = name;
		row.job.node_cnt = s->nodes;
		for (int k = !sim->q->direct; k < BENCH_CHOICES; k++) {
			row.job.ions = bench_measured[k];
			row.io_bandwidth =
				slu_curve_at(&s->curve, row.job.ions);
			for (int n = 0; n < 1000; n++)
				slu_arbiter_learn(sim->arbiter, &row);
		}
	}
}

struct bench_outcome bench_simulate(struct bench *b,
				    const struct bench_queue *q)
{
	struct sim sim = {.b = b, .q = q, .free = b->compute, .seed = q->seed};

	sim.run = calloc(q->jobs + 1, sizeof(*sim.run));
	if (!sim.run)
		exit(1);
	sim.arbiter = arbiter_of(b, q);
	if (q->hope)
		slu_arbiter_explore_by(sim.arbiter, q->hope, NULL);
	fill(&sim);
	if (q->knows)
		teach_all(&sim);
	do {
		while (start_next(&sim))
			;
		resolve(&sim);
	} while (next_event(&sim));
	slu_arbiter_free(sim.arbiter);
	free(sim.run);
	sim.out.hours = sim.now / 3600;
	return sim.out;
}
