/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records, for each pending job, what it waits for and how long, whenever the
 * scheduler asks about it. Time between two questions counts up to GAP seconds;
 * jobs that are not asked about for FORGET seconds are dropped.
 */
#include "config.h"
#include "ctl/jobs/pending/waits.h"

#include <stdlib.h>

#include "common/size.h"

#define GAP 300 /* s between two questions that count, at most */
/* s after which a job that was not asked about is forgotten */
#define FORGET 86400
#define SWEEP  3600
#define SHOWN  20 /* lines */

struct slu_waiting {
	uint32_t job_id;
	enum slu_wait what, last; /* `last` is set */
	int64_t since, asked;	  /* beginning of `last`; last question */
	int64_t paused;		  /* when there was nothing to wait for */
	struct slu_waited waited;
	char why[256];
};

void slu_waits_init(struct slu_waits *w)
{
	*w = (struct slu_waits){0};
	pthread_mutex_init(&w->lock, NULL);
}

void slu_waits_forget(struct slu_waits *w)
{
	struct slu_waiting *job;

	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; (job = slu_map_next(&w->job, &i));)
		free(job);
	slu_map_free(&w->job);
	w->swept = 0;
	pthread_mutex_unlock(&w->lock);
}

void slu_waits_fini(struct slu_waits *w)
{
	slu_waits_forget(w);
	pthread_mutex_destroy(&w->lock);
}

/* Under the lock: drops jobs that were cancelled without a call of ours. */
static void sweep(struct slu_waits *w, int64_t now)
{
	struct slu_waiting *job;

	if (now < w->swept + SWEEP)
		return;
	w->swept = now;
	for (size_t i = 0; (job = slu_map_next(&w->job, &i));)
		if (now > job->asked + FORGET) {
			free(slu_map_del(&w->job, job->job_id));
			i--; /* another may have moved there */
		}
}

/* Under the lock; NULL: it waits for nothing and has not before, or there is no
 * memory. */
static struct slu_waiting *get(struct slu_waits *w, uint32_t job_id,
			       enum slu_wait what, int64_t now)
{
	struct slu_waiting *job = slu_map_get(&w->job, job_id);

	if (job || what == SLU_WAIT_NOTHING)
		return job;
	sweep(w, now);
	job = calloc(1, sizeof(*job));
	if (!job)
		return NULL;
	*job = (struct slu_waiting){.job_id = job_id, .asked = now};
	if (slu_map_put(&w->job, job_id, job) == 0)
		return job;
	free(job);
	return NULL;
}

/* What the job has waited for until now, and how long. */
static struct slu_waited waited_by(const struct slu_waiting *job, int64_t now)
{
	const int64_t gone = now - job->asked;
	struct slu_waited waited = job->waited;

	if (gone > 0)
		waited.seconds[job->what] += gone < GAP ? gone : GAP;
	return waited;
}

/* A later question in the same pass of the scheduler may change it again. */
static void change(struct slu_waiting *job, enum slu_wait what, int64_t now)
{
	if (job->what == what)
		return;
	if (what == SLU_WAIT_NOTHING) {
		job->paused = now;
	} else {
		if (what != job->last || now > job->paused + 1)
			job->since = now;
		job->last = what;
	}
	job->what = what;
}

void slu_waits_note(struct slu_waits *w, uint32_t job_id, enum slu_wait what,
		    const char *why, int64_t now)
{
	struct slu_waiting *job;

	pthread_mutex_lock(&w->lock);
	job = get(w, job_id, what, now);
	if (job) {
		job->waited = waited_by(job, now);
		job->asked = now;
		change(job, what, now);
		slu_copy(job->why, sizeof(job->why), why ? why : "");
	}
	pthread_mutex_unlock(&w->lock);
}

bool slu_waits_take(struct slu_waits *w, uint32_t job_id, int64_t now,
		    struct slu_waited *waited)
{
	struct slu_waiting *job;
	bool known;

	if (waited)
		*waited = (struct slu_waited){0};
	pthread_mutex_lock(&w->lock);
	job = slu_map_del(&w->job, job_id);
	pthread_mutex_unlock(&w->lock);
	if (job && waited)
		*waited = waited_by(job, now);
	known = job;
	free(job);
	return known;
}

void slu_waits_look(struct slu_waits *w, uint32_t job_id, int64_t now,
		    struct slu_waited *waited)
{
	const struct slu_waiting *job;

	*waited = (struct slu_waited){0};
	pthread_mutex_lock(&w->lock);
	job = slu_map_get(&w->job, job_id);
	if (job)
		*waited = waited_by(job, now);
	pthread_mutex_unlock(&w->lock);
}

static void print(const struct slu_waiting *job, int64_t now,
		  struct slu_buf *out)
{
	char time[SLU_TIME_TEXT];

	slu_buf_printf(out, "job %u (for %s): %s\n", (unsigned)job->job_id,
		       slu_seconds_text((double)(now - job->since), time),
		       job->why);
}

void slu_waits_print(struct slu_waits *w, uint32_t job_id, int64_t now,
		     struct slu_buf *out)
{
	const struct slu_waiting *job;
	size_t n = 0;

	pthread_mutex_lock(&w->lock);
	for (size_t i = 0; (job = slu_map_next(&w->job, &i));)
		if (job->what != SLU_WAIT_NOTHING && job->why[0] &&
		    (!job_id || job_id == job->job_id) && n++ < SHOWN)
			print(job, now, out);
	pthread_mutex_unlock(&w->lock);
	if (n > SHOWN)
		slu_buf_printf(out,
			       "(%zu more wait: scontrol show bbstat JOBID)\n",
			       n - SHOWN);
}
