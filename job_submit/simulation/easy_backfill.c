/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates EASY backfilling by discrete events: submissions (in order), ends
 * and expired predictions (both in one heap), and ends of reservations. The
 * queue is sorted by submission, running jobs by predicted end: a plan scans
 * these from the first on, and an event moves one of them.
 */
#include "job_submit/simulation/easy_backfill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct event {
	int64_t when;
	size_t job;
};

struct until {
	int64_t when, procs;
	size_t job;
};

#define OVER -1

struct sim {
	const struct slu_easy_job *job;
	size_t n;
	const struct slu_easy_site *site;
	const struct slu_easy_oracle *oracle;
	int64_t *start;	   /* -1: not yet */
	int64_t *until;	   /* predicted end of a running job, else OVER */
	double *predicted; /* run time */
	struct event *heap;
	size_t n_heap;
	size_t *queue, n_queue;
	size_t *order; /* scratch: candidates for backfilling */
	struct until *running;
	size_t n_running;
	int64_t idle, now;
	struct slu_easy_result out;
};

static void push(struct sim *s, int64_t when, size_t job)
{
	size_t i = s->n_heap++;

	for (; i > 0 && s->heap[(i - 1) / 2].when > when; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = (struct event){when, job};
}

static struct event pop(struct sim *s)
{
	struct event top = s->heap[0], last = s->heap[--s->n_heap];
	size_t i = 0;

	for (size_t c; (c = 2 * i + 1) < s->n_heap; i = c) {
		if (c + 1 < s->n_heap && s->heap[c + 1].when < s->heap[c].when)
			c++;
		if (last.when <= s->heap[c].when)
			break;
		s->heap[i] = s->heap[c];
	}
	s->heap[i] = last;
	return top;
}

/* The first running job that does not end before `when`. */
static size_t first_until(const struct sim *s, int64_t when)
{
	size_t a = 0, b = s->n_running;

	while (a < b) {
		size_t mid = (a + b) / 2;

		if (s->running[mid].when < when)
			a = mid + 1;
		else
			b = mid;
	}
	return a;
}

static void add_running(struct sim *s, size_t i)
{
	size_t k = first_until(s, s->until[i]);

	memmove(&s->running[k + 1], &s->running[k],
		(s->n_running++ - k) * sizeof(*s->running));
	s->running[k] = (struct until){s->until[i], s->job[i].procs, i};
}

static void remove_running(struct sim *s, size_t i)
{
	size_t k = first_until(s, s->until[i]);

	while (s->running[k].job != i)
		k++;
	memmove(&s->running[k], &s->running[k + 1],
		(--s->n_running - k) * sizeof(*s->running));
}

/* Does a job of this length, started then, end before the next reservation? One
 * that is longer than all gaps may always start after a reservation. */
static bool fits(const struct sim *s, int64_t when, double seconds)
{
	int64_t most = s->site->every - s->site->length;
	int64_t since = s->site->every ? when % s->site->every : 0;

	return !s->site->every ||
	       (double)since + fmin(ceil(seconds), (double)most) <=
		       (double)most;
}

/* The end of the next reservation after `when`. */
static int64_t reopens(const struct sim *s, int64_t when)
{
	return when - when % s->site->every + s->site->every;
}

static bool may_start(const struct sim *s, size_t i, int64_t when)
{
	return fits(s, when,
		    s->site->gaps ? s->predicted[i]
				  : (double)s->job[i].request);
}

static bool is_held(const struct sim *s, size_t i)
{
	const struct slu_easy_shared *shared = s->site->shared;

	return shared && !shared->may_start(shared->arg, i, s->now);
}

/* Schedules the check whether the job exceeds its prediction, not before
 * `after`.
 */
static void set_until(struct sim *s, size_t i, int64_t after)
{
	double request = (double)s->job[i].request;
	int64_t half = (int64_t)ceil(s->predicted[i] / 2), look;

	s->until[i] = s->start[i] + (int64_t)ceil(s->predicted[i]);
	add_running(s, i);
	if (s->predicted[i] >= request)
		return;
	look = s->until[i] - (s->oracle->lead < half ? s->oracle->lead : half);
	look = look > after ? look : after;
	if (s->site->shared || look < s->start[i] + s->job[i].run)
		push(s, look, i);
}

static void begin(struct sim *s, size_t i)
{
	s->start[i] = s->now;
	s->idle -= s->job[i].procs;
	if (s->site->shared)
		s->site->shared->begun(s->site->shared->arg, i, s->now);
	else
		push(s, s->now + s->job[i].run, i);
	set_until(s, i, s->now + 1);
}

static void remove_from(size_t *list, size_t *n, size_t i)
{
	size_t k = 0;

	while (list[k] != i)
		k++;
	memmove(&list[k], &list[k + 1], (--*n - k) * sizeof(*list));
}

/* The predicted start of this job in the queue, and the processors that will be
 * idle besides it (EASY's shadow time and extra nodes). */
static int64_t planned_start(const struct sim *s, size_t head, int64_t *extra)
{
	size_t k = 0;
	int64_t idle = s->idle, when = s->now;

	for (; k < s->n_running &&
	       (idle < s->job[head].procs || s->running[k].when <= when);
	     k++) {
		idle += s->running[k].procs;
		if (s->running[k].when > when) /* else overdue */
			when = s->running[k].when;
	}
	if (!may_start(s, head, when)) {
		when = reopens(s, when);
		for (; k < s->n_running && s->running[k].when <= when; k++)
			idle += s->running[k].procs;
	}
	*extra = idle - s->job[head].procs;
	return when;
}

static void renew(struct sim *s, size_t i, int64_t elapsed)
{
	double p = s->oracle->renew(s->oracle->arg, i, elapsed);

	p = fmin(p, (double)s->job[i].request);
	remove_running(s, i);
	s->predicted[i] = fmax(p, (double)elapsed + 1);
	set_until(s, i, s->now + 1);
}

/* A job exceeds its prediction: updates the plan. */
static void exceed(struct sim *s, size_t i)
{
	int64_t elapsed = s->now - s->start[i], extra, before = 0, after = 0;

	if (s->n_queue)
		before = planned_start(s, s->queue[0], &extra);
	renew(s, i, elapsed);
	if (s->n_queue)
		after = planned_start(s, s->queue[0], &extra);
	s->out.renewed++;
	s->out.caught += !fits(s, s->start[i], (double)s->job[i].request);
	if (after <= before)
		return;
	s->out.moved++;
	s->out.delay += (double)(after - before);
	if (after - before > s->out.longest)
		s->out.longest = after - before;
}

static void finish(struct sim *s, size_t i)
{
	remove_running(s, i);
	s->until[i] = OVER;
	s->idle += s->job[i].procs;
	s->oracle->learn(s->oracle->arg, i, s->start[i], s->now);
}

static int by_prediction(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const double *predicted = arg;

	if (predicted[x] != predicted[y])
		return predicted[x] < predicted[y] ? -1 : 1;
	return (x > y) - (x < y);
}

/* Backfills behind the first job of the queue, which has to wait. */
static void backfill(struct sim *s, size_t first)
{
	int64_t extra, when = planned_start(s, s->queue[first], &extra);
	size_t n = s->n_queue - first - 1;

	memcpy(s->order, s->queue + first + 1, n * sizeof(*s->order));
	if (s->site->shortest)
		qsort_r(s->order, n, sizeof(*s->order), by_prediction,
			s->predicted);
	for (size_t k = 0; k < n && s->idle > 0; k++) {
		size_t i = s->order[k];
		int64_t procs = s->job[i].procs;
		bool ends = s->now + (int64_t)ceil(s->predicted[i]) <= when;

		if (procs > s->idle || (!ends && procs > extra) ||
		    !may_start(s, i, s->now) || is_held(s, i))
			continue;
		if (!ends)
			extra -= procs;
		remove_from(s->queue, &s->n_queue, i);
		begin(s, i);
	}
}

static void schedule(struct sim *s)
{
	size_t first = 0;

	while (first < s->n_queue) {
		size_t i = s->queue[first];

		if (s->job[i].procs > s->idle || !may_start(s, i, s->now))
			break;
		if (is_held(s, i)) {
			first++;
			continue;
		}
		remove_from(s->queue, &s->n_queue, i);
		begin(s, i);
	}
	if (first + 1 < s->n_queue && s->idle > 0)
		backfill(s, first);
}

static void submit(struct sim *s, size_t i)
{
	double p = s->oracle->predict(s->oracle->arg, i, s->now);

	s->predicted[i] = fmax(fmin(p, (double)s->job[i].request), 1);
	s->queue[s->n_queue++] = i;
}

/* Processes ends and expired predictions up to now. */
static void look(struct sim *s)
{
	const struct slu_easy_shared *shared = s->site->shared;
	size_t i;

	while (shared &&
	       (i = shared->ended(shared->arg, s->now)) != SLU_EASY_NONE)
		finish(s, i);
	while (s->n_heap && s->heap[0].when == s->now) {
		i = pop(s).job;
		if (!shared && s->now - s->start[i] >= s->job[i].run)
			finish(s, i);
		else if (s->until[i] != OVER)
			exceed(s, i);
	}
}

/* The time of the next event; job `next` is the next submission. */
static int64_t next_event(const struct sim *s, size_t next)
{
	const struct slu_easy_shared *shared = s->site->shared;
	int64_t when = next < s->n ? s->job[next].submit : INT64_MAX;

	if (s->n_heap && s->heap[0].when < when)
		when = s->heap[0].when;
	if (s->n_queue && s->site->every && reopens(s, s->now) < when)
		when = reopens(s, s->now);
	if (shared && shared->next(shared->arg, s->now) < when)
		when = shared->next(shared->arg, s->now);
	return when;
}

static void simulate(struct sim *s)
{
	for (size_t next = 0; next < s->n || s->n_running || s->n_queue;) {
		s->now = next_event(s, next);
		look(s);
		for (; next < s->n && s->job[next].submit == s->now; next++)
			submit(s, next);
		schedule(s);
	}
}

static void measure(const struct sim *s, struct slu_easy_result *out)
{
	double slowdown = 0, wait = 0, longest = 0;

	for (size_t i = 0; i < s->n; i++) {
		double run = (double)s->job[i].run;
		double w = (double)(s->start[i] - s->job[i].submit);

		wait += w;
		longest = fmax(longest, w);
		slowdown += fmax((w + run) / fmax(run, 10), 1);
	}
	*out = s->out;
	out->slowdown = slowdown / (double)s->n;
	out->wait = wait / (double)s->n;
	out->longest_wait = longest;
	out->delay = s->out.moved ? s->out.delay / (double)s->out.moved : 0;
}

int slu_easy_run(const struct slu_easy_job *job, size_t n,
		 const struct slu_easy_site *site,
		 const struct slu_easy_oracle *oracle, int64_t *start,
		 struct slu_easy_result *out)
{
	size_t room = n + 1;
	struct sim s = {
		.job = job,
		.n = n,
		.site = site,
		.oracle = oracle,
		.start = start,
		.until = calloc(room, sizeof(*s.until)),
		.predicted = calloc(room, sizeof(*s.predicted)),
		.heap = calloc(4 * room, sizeof(*s.heap)),
		.queue = calloc(room, sizeof(*s.queue)),
		.running = calloc(room, sizeof(*s.running)),
		.order = calloc(room, sizeof(*s.order)),
		.idle = site->procs,
	};
	int rc = s.until && s.predicted && s.heap && s.queue && s.running &&
				 s.order
			 ? 0
			 : -1;

	for (size_t i = 0; i < n; i++) {
		start[i] = -1;
		if (job[i].procs > site->procs)
			rc = -1;
	}
	if (rc == 0) {
		simulate(&s);
		measure(&s, out);
	}
	free(s.until);
	free(s.predicted);
	free(s.heap);
	free(s.queue);
	free(s.running);
	free(s.order);
	return rc;
}
