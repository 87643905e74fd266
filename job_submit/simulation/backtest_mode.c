/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates the queue with the limits that one PredictMode would have set, and
 * collects its metrics. A job has its recorded run time in every mode: how long
 * a job that was ended at its limit would have run is not known.
 */
#include "job_submit/simulation/backtest_mode.h"

#include <math.h>
#include <stdlib.h>

#define LATE 60 /* s; a later extension counts as late */
#define EVER (10 * 366 * 86400LL)

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int64_t seconds(uint32_t minutes)
{
	return minutes == SLU_LIMIT_NONE ? EVER : (int64_t)minutes * 60;
}

/* A job of unknown size counts by its nodes, or as one. */
static int64_t size_of(const struct slu_workload_job *job, bool cpus)
{
	int64_t size = cpus && job->cpus ? job->cpus : job->nodes;

	return size > 0 ? size : 1;
}

static struct slu_easy_job easy_job(const struct slu_workload_job *job,
				    bool cpus)
{
	int64_t whole = seconds(slu_workload_replay_whole(job));

	return (struct slu_easy_job){
		.submit = job->eligible,
		.run = job->run < whole ? job->run : whole,
		.request = whole,
		.procs = size_of(job, cpus),
	};
}

static int by_eligible(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct slu_workload *past = arg;

	if (past->job[x].eligible != past->job[y].eligible)
		return past->job[x].eligible < past->job[y].eligible ? -1 : 1;
	return (x > y) - (x < y);
}

struct change {
	int64_t when, by;
};

static int by_when(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->when > y->when) - (x->when < y->when);
}

/* Converts changes, sorted by time, to {level, seconds at that level}. */
static void to_levels(struct change *change, size_t n)
{
	int64_t level = 0;

	for (size_t k = 0; k < n; k++) {
		int64_t length =
			k + 1 < n ? change[k + 1].when - change[k].when : 0;

		level += change[k].by;
		change[k] = (struct change){level, length};
	}
}

/* The 99 % quantile of what was in use over time: more than the whole machine
 * is recorded where jobs share nodes, or clocks differ. -1 without memory. */
static int64_t usually_in_use(const struct slu_workload *past,
			      const struct slu_backtest_queue *q)
{
	struct change *change = calloc(2 * q->n + 1, sizeof(*change));
	int64_t all = 0, above = 0, most;
	size_t n = 2 * q->n;

	if (!change)
		return -1;
	for (size_t k = 0; k < q->n; k++) {
		const struct slu_workload_job *job = &past->job[q->job[k]];
		int64_t size = q->easy[k].procs;

		change[2 * k] = (struct change){job->start, size};
		change[2 * k + 1] = (struct change){job->end, -size};
	}
	qsort(change, n, sizeof(*change), by_when);
	to_levels(change, n);
	qsort(change, n, sizeof(*change), by_when);
	for (size_t k = 0; k < n; k++)
		all += change[k].by;
	while (n > 1 && (above += change[n - 1].by) <= all / 100)
		n--;
	most = n ? change[n - 1].when : 0;
	free(change);
	return most;
}

static void measure_past(const struct slu_workload *past,
			 struct slu_backtest_queue *q)
{
	for (size_t k = 0; k < q->n; k++) {
		const struct slu_workload_job *job = &past->job[q->job[k]];
		double wait = (double)(job->start - job->eligible);
		double run = (double)job->run;

		wait = fmax(wait, 0);
		q->wait += wait / (double)q->n;
		q->slowdown +=
			fmax((wait + run) / fmax(run, 10), 1) / (double)q->n;
	}
}

static int set_machine(const struct slu_workload *past, int64_t asked,
		       struct slu_backtest_queue *q, struct slu_err *err)
{
	int64_t largest = 0;

	for (size_t k = 0; k < q->n; k++)
		if (q->easy[k].procs > largest)
			largest = q->easy[k].procs;
	q->machine = asked ? asked : usually_in_use(past, q);
	if (q->machine < 0)
		return nomem(err);
	q->machine = q->machine > largest ? q->machine : largest;
	return 0;
}

/* Jobs that exceed the machine are left out. */
static void leave_out_larger(const struct slu_workload *past, int64_t machine,
			     struct slu_backtest_queue *q)
{
	size_t n = 0;

	for (size_t k = 0; k < q->n; k++)
		if (size_of(&past->job[q->job[k]], q->cpus) <= machine)
			q->job[n++] = q->job[k];
	q->larger = q->n - n;
	q->n = n;
}

int slu_backtest_queue(const struct slu_workload *past,
		       const struct slu_backtest_options *ask,
		       struct slu_backtest_queue *q, struct slu_err *err)
{
	*q = (struct slu_backtest_queue){
		.job = calloc(past->n + 1, sizeof(*q->job)),
		.easy = calloc(past->n + 1, sizeof(*q->easy))};
	size_t tell = 0;

	if (!q->job || !q->easy)
		return nomem(err);
	for (uint32_t i = 0; i < past->n; i++)
		if (past->job[i].submit >= ask->since && past->job[i].run > 0) {
			q->job[q->n++] = i;
			tell += past->job[i].cpus > 0;
		}
	q->cpus = 2 * tell > q->n;
	if (ask->machine)
		leave_out_larger(past, ask->machine, q);
	if (q->n)
		qsort_r(q->job, q->n, sizeof(*q->job), by_eligible,
			(void *)(uintptr_t)past);
	for (size_t k = 0; k < q->n; k++)
		q->easy[k] = easy_job(&past->job[q->job[k]], q->cpus);
	measure_past(past, q);
	return set_machine(past, ask->machine, q, err);
}

void slu_backtest_queue_free(struct slu_backtest_queue *q)
{
	free(q->job);
	free(q->easy);
	*q = (struct slu_backtest_queue){0};
}

struct planned {
	const struct slu_backtest_queue *q;
	const struct slu_workload_replayed *said;
	const struct slu_backtest_options *ask;
	enum slu_backtest_mode mode;
	size_t submitted;
};

/* The scheduler plans with the tightened limit, and after its extension with
 * the whole one. */
static double predict(void *arg, size_t k, int64_t now)
{
	struct planned *p = arg;

	(void)now;
	slu_progress_report(p->ask->progress, slu_backtest_name[p->mode],
			    ++p->submitted, p->q->n);
	return (double)seconds(p->said[p->q->job[k]].limit[p->mode]);
}

static double renew(void *arg, size_t k, int64_t elapsed)
{
	const struct planned *p = arg;

	(void)elapsed;
	return (double)p->q->easy[k].request;
}

static void learn(void *arg, size_t k, int64_t start, int64_t end)
{
	(void)arg, (void)k, (void)start, (void)end;
}

/* Classifies a tightened limit; `first`: the guard's first check. */
static void count_lowered(const struct slu_easy_job *job, uint32_t limit,
			  int64_t first, struct slu_backtest_counts *c)
{
	int64_t before = slu_limit_extended_before(limit, first);
	int64_t end = seconds(limit);
	bool extended = job->run > end - before;

	c->lowered++;
	if (!extended) {
		c->freed += (double)(job->request - end) * (double)job->procs;
		return;
	}
	c->extended++;
	c->late += before < LATE;
	c->cut += before <= 0 && job->run > end;
}

static void count(const struct slu_workload_job *past,
		  const struct slu_easy_job *job, uint32_t limit, uint32_t i,
		  double wait, struct slu_backtest_counts *c)
{
	uint32_t whole = slu_workload_replay_whole(past);

	c->jobs++;
	c->wait += wait;
	if (limit < whole)
		count_lowered(job, limit, i * 7 % SLU_LIMIT_LOOK, c);
	else
		c->raised += limit > whole;
}

static void count_all(const struct slu_workload *past,
		      const struct slu_workload_replayed *said,
		      const struct slu_backtest_queue *q,
		      enum slu_backtest_mode mode, const int64_t *start,
		      struct slu_backtest_outcome *out)
{
	for (size_t k = 0; k < q->n; k++) {
		uint32_t i = q->job[k], limit = said[i].limit[mode];
		const struct slu_workload_job *job = &past->job[i];
		double wait = (double)(start[k] - q->easy[k].submit);

		count(job, &q->easy[k], limit, i, wait, &out->all);
		count(job, &q->easy[k], limit, i, wait,
		      &out->of[slu_backtest_user(job)]);
		count(job, &q->easy[k], limit, i, wait,
		      &out->of[slu_backtest_partition(job)]);
	}
}

int slu_backtest_outcome(const struct slu_workload *past,
			 const struct slu_workload_replayed *said,
			 const struct slu_backtest_queue *q,
			 const struct slu_backtest_options *ask,
			 enum slu_backtest_mode mode,
			 struct slu_backtest_outcome *out, struct slu_err *err)
{
	struct planned planned = {q, said, ask, mode, 0};
	const struct slu_easy_oracle oracle = {predict, renew, learn, &planned,
					       slu_limit_lead(SLU_LIMIT_NONE)};
	const struct slu_easy_site site = {.procs = q->machine};
	int64_t *start = calloc(q->n + 1, sizeof(*start));
	int rc;

	*out = (struct slu_backtest_outcome){
		.of = calloc(2 * (size_t)slu_intern_count(past->names),
			     sizeof(*out->of))};
	rc = start && out->of ? slu_easy_run(q->easy, q->n, &site, &oracle,
					     start, &out->easy)
			      : -1;
	if (rc == 0)
		count_all(past, said, q, mode, start, out);
	free(start);
	return rc < 0 ? nomem(err) : 0;
}
