/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the history into memory, with interned texts, and sorts it by
 * submission or by end.
 */
#include "job_submit/simulation/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include "job_submit/ended.h"
#include "job_submit/history/job_history.h"
#include "job_submit/name.h"

#define NAME 256 /* size of a normalised name, as in the predictor */

void slu_progress_report(const struct slu_progress *progress, const char *what,
			 uint64_t done, uint64_t all)
{
	uint64_t step = all / 100 + 1;

	if (progress && progress->tell && (done % step == 0 || done == all))
		progress->tell(progress->arg, what, done, all);
}

struct reading {
	struct slu_workload *past;
	const struct slu_progress *progress;
	uint64_t all;
};

static int grow(struct slu_workload *p)
{
	size_t room = p->room ? 2 * p->room : 4096;
	struct slu_workload_job *job = realloc(p->job, room * sizeof(*job));

	if (!job)
		return -1;
	p->job = job;
	p->room = room;
	return 0;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static struct slu_workload_job take_times(const struct slu_job *j)
{
	int64_t submit = j->submit > 0 ? j->submit : j->start;

	return (struct slu_workload_job){
		.submit = submit,
		.eligible = later(j->eligible, submit),
		.start = j->start,
		.end = j->end,
		.run = later(slu_run_time(j), 0),
		.uid = j->uid,
		.nodes = j->node_cnt,
		.cpus = j->cpus,
		.asked = j->limit_asked,
		.limit = j->limit,
		.ours = j->tightened,
	};
}

static int take_texts(struct slu_intern *names, const struct slu_job *j,
		      struct slu_workload_job *out)
{
	char plain[NAME], uid[16];

	snprintf(uid, sizeof(uid), "%u", j->uid);
	slu_plain_name(j->name, plain, sizeof(plain));
	out->name = slu_intern_put(names, j->name ? plain : NULL);
	out->user = slu_intern_put(names, j->user ? j->user : uid);
	out->account = slu_intern_put(names, j->account);
	out->partition = slu_intern_put(names, j->partition);
	out->state = slu_intern_put(names, j->state);
	return out->name == SLU_INTERN_NONE || out->user == SLU_INTERN_NONE ||
			       out->account == SLU_INTERN_NONE ||
			       out->partition == SLU_INTERN_NONE ||
			       out->state == SLU_INTERN_NONE
		       ? -1
		       : 0;
}

static int take(void *arg, const struct slu_history_row *row,
		struct slu_err *err)
{
	struct reading *r = arg;
	struct slu_workload *p = r->past;
	struct slu_workload_job job = take_times(&row->job);

	if (p->n == UINT32_MAX || (p->n == p->room && grow(p) < 0) ||
	    take_texts(p->names, &row->job, &job) < 0)
		return slu_err(err, SLU_NOMEM, "out of memory");
	p->job[p->n++] = job;
	slu_progress_report(r->progress, "reading", p->n, r->all);
	return 0;
}

static int by_submit(const void *a, const void *b)
{
	const struct slu_workload_job *x = a, *y = b;

	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

int slu_workload_read(struct slu_db *db, const struct slu_progress *progress,
		      struct slu_workload *out, struct slu_err *err)
{
	const struct slu_history_query query = {.uid = SLU_NO_ID};
	struct reading r = {.past = out, .progress = progress};
	int64_t all = 0;

	*out = (struct slu_workload){.names = slu_intern_new()};
	if (!out->names)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_db_value(db, &all, 0, err, "SELECT COUNT(*) FROM History", "") <
	    0)
		return -1;
	r.all = (uint64_t)all;
	if (slu_history_each(db, &query, take, &r, err) < 0)
		return -1;
	if (out->n)
		qsort(out->job, out->n, sizeof(*out->job), by_submit);
	return 0;
}

void slu_workload_free(struct slu_workload *past)
{
	free(past->job);
	slu_intern_free(past->names);
	*past = (struct slu_workload){0};
}

struct slu_job slu_workload_job(const struct slu_workload *past, size_t i)
{
	const struct slu_workload_job *j = &past->job[i];
	const struct slu_intern *names = past->names;

	return (struct slu_job){
		.uid = j->uid,
		.user = (char *)(uintptr_t)slu_intern_text(names, j->user),
		.name = (char *)(uintptr_t)slu_intern_text(names, j->name),
		.account =
			(char *)(uintptr_t)slu_intern_text(names, j->account),
		.partition =
			(char *)(uintptr_t)slu_intern_text(names, j->partition),
		.state = (char *)(uintptr_t)slu_intern_text(names, j->state),
		.node_cnt = j->nodes,
		.limit_asked = j->asked,
		.submit = j->submit,
		.start = j->run ? j->end - j->run : j->end,
		.end = j->end,
	};
}

static int by_end(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct slu_workload *past = arg;

	if (past->job[x].end != past->job[y].end)
		return past->job[x].end < past->job[y].end ? -1 : 1;
	return (x > y) - (x < y);
}

void slu_workload_by_end(const struct slu_workload *past, uint32_t *out)
{
	for (uint32_t i = 0; i < past->n; i++)
		out[i] = i;
	if (past->n)
		qsort_r(out, past->n, sizeof(*out), by_end,
			(void *)(uintptr_t)past);
}
