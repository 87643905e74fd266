/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates a job log under one policy of bench/iostart, and measures it.
 *
 * The scheduler is EASY backfilling (job_submit/simulation/easy_backfill.h)
 * with the requested times as estimates, as Slurm does. Jobs share a simulated
 * file system (shared_fs.h) and run longer if it is busy. The policy is asked
 * about each job that could start, whether it may with regard to I/O; while a
 * job is held it is asked again every minute.
 */
#include "bench/iostart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "bench/easy.h"

#define AGAIN 60  /* s between questions to the policy while a job is held */
#define BUSY  0.9 /* of the capacity: above it the file system is busy */

const struct policy policies[] = {
	{"Slurm", ANY, TRUTH, 0},
	{"ours", OURS, RATES, 0},
	{"oracle", OURS, TRUTH, 0},
	{"ours/shuffled", OURS, SHUFFLED, 0},
	{"ours/true rates", OURS, TRUE_RATES, 0},
	{"ours/true times", OURS, TRUE_TIMES, 0},
	{"ours/true bound", OURS, TRUE_BOUND, 0},
	{"ours/idle to 1.5", OURS, RATES, 1.5},
	{"fixed cap", CAP, VOLUMES, 0},
	{"licences", LICENCES, VOLUMES, 0},
	{"licences/true", LICENCES, TRUTH, 0},
	{"two groups", PAPER, VOLUMES, 0},
	{"two groups/true", PAPER, TRUTH, 0},
	{0},
};

const char *const measure_name[MEASURES] = {
	"makespan",    "mean bounded slowdown",
	"lost in I/O", "spread of run times",
	"utilisation", "longest hold",
};
const char *const measure_unit[MEASURES] = {"s",     "ratio", "node hours",
					    "ratio", "share", "s"};

/* The parameters of our policy, tuned on the logs KTH-SP2 and LANL-CM5. */
struct slu_admission_site iostart_site = {
	.max_wait = 2 * 86400,
	.wait_factor = 20,
	.small = 0.01,
	.over = 1,
};

struct job {
	struct foretold f;
	int64_t start, end, held; /* first time held; -1: not yet */
	int64_t last_held;
	double busy; /* busy_clock.busy at its start */
};

struct sim {
	const struct mix *mix;
	const struct policy *policy;
	struct fs *fs;
	struct teller *teller;
	struct job *job;
	size_t *running, n_running, *waiting, n_waiting;
	struct slu_demand *is_running, *is_waiting;
	struct slu_admission_site site;
	struct slu_admission admit;
	struct slu_groups groups;
	int64_t looked; /* time of the last slu_admission_look() */
	double idle, freed, was_idle;
	bool held; /* some job is held */
	/* ended jobs with more than negligible I/O: number, sum of rates */
	double heavy, heavy_rate;
	struct busy_clock {
		double at, busy; /* time; s the file system was busy until it */
		bool is;	 /* it is busy since `at` */
	} busy;
	bool failed;
};

/* A job's bandwidth and remaining time, as the policy knows them. */
static struct slu_demand demand_of(const struct sim *s, size_t i, int64_t now)
{
	const struct job *j = &s->job[i];
	struct slu_demand d = {.nodes = (double)s->mix->log->job[i].procs,
			       .rate = j->f.rate,
			       .seconds = j->f.seconds};
	double gone = (double)(now - j->start);

	if (j->start < 0)
		return d;
	if (s->policy->rule == OURS && s->policy->knowledge != TRUTH)
		d.rate = slu_admission_seen(&d, gone, fs_moved(s->fs, i),
					    fs_rate(s->fs) >
						    BUSY * s->mix->capacity);
	d.seconds = fmax(j->f.seconds - gone, AGAIN);
	return d;
}

/* Describes the present jobs to the policies, once for each point in time. */
static void look(struct sim *s, int64_t now)
{
	for (size_t k = 0; k < s->n_running; k++)
		s->is_running[k] = demand_of(s, s->running[k], now);
	for (size_t k = 0; k < s->n_waiting; k++)
		s->is_waiting[k] = demand_of(s, s->waiting[k], now);
	if (slu_admission_look(&s->admit, &s->site, s->is_running, s->n_running,
			       s->is_waiting, s->n_waiting) < 0 ||
	    slu_groups_divide(s->is_running, s->n_running, s->is_waiting,
			      s->n_waiting, (double)s->mix->procs,
			      &s->groups) < 0)
		s->failed = true;
	s->looked = now;
	s->was_idle = s->idle - s->freed;
	s->freed = 0;
	s->held = false;
}

static bool is_heavy(const struct sim *s, double rate)
{
	return rate > s->site.small * s->mix->capacity;
}

/* CAP: at most as many jobs with heavy I/O as together fill the file system, by
 * the mean rate of those that have ended. */
static bool under_cap(const struct sim *s, const struct slu_demand *d)
{
	double n = 0, most = 1;

	if (!is_heavy(s, d->rate))
		return true;
	if (s->heavy_rate > 0)
		most = fmax(s->mix->capacity * s->heavy / s->heavy_rate, 1);
	for (size_t k = 0; k < s->n_running; k++)
		n += is_heavy(s, s->job[s->running[k]].f.rate);
	return n < most;
}

static bool has_licences(const struct sim *s, const struct slu_demand *d)
{
	double c = s->mix->capacity;

	return d->rate <= 0 || s->admit.demand + fmin(d->rate, c) <= c;
}

static bool may(const struct sim *s, size_t i, int64_t now)
{
	const struct job *j = &s->job[i];
	struct slu_admission_ask ask = {
		.is = demand_of(s, i, now),
		.held = j->held < 0 ? 0 : now - j->held,
		.idle = s->was_idle,
	};

	if (s->policy->knowledge == TRUE_BOUND)
		ask.is.seconds = s->mix->alone[i];

	if (!s->n_running)
		return true;
	switch (s->policy->rule) {
	case ANY:
		return true;
	case CAP:
		return under_cap(s, &ask.is);
	case LICENCES:
		return has_licences(s, &ask.is);
	case PAPER:
		return ask.is.rate <= 0 ||
		       (has_licences(s, &ask.is) &&
			slu_groups_fit(&s->groups, &ask.is));
	case OURS:
		break;
	}
	return slu_admission_ask(&s->admit, &ask) != SLU_ADMISSION_HELD;
}

static bool may_start(void *arg, size_t i, int64_t now)
{
	struct sim *s = arg;

	if (s->policy->rule == ANY)
		return true;
	if (s->looked != now)
		look(s, now);
	if (may(s, i, now))
		return true;
	s->held = true;
	s->job[i].last_held = now;
	if (s->job[i].held < 0)
		s->job[i].held = now;
	return false;
}

static void read_busy_clock(struct sim *s, int64_t now)
{
	struct busy_clock *clock = &s->busy;

	if (clock->is)
		clock->busy += (double)now - clock->at;
	clock->at = (double)now;
	clock->is = fs_rate(s->fs) > BUSY * s->mix->capacity;
}

/* The part of an ended job's time in which the file system was not busy. */
static double calm_of(const struct sim *s, size_t i, int64_t start, int64_t end)
{
	return 1 -
	       (s->busy.busy - s->job[i].busy) / fmax((double)(end - start), 1);
}

static void drop(size_t *list, size_t *n, size_t i)
{
	size_t k = 0;

	while (list[k] != i)
		k++;
	memmove(&list[k], &list[k + 1], (--*n - k) * sizeof(*list));
}

static void begun(void *arg, size_t i, int64_t now)
{
	struct sim *s = arg;
	struct slu_demand d = demand_of(s, i, now);

	if (slu_admission_begun(&s->admit, &d) < 0)
		s->failed = true;
	slu_groups_begun(&s->groups, &d);
	s->job[i].start = now;
	read_busy_clock(s, now);
	s->job[i].busy = s->busy.busy;
	s->idle -= d.nodes;
	s->running[s->n_running++] = i;
	drop(s->waiting, &s->n_waiting, i);
	fs_start(s->fs, i, (double)now);
}

static size_t ended(void *arg, int64_t now)
{
	struct sim *s = arg;
	size_t i = fs_ended(s->fs, (double)now);

	read_busy_clock(s, now);
	if (i == (size_t)-1)
		return SLU_EASY_NONE;
	s->idle += (double)s->mix->log->job[i].procs;
	s->freed += (double)s->mix->log->job[i].procs;
	return i;
}

static int64_t next(void *arg, int64_t now)
{
	const struct sim *s = arg;
	double when = fs_next_end(s->fs);

	if (s->held)
		when = fmin(when, (double)(now + AGAIN));
	if (isinf(when))
		return INT64_MAX;
	return (int64_t)ceil(fmax(when, (double)(now + 1)));
}

static double predict(void *arg, size_t i, int64_t now)
{
	struct sim *s = arg;

	s->job[i].f = teller_ask(s->teller, i, now);
	s->waiting[s->n_waiting++] = i;
	return (double)s->mix->log->job[i].request;
}

static double renew(void *arg, size_t i, int64_t elapsed)
{
	const struct sim *s = arg;

	(void)elapsed;
	return (double)s->mix->log->job[i].request;
}

static void learn(void *arg, size_t i, int64_t start, int64_t end)
{
	struct sim *s = arg;
	double rate = mix_rate(s->mix, i);

	s->job[i].end = end;
	drop(s->running, &s->n_running, i);
	teller_learn(s->teller, i, start, end, calm_of(s, i, start, end));
	s->heavy += is_heavy(s, rate);
	s->heavy_rate += is_heavy(s, rate) ? rate : 0;
}

/* The coefficient of variation of run time / run time alone over all jobs. */
static double spread_of(const struct sim *s)
{
	double n = (double)s->mix->log->n, sum = 0, square = 0;

	for (size_t i = 0; i < s->mix->log->n; i++) {
		double longer = (double)(s->job[i].end - s->job[i].start) /
				fmax(s->mix->alone[i], 10);

		sum += longer / n;
		square += longer * longer / n;
	}
	return sqrt(fmax(square - sum * sum, 0)) / sum;
}

static void measure(const struct sim *s, double out[MEASURES])
{
	const struct swf_log *log = s->mix->log;
	double last = 0, need = 0;

	memset(out, 0, MEASURES * sizeof(*out));
	for (size_t i = 0; i < log->n; i++) {
		const struct job *j = &s->job[i];
		double procs = (double)log->job[i].procs;
		double alone = s->mix->alone[i];
		double all = (double)(j->end - log->job[i].submit);
		double longer = (double)(j->end - j->start) - alone;

		last = fmax(last, (double)j->end);
		out[SLOWDOWN] +=
			fmax(all / fmax(alone, 10), 1) / (double)log->n;
		out[LOST] += procs * fmax(longer, 0) / 3600;
		need += procs * alone;
		if (j->held >= 0)
			out[HOLD] = fmax(out[HOLD],
					 (double)(j->last_held - j->held));
	}
	out[MAKESPAN] = last - (double)log->job[0].submit;
	out[SPREAD] = spread_of(s);
	out[UTILISATION] = need / out[MAKESPAN] / (double)s->mix->procs;
}

static int sim_init(struct sim *s)
{
	size_t n = s->mix->log->n + 1;

	s->site = iostart_site;
	if (s->policy->over > 0)
		s->site.over = s->policy->over;
	s->site.capacity = s->mix->capacity;
	s->site.nodes = s->idle = (double)s->mix->procs;
	s->looked = -1;
	s->fs = fs_new(s->mix->io, s->mix->log->n, s->mix->capacity);
	s->teller = teller_new(s->mix, s->policy->knowledge);
	s->job = calloc(n, sizeof(*s->job));
	s->running = calloc(n, sizeof(*s->running));
	s->waiting = calloc(n, sizeof(*s->waiting));
	s->is_running = calloc(n, sizeof(*s->is_running));
	s->is_waiting = calloc(n, sizeof(*s->is_waiting));
	for (size_t i = 0; s->job && i < n; i++)
		s->job[i].start = s->job[i].held = -1;
	return s->fs && s->teller && s->job && s->running && s->waiting &&
			       s->is_running && s->is_waiting
		       ? 0
		       : -1;
}

static void sim_free(struct sim *s)
{
	fs_free(s->fs);
	teller_free(s->teller);
	slu_admission_free(&s->admit);
	free(s->job);
	free(s->running);
	free(s->waiting);
	free(s->is_running);
	free(s->is_waiting);
}

int iostart_run(const struct mix *mix, const struct policy *policy,
		double out[MEASURES])
{
	struct sim s = {.mix = mix, .policy = policy};
	struct slu_easy_shared shared = {may_start, begun, ended, next, &s};
	struct slu_easy_site site = {.procs = mix->procs, .shared = &shared};
	struct slu_easy_oracle oracle = {predict, renew, learn, &s, 0};
	int64_t *start = calloc(mix->log->n + 1, sizeof(*start));
	struct slu_easy_result result;
	int rc = start ? sim_init(&s) : -1;

	if (rc == 0)
		rc = easy_run(mix->log, &site, &oracle, start, &result);
	if (rc == 0 && !s.failed)
		measure(&s, out);
	sim_free(&s);
	free(start);
	return rc < 0 || s.failed ? -1 : 0;
}
