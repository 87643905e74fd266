/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects jobs of the history, learns the curves of their applications, and
 * passes them to the simulator of replay.c.
 */
#include "select_io/ion/evaluation/recorded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CURVES 16384
#define LUCK   10.0 /* limit of a run's speed relative to its application */

struct slu_recorded {
	struct slu_history_row *row;
	size_t n, room;
	struct slu_curves *curves;
	struct slu_replay_job *job;
	struct slu_recorded_facts facts;
};

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

struct slu_recorded *slu_recorded_new(struct slu_err *err)
{
	struct slu_recorded *r = calloc(1, sizeof(*r));

	if (!r)
		nomem(err);
	return r;
}

void slu_recorded_free(struct slu_recorded *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		slu_msg_clear(&slu_job_desc, &r->row[i].job);
	free(r->row);
	slu_curves_free(r->curves);
	free(r->job);
	free(r);
}

int slu_recorded_add(struct slu_recorded *r, const struct slu_history_row *row,
		     struct slu_err *err)
{
	if (r->n == r->room) {
		size_t room = r->room ? 2 * r->room : 1024;
		void *more = realloc(r->row, room * sizeof(*r->row));

		if (!more)
			return nomem(err);
		r->row = more;
		r->room = room;
	}
	r->row[r->n] = *row;
	r->row[r->n].by_fs = NULL;
	if (slu_job_copy(&r->row[r->n].job, &row->job) < 0)
		return nomem(err);
	r->n++;
	return 0;
}

/* The mean bandwidth of the application's curve over the numbers that the job
 * had; 0: not known. */
static double expected(const struct slu_curve *c, const struct slu_job *job)
{
	struct slu_ion_times t;
	double sum = 0;

	if (!slu_curves_times(job, true, &t))
		return 0;
	for (uint32_t i = 0; i < t.n; i++)
		sum += slu_curve_at(c, t.time[i].ions) * t.time[i].seconds;
	return sum / slu_ion_times_sum(&t);
}

static void take(struct slu_recorded *r, const struct slu_history_row *row)
{
	struct slu_replay_job *out = &r->job[r->facts.jobs++];
	const struct slu_curve *c =
		slu_curves_find(r->curves, slu_curves_class(&row->job));
	double ran = (double)slu_job_ran(&row->job), should;

	*out = (struct slu_replay_job){.job = row->job,
				       .due = (double)row->job.start,
				       .mb = ran,
				       .luck = 1};
	if (!slu_curve_known(c) || !(row->io_bandwidth > 0))
		return;
	should = expected(c, &row->job);
	if (should > 0)
		out->luck =
			fmin(fmax(row->io_bandwidth / should, 1 / LUCK), LUCK);
	out->curve = c;
	out->mb = row->io_bandwidth * ran;
	out->usual = row->io_bandwidth;
	r->facts.known++;
}

static int by_due(const void *a, const void *b)
{
	const struct slu_replay_job *x = a, *y = b;

	if (x->due != y->due)
		return x->due < y->due ? -1 : 1;
	return (x->job.job_id > y->job.job_id) -
	       (x->job.job_id < y->job.job_id);
}

struct moment {
	int64_t time, nodes;
};

static int by_time(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->nodes > y->nodes) - (x->nodes < y->nodes); /* ends first */
}

static int count_nodes(struct slu_recorded *r, struct slu_err *err)
{
	struct moment *m = calloc(2 * r->facts.jobs + 1, sizeof(*m));
	int64_t now = 0, most = 0;
	size_t n = 0;

	if (!m)
		return nomem(err);
	for (size_t i = 0; i < r->facts.jobs; i++) {
		const struct slu_job *job = &r->job[i].job;

		m[n++] = (struct moment){job->start, job->node_cnt};
		m[n++] = (struct moment){job->end, -(int64_t)job->node_cnt};
	}
	if (n)
		qsort(m, n, sizeof(*m), by_time);
	for (size_t i = 0; i < n; i++) {
		now += m[i].nodes;
		most = now > most ? now : most;
	}
	r->facts.nodes = (uint32_t)most;
	r->facts.seconds = n ? (double)(m[n - 1].time - m[0].time) : 0;
	free(m);
	return 0;
}

static bool can_run(const struct slu_job *job, int64_t since)
{
	return job->end >= since && job->start > 0 && job->node_cnt > 0 &&
	       slu_job_ran(job) > 0;
}

int slu_recorded_prepare(struct slu_recorded *r, int64_t since, bool direct,
			 struct slu_err *err)
{
	struct slu_ion_times t;

	r->curves = slu_curves_new(CURVES, err);
	r->job = calloc(r->n + 1, sizeof(*r->job));
	if (!r->curves || !r->job)
		return nomem(err);
	for (size_t i = 0; i < r->n; i++)
		if (slu_curves_times(&r->row[i].job, direct, &t))
			slu_curves_learn(r->curves, &r->row[i].job, &t,
					 r->row[i].io_bandwidth);
	for (size_t i = 0; i < r->n; i++)
		if (can_run(&r->row[i].job, since))
			take(r, &r->row[i]);
	if (r->facts.jobs)
		qsort(r->job, r->facts.jobs, sizeof(*r->job), by_due);
	for (size_t i = r->facts.jobs; i-- > 0;) {
		/* a requeued job may overlap its former run */
		r->job[i].job.job_id = (uint32_t)i + 1;
		r->job[i].due -= r->job[0].due;
	}
	return count_nodes(r, err);
}

struct slu_recorded_facts slu_recorded_facts(const struct slu_recorded *r)
{
	return r->facts;
}

static void teach(void *arg, struct slu_arbiter *a)
{
	const struct slu_recorded *r = arg;

	for (size_t i = 0; i < r->n; i++)
		slu_arbiter_learn(a, &r->row[i]);
}

int slu_recorded_replay(const struct slu_recorded *r,
			const struct slu_conf *conf, uint32_t compute,
			struct slu_replayed *out, struct slu_err *err)
{
	struct slu_replay q = {.conf = conf,
			       .compute = compute,
			       .teach = teach,
			       .arg = (void *)(uintptr_t)r};

	return slu_ion_replay(&q, r->job, r->facts.jobs, out, err);
}
