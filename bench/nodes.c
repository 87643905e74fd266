/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates conservative backfilling of a job log, and counts how long before
 * its start each job's list of nodes was final (see the header).
 *
 * The plan is an array of time steps in order, each with the set of nodes that
 * are idle from there to the next step. A reservation is put at the first step
 * from which enough nodes stay idle, and removes its nodes from the steps that
 * it covers. A set of nodes is a 128-bit integer, so there are at most 128.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "bench/nodes.h"

typedef unsigned __int128 set_t;

struct step {
	int64_t when;
	set_t idle; /* until the next step */
};

struct sim {
	const struct swf_log *log;
	const struct slu_easy_oracle *oracle;
	set_t all;
	int64_t now;
	int64_t *estimate; /* s */
	int64_t *start;	   /* planned, or real once it runs */
	int64_t *since;	   /* when its list of nodes last changed */
	set_t *nodes;
	size_t *queue, n_queue;
	size_t *running, n_running;
	struct step *step;
	size_t n_step;
};

static int popcount(set_t s)
{
	return __builtin_popcountll((uint64_t)s) +
	       __builtin_popcountll((uint64_t)(s >> 64));
}

/* The n lowest-numbered nodes of a set. */
static set_t lowest(set_t s, int64_t n)
{
	set_t out = 0;

	for (; n > 0; n--) {
		set_t bit = s & -s;

		out |= bit;
		s ^= bit;
	}
	return out;
}

/* Splits the plan at `when`; returns the index of the step. */
static size_t cut(struct sim *s, int64_t when)
{
	size_t i = s->n_step;

	while (i > 0 && s->step[i - 1].when > when)
		i--;
	if (i > 0 && s->step[i - 1].when == when)
		return i - 1;
	memmove(&s->step[i + 1], &s->step[i],
		(s->n_step++ - i) * sizeof(*s->step));
	s->step[i] = (struct step){when, s->step[i - 1].idle};
	return i;
}

static void occupy(struct sim *s, int64_t from, int64_t until, set_t nodes)
{
	size_t a = cut(s, from), b = cut(s, until);

	for (; a < b; a++)
		s->step[a].idle &= ~nodes;
}

/* The nodes that stay idle from step i on for this length; 0: fewer than need.
 */
static set_t idle_for(const struct sim *s, size_t i, int64_t length,
		      int64_t need)
{
	int64_t until = s->step[i].when + length;
	set_t idle = s->step[i].idle;

	while (++i < s->n_step && s->step[i].when < until) {
		idle &= s->step[i].idle;
		if (popcount(idle) < need)
			return 0;
	}
	return idle;
}

static void reserve(struct sim *s, size_t job)
{
	int64_t need = s->log->job[job].procs, length = s->estimate[job];
	size_t i = 0;
	set_t idle;

	for (;; i++) {
		idle = idle_for(s, i, length, need);
		if (popcount(idle) >= need)
			break;
	}
	idle = lowest(idle, need);
	if (idle != s->nodes[job])
		s->since[job] = s->now;
	s->nodes[job] = idle;
	s->start[job] = s->step[i].when;
	occupy(s, s->start[job], s->start[job] + length, idle);
}

static void plan(struct sim *s)
{
	s->step[0] = (struct step){s->now, s->all};
	s->n_step = 1;
	for (size_t k = 0; k < s->n_running; k++) {
		size_t i = s->running[k];

		occupy(s, s->now, s->start[i] + s->estimate[i], s->nodes[i]);
	}
	for (size_t k = 0; k < s->n_queue; k++)
		reserve(s, s->queue[k]);
}

static int64_t run_time(const struct sim *s, size_t i)
{
	return easy_run_time(&s->log->job[i]);
}

/* The next event of a running job: its end, or that of its estimate. */
static int64_t next_of(const struct sim *s, size_t i)
{
	int64_t run = run_time(s, i);

	return s->start[i] + (run < s->estimate[i] ? run : s->estimate[i]);
}

static int64_t next_event(const struct sim *s, size_t arrived)
{
	int64_t when =
		arrived < s->log->n ? s->log->job[arrived].submit : INT64_MAX;

	for (size_t k = 0; k < s->n_running; k++)
		if (next_of(s, s->running[k]) < when)
			when = next_of(s, s->running[k]);
	for (size_t k = 0; k < s->n_queue; k++)
		if (s->start[s->queue[k]] < when)
			when = s->start[s->queue[k]];
	return when;
}

static int64_t estimate(const struct sim *s, size_t i, double seconds)
{
	return (int64_t)fmax(
		ceil(fmin(seconds, (double)s->log->job[i].request)), 1);
}

static void longer(struct sim *s, size_t i)
{
	int64_t elapsed = s->estimate[i];
	int64_t longer =
		estimate(s, i, s->oracle->renew(s->oracle->arg, i, elapsed));

	s->estimate[i] = longer > elapsed ? longer : elapsed + 1;
}

/* Ends jobs, and extends estimates that have passed. True: a job has ended
 * early or runs longer, so all reservations have to be made anew. */
static bool end_some(struct sim *s)
{
	bool changed = false;
	size_t n = 0;

	for (size_t k = 0; k < s->n_running; k++) {
		size_t i = s->running[k];

		if (s->start[i] + run_time(s, i) <= s->now) {
			changed |= run_time(s, i) < s->estimate[i];
			s->oracle->learn(s->oracle->arg, i, s->start[i],
					 s->now);
			continue;
		}
		if (s->start[i] + s->estimate[i] <= s->now) {
			longer(s, i);
			changed = true;
		}
		s->running[n++] = i;
	}
	s->n_running = n;
	return changed;
}

static double slowdown(const struct sim *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->log->n; i++) {
		double run = (double)run_time(s, i);
		double wait = (double)(s->start[i] - s->log->job[i].submit);

		sum += fmax((wait + run) / fmax(run, 10), 1);
	}
	return sum / (double)s->log->n;
}

static void count(const struct sim *s, size_t i, size_t out[NODES_CLASSES])
{
	int64_t known = s->now - s->since[i];

	if (s->log->job[i].submit == s->now)
		out[NODES_AT_ONCE]++;
	else if (known <= 1)
		out[NODES_1_S]++;
	else
		out[known <= 600 ? NODES_10_MIN : NODES_LONGER]++;
}

static void start_some(struct sim *s, size_t out[NODES_CLASSES])
{
	size_t n = 0;

	for (size_t k = 0; k < s->n_queue; k++) {
		size_t i = s->queue[k];

		if (s->start[i] <= s->now) {
			s->running[s->n_running++] = i;
			count(s, i, out);
		} else {
			s->queue[n++] = i;
		}
	}
	s->n_queue = n;
}

/* Removes past steps, so that the plan begins now. */
static void advance(struct sim *s)
{
	size_t first = 0;

	while (first + 1 < s->n_step && s->step[first + 1].when <= s->now)
		first++;
	memmove(s->step, s->step + first,
		(s->n_step -= first) * sizeof(*s->step));
	if (s->step[0].when < s->now)
		s->step[0].when = s->now;
}

static void submit(struct sim *s, size_t i)
{
	s->estimate[i] =
		estimate(s, i, s->oracle->predict(s->oracle->arg, i, s->now));
	s->queue[s->n_queue++] = i;
	reserve(s, i);
}

static void simulate(struct sim *s, size_t out[NODES_CLASSES])
{
	size_t arrived = 0;

	while (arrived < s->log->n || s->n_running || s->n_queue) {
		bool again;

		s->now = next_event(s, arrived);
		again = end_some(s);
		advance(s);
		if (again)
			plan(s);
		for (; arrived < s->log->n &&
		       s->log->job[arrived].submit <= s->now;
		     arrived++) {
			submit(s, arrived);
		}
		start_some(s, out);
	}
}

int nodes_run(const struct swf_log *log, int64_t nodes,
	      const struct slu_easy_oracle *oracle, struct nodes_result *out)
{
	size_t n = log->n + 1, class[NODES_CLASSES] = {0};
	struct sim s = {
		.log = log,
		.oracle = oracle,
		.all = nodes < 128 ? ((set_t)1 << nodes) - 1 : ~(set_t)0,
		.estimate = calloc(n, sizeof(int64_t)),
		.start = calloc(n, sizeof(int64_t)),
		.since = calloc(n, sizeof(int64_t)),
		.nodes = calloc(n, sizeof(set_t)),
		.queue = calloc(n, sizeof(size_t)),
		.running = calloc(n, sizeof(size_t)),
		.step = calloc(4 * n, sizeof(struct step)),
		.n_step = 1,
	};
	int rc = nodes <= 128 && s.estimate && s.start && s.since && s.nodes &&
				 s.queue && s.running && s.step
			 ? 0
			 : -1;

	if (rc == 0) {
		s.step[0] = (struct step){INT64_MIN / 2, s.all};
		simulate(&s, class);
		out->slowdown = slowdown(&s);
		for (int c = 0; c < NODES_CLASSES; c++)
			out->share[c] = (double)class[c] / (double)log->n;
	}
	free(s.estimate);
	free(s.start);
	free(s.since);
	free(s.nodes);
	free(s.queue);
	free(s.running);
	free(s.step);
	return rc;
}
