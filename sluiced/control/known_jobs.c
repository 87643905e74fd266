/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the jobs that slurmctld reports, as an array sorted by job id. Jobs
 * that ended more than an hour ago are removed once a minute.
 */
#include "sluiced/control/known_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "common/str.h"

#define KEEP_SECONDS 3600
#define FORGET_EVERY 60 /* seconds: it scans all of them */

struct slu_jobs {
	struct slu_known_job *job;
	size_t n, cap;
	double forgot; /* when old ones were last removed */
};

struct slu_jobs *slu_jobs_new(struct slu_err *err)
{
	struct slu_jobs *jobs = calloc(1, sizeof(*jobs));

	if (!jobs)
		slu_err(err, SLU_NOMEM, "out of memory");
	return jobs;
}

static void clear(struct slu_known_job *job)
{
	slu_hosts_free(&job->nodes);
	slu_msg_free(&slu_job_desc, job->job);
}

void slu_jobs_free(struct slu_jobs *jobs)
{
	if (!jobs)
		return;
	for (size_t i = 0; i < jobs->n; i++)
		clear(&jobs->job[i]);
	free(jobs->job);
	free(jobs);
}

static size_t lower_bound(const struct slu_jobs *jobs, uint32_t job_id)
{
	size_t low = 0, high = jobs->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (jobs->job[mid].job_id < job_id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct slu_known_job *slu_jobs_at(const struct slu_jobs *jobs, size_t i)
{
	return i < jobs->n ? &jobs->job[i] : NULL;
}

const struct slu_known_job *slu_jobs_find(const struct slu_jobs *jobs,
					  uint32_t job_id)
{
	size_t at = lower_bound(jobs, job_id);

	if (at < jobs->n && jobs->job[at].job_id == job_id)
		return &jobs->job[at];
	return NULL;
}

static int insert(struct slu_jobs *jobs, size_t at,
		  const struct slu_known_job *job)
{
	struct slu_known_job *more;

	if (jobs->n == jobs->cap) {
		size_t cap = jobs->cap ? jobs->cap * 2 : 64;

		more = realloc(jobs->job, cap * sizeof(*more));
		if (!more)
			return -1;
		jobs->job = more;
		jobs->cap = cap;
	}
	memmove(&jobs->job[at + 1], &jobs->job[at],
		(jobs->n - at) * sizeof(*job));
	jobs->job[at] = *job;
	jobs->n++;
	return 0;
}

/* -1: without memory. */
static int copy_job(struct slu_known_job *live, const struct slu_job *job)
{
	live->job = calloc(1, sizeof(*live->job));
	return live->job ? slu_job_copy(live->job, job) : -1;
}

int slu_jobs_start(struct slu_jobs *jobs, const struct slu_job *job,
		   struct slu_err *err)
{
	size_t at = lower_bound(jobs, job->job_id);
	struct slu_known_job new = {
		.job_id = job->job_id, .uid = job->uid, .start = job->start};

	if (!job->nodes || !job->nodes[0])
		return 0;
	if (slu_hosts_parse(job->nodes, &new.nodes, err) < 0)
		return slu_err_prefix(err, "nodes of job %u", job->job_id);
	slu_hosts_sort(&new.nodes);
	if (copy_job(&new, job) < 0)
		goto nomem;
	if (at < jobs->n && jobs->job[at].job_id == job->job_id) {
		clear(&jobs->job[at]);
		jobs->job[at] = new;
		return 0;
	}
	if (insert(jobs, at, &new) < 0)
		goto nomem;
	return 0;
nomem:
	clear(&new);
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static void mark_ended(struct slu_jobs *jobs, uint32_t job_id, double now)
{
	size_t at = lower_bound(jobs, job_id);

	if (at < jobs->n && jobs->job[at].job_id == job_id &&
	    !jobs->job[at].ended)
		jobs->job[at].ended = now;
}

static void forget_old(struct slu_jobs *jobs, double now)
{
	size_t kept = 0;

	if (now >= jobs->forgot && now < jobs->forgot + FORGET_EVERY)
		return;
	jobs->forgot = now;
	for (size_t i = 0; i < jobs->n; i++) {
		struct slu_known_job *job = &jobs->job[i];

		if (job->ended && now - job->ended > KEEP_SECONDS)
			clear(job);
		else
			jobs->job[kept++] = *job;
	}
	jobs->n = kept;
}

void slu_jobs_end(struct slu_jobs *jobs, uint32_t job_id, double now)
{
	mark_ended(jobs, job_id, now);
	forget_old(jobs, now);
}

static bool is_running(const struct slu_job *job)
{
	return slu_eq(job->state, "RUNNING") || slu_eq(job->state, "SUSPENDED");
}

int slu_jobs_set(struct slu_jobs *jobs, const struct slu_job *list, size_t n,
		 double now, struct slu_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < jobs->n; i++)
		if (!jobs->job[i].ended)
			jobs->job[i].ended = now;
	for (size_t i = 0; i < n; i++) {
		if (slu_jobs_start(jobs, &list[i], rc ? NULL : err) < 0)
			rc = -1;
		if (!is_running(&list[i]))
			mark_ended(jobs, list[i].job_id, now);
	}
	forget_old(jobs, now);
	return rc;
}

size_t slu_jobs_running(const struct slu_jobs *jobs)
{
	size_t running = 0;

	for (size_t i = 0; i < jobs->n; i++)
		running += !jobs->job[i].ended;
	return running;
}
