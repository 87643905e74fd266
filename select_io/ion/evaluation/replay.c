/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates jobs under a policy, event by event: starts and ends, with constant
 * bandwidths in between.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/division/division.h"
#include "select_io/ion/evaluation/replay.h"

#define LEAST	1e-3 /* MB/s: so that all jobs end */
#define CHOICES 256

struct run {
	double start, left; /* s, MB */
	double rate;
	bool running;
};

struct sim {
	const struct slu_replay *q;
	const struct slu_replay_job *job;
	size_t n;
	struct run *run;
	struct slu_arbiter *arbiter;
	struct slu_arbiter *fixed;	   /* STATIC for comparison; or NULL */
	struct slu_ion_division *division; /* optimum for comparison; or NULL */
	struct slu_ion_job *posed;
	struct slu_ion_grant *grant;
	uint32_t *choice;   /* CHOICES of each job */
	size_t first, next; /* of the jobs that may run */
	uint32_t free, running;
	double now;			     /* s */
	double best, reached, fixed_reaches; /* MB/s since the last event */
	struct slu_replayed out;
};

double slu_replay_reaches(const struct slu_curve *curve, uint32_t ions,
			  bool shared, size_t running)
{
	if (shared)
		return slu_curve_at(curve, 1) / (double)running;
	return slu_curve_at(curve, ions);
}

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static double rate_of(const struct sim *sim, size_t i,
		      const struct slu_ion_share *share)
{
	double rate;

	if (!sim->job[i].curve)
		return 0;
	rate = slu_replay_reaches(sim->job[i].curve, share->in_effect,
				  share->shared, sim->running);
	return rate > 0 ? rate : sim->job[i].usual / sim->job[i].luck;
}

/* Compares with STATIC for the same jobs: divided anew where running jobs may
 * be remapped, else in the order of their starts. */
static int compare(struct sim *sim, size_t n, struct slu_err *err)
{
	struct slu_assignment out = {0};
	double fixed = 0;
	size_t k = 0;

	if (sim->q->conf->remap_running) {
		if (slu_ion_decide(sim->division, SLU_ION_STATIC,
				   (uint32_t)sim->q->conf->io_nodes.n,
				   sim->posed, n, sim->grant, NULL, err) < 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			fixed += sim->grant[i].bandwidth;
	} else {
		slu_arbiter_clock(sim->fixed, 1 + (int64_t)sim->now);
		if (slu_arbiter_solve(sim->fixed, &out, err) < 0)
			return -1;
		for (size_t i = sim->first; i < sim->next; i++)
			if (sim->run[i].running)
				fixed += rate_of(sim, i, &out.jobs[k++]);
		slu_msg_clear(&slu_assignment_desc, &out);
	}
	sim->out.below_in_effect +=
		sim->reached < fixed * (1 - 1e-9) - 1e-3 * (double)n;
	sim->fixed_reaches = fixed;
	return 0;
}

/* MB/s of the best division of the running jobs, by their true curves. */
static int find_best(struct sim *sim, struct slu_err *err)
{
	const struct slu_conf *conf = sim->q->conf;
	uint32_t pool = (uint32_t)conf->io_nodes.n;
	size_t n = 0;

	sim->best = 0;
	for (size_t i = sim->first; sim->division && i < sim->next; i++) {
		const struct slu_job *job = &sim->job[i].job;
		uint32_t limit = conf->max_ions_per_job, *choice;

		if (!sim->run[i].running)
			continue;
		choice = sim->choice + n * CHOICES;
		limit = limit < job->ion_max ? limit : job->ion_max;
		limit = limit < pool ? limit : pool;
		sim->posed[n] = (struct slu_ion_job){
			.choice = choice,
			.n = slu_ion_choices(job->node_cnt, limit,
					     conf->direct_access, choice,
					     CHOICES),
			.nodes = job->node_cnt,
			.tasks = job->tasks,
			.curve = sim->job[i].curve};
		sim->posed[n].usual =
			slu_ion_usual(job->node_cnt, sim->q->compute, pool,
				      choice, sim->posed[n].n);
		n++;
	}
	if (!sim->division)
		return 0;
	if (slu_ion_decide(sim->division, SLU_ION_MCKP, pool, sim->posed, n,
			   sim->grant, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		sim->best += sim->grant[i].bandwidth;
	return compare(sim, n, err);
}

static int resolve(struct sim *sim, struct slu_err *err)
{
	struct slu_assignment out;
	size_t k = 0;

	slu_arbiter_clock(sim->arbiter, 1 + (int64_t)sim->now);
	if (slu_arbiter_solve(sim->arbiter, &out, err) < 0)
		return -1;
	sim->reached = 0;
	for (size_t i = sim->first; i < sim->next; i++) {
		struct run *r = &sim->run[i];
		double rate;

		if (!r->running)
			continue;
		rate = rate_of(sim, i, &out.jobs[k++]);
		sim->reached += rate;
		r->rate = sim->job[i].curve
				  ? fmax(rate * sim->job[i].luck, LEAST)
				  : 1;
	}
	sim->out.events++;
	sim->out.below += out.total < out.static_total * (1 - 1e-9) -
					      1e-3 * (double)out.n_jobs;
	slu_msg_clear(&slu_assignment_desc, &out);
	if (find_best(sim, err) < 0)
		return -1;
	sim->best = fmax(sim->best, sim->reached);
	return 0;
}

/* 1: it runs; 0: it has to wait. */
static int start_next(struct sim *sim, struct slu_err *err)
{
	const struct slu_replay_job *job = &sim->job[sim->next];
	struct run *r = &sim->run[sim->next];

	if (sim->next == sim->n || job->due > sim->now ||
	    (sim->q->free && job->job.node_cnt > sim->free))
		return 0;
	if (slu_arbiter_start(sim->arbiter, &job->job, err) < 0 ||
	    (sim->fixed && slu_arbiter_start(sim->fixed, &job->job, err) < 0))
		return -1;
	sim->free -= job->job.node_cnt;
	sim->running++;
	sim->next++;
	*r = (struct run){.running = true, .start = sim->now, .left = job->mb};
	return 1;
}

static void advance(struct sim *sim, double step)
{
	struct slu_replayed *o = &sim->out;

	for (size_t i = sim->first; i < sim->next; i++)
		if (sim->run[i].running)
			sim->run[i].left -= sim->run[i].rate * step;
	sim->now += step;
	o->best += sim->best * step;
	o->reached += sim->reached * step;
	o->fixed += sim->fixed_reaches * step;
	o->short_of += fmax(sim->fixed_reaches - sim->reached, 0) * step;
	if (sim->next <= sim->n * 3 / 4)
		return;
	o->last_best += sim->best * step;
	o->last_reached += sim->reached * step;
}

static void teach(struct sim *sim, size_t i)
{
	const struct slu_job *job = &sim->job[i].job;
	struct slu_history_row row = {.job = *job};
	int64_t end = 1 + (int64_t)sim->now;
	struct slu_ion_times times;
	char *text = NULL;

	row.job.end = end;
	row.job.ions = slu_arbiter_held(sim->arbiter, job->job_id);
	if (row.job.ions == SLU_NO_ID && !sim->q->unchanged &&
	    slu_arbiter_times(sim->arbiter, job->job_id, end, &times) == 0)
		text = slu_ion_times_text(&times);
	row.job.ion_times = text;
	row.io_bandwidth =
		sim->job[i].mb / fmax(sim->now - sim->run[i].start, 1e-3);
	sim->out.taught += row.job.ions != SLU_NO_ID || text;
	slu_arbiter_learn(sim->arbiter, &row);
	if (sim->fixed) /* sharing depends on what is known */
		slu_arbiter_learn(sim->fixed, &row);
	free(text);
}

/* The job that ends first, or n. */
static size_t next_end(const struct sim *sim)
{
	size_t next = sim->n;

	for (size_t i = sim->first; i < sim->next; i++) {
		const struct run *r = &sim->run[i], *best = &sim->run[next];

		if (r->running && (next == sim->n ||
				   r->left / r->rate < best->left / best->rate))
			next = i;
	}
	return next;
}

static void end(struct sim *sim, size_t i)
{
	const struct slu_replay_job *job = &sim->job[i];

	sim->run[i].running = false;
	sim->free += job->job.node_cnt;
	sim->running--;
	if (job->curve) {
		sim->out.jobs++;
		sim->out.mb += job->mb;
		sim->out.io_hours += (sim->now - sim->run[i].start) / 3600;
		sim->out.node_hours += (sim->now - sim->run[i].start) / 3600 *
				       job->job.node_cnt;
	}
	if (sim->q->learns && job->curve)
		teach(sim, i);
	slu_arbiter_end(sim->arbiter, job->job.job_id);
	if (sim->fixed)
		slu_arbiter_end(sim->fixed, job->job.job_id);
	while (sim->first < sim->next && !sim->run[sim->first].running)
		sim->first++;
}

/* Advances to the next end, or to the next submission if that is earlier;
 * false: nothing is left. */
static bool next_event(struct sim *sim)
{
	size_t i = next_end(sim);
	double step =
		i < sim->n ? sim->run[i].left / sim->run[i].rate : INFINITY;
	double due = INFINITY;

	if (sim->next < sim->n && sim->job[sim->next].due > sim->now)
		due = sim->job[sim->next].due;
	if (i == sim->n && due == INFINITY)
		return false;
	if (due - sim->now < step) {
		advance(sim, due - sim->now);
		sim->now = due;
		return true;
	}
	advance(sim, step);
	end(sim, i);
	return true;
}

/* Sets up the divisions for comparison: the optimum and STATIC. */
static int begin_rivals(struct sim *sim, struct slu_err *err)
{
	struct slu_conf conf = *sim->q->conf;

	conf.ion_policy = SLU_ION_STATIC;
	sim->fixed = slu_arbiter_new(&conf, sim->q->compute, err);
	sim->division = slu_ion_division_new(err);
	if (!sim->fixed || !sim->division)
		return -1;
	sim->posed = calloc(sim->n + 1, sizeof(*sim->posed));
	sim->grant = calloc(sim->n + 1, sizeof(*sim->grant));
	sim->choice = calloc(sim->n + 1, CHOICES * sizeof(uint32_t));
	return sim->posed && sim->grant && sim->choice ? 0 : nomem(err);
}

static int begin(struct sim *sim, struct slu_err *err)
{
	const struct slu_replay *q = sim->q;

	sim->free = q->free;
	sim->run = calloc(sim->n + 1, sizeof(*sim->run));
	if (!sim->run)
		return nomem(err);
	if (q->best && begin_rivals(sim, err) < 0)
		return -1;
	sim->arbiter = slu_arbiter_new(q->conf, q->compute, err);
	if (!sim->arbiter)
		return -1;
	if (q->hope)
		slu_arbiter_explore_by(sim->arbiter, q->hope, NULL);
	if (q->teach)
		q->teach(q->arg, sim->arbiter);
	return 0;
}

static int run(struct sim *sim, struct slu_err *err)
{
	int rc;

	do {
		do
			rc = start_next(sim, err);
		while (rc > 0);
		if (rc < 0 || resolve(sim, err) < 0)
			return -1;
	} while (next_event(sim));
	sim->out.hours = sim->now / 3600;
	return 0;
}

int slu_ion_replay(const struct slu_replay *q, const struct slu_replay_job *job,
		   size_t n, struct slu_replayed *out, struct slu_err *err)
{
	struct sim sim = {.q = q, .job = job, .n = n};
	int rc = begin(&sim, err);

	if (rc == 0)
		rc = run(&sim, err);
	*out = sim.out;
	slu_arbiter_free(sim.arbiter);
	slu_arbiter_free(sim.fixed);
	slu_ion_division_free(sim.division);
	free(sim.posed);
	free(sim.grant);
	free(sim.choice);
	free(sim.run);
	return rc;
}
