/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Decides whether IOStart lets a job start now, and estimates when it will. */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <math.h>
#include <stdlib.h>
#include "job_submit/name.h"

static struct io_wait *wait_of(struct slu_iostart *s,
			       const struct slu_io_job *job, int64_t now)
{
	struct io_wait *wait = slu_io_wait(s, job->job_id, now);

	if (wait)
		return wait;
	wait = calloc(1, sizeof(*wait));
	if (!wait || slu_map_put(&s->waiting, job->job_id, wait) < 0) {
		free(wait);
		return NULL;
	}
	wait->job_id = job->job_id;
	wait->since = job->since && job->since < now ? job->since : now;
	return wait;
}

/* A clock that was set back does not make a job wait longer. */
static int64_t held_for(struct slu_iostart *s, const struct slu_io_job *job,
			int64_t now)
{
	const struct io_wait *wait = slu_io_wait(s, job->job_id, now);
	int64_t since = job->since;

	if (wait && (!since || wait->since < since))
		since = wait->since;
	if (!since)
		return 0;
	return now >= since ? now - since : INT64_MAX;
}

static bool is_held(struct slu_iostart *s, const struct slu_io_job *job,
		    const struct slu_admission_ask *ask)
{
	enum slu_admission_answer answer = slu_admission_ask(&s->admit, ask);
	struct io_wait *wait = slu_map_get(&s->waiting, job->job_id);

	if (wait && answer == SLU_ADMISSION_PROMISED)
		wait->bound = true;
	return answer == SLU_ADMISSION_HELD;
}

static bool note_wait(struct slu_iostart *s, const struct slu_io_job *job,
		      const struct slu_admission_ask *ask, int64_t now,
		      char why[SLU_IOSTART_WHY])
{
	struct io_wait *wait = wait_of(s, job, now);

	if (!wait) /* it would not be known how long the job has waited */
		return false;
	wait->asked = now;
	wait->when = now + slu_admission_when(&s->admit, ask);
	slu_io_explain(s, &ask->is, wait->when, why);
	slu_copy(wait->why, sizeof(wait->why), why);
	return s->mode == SLU_IOSTART_ON;
}

/* Does the job wait on? True for one that waited before slurmctld was
 * restarted, as long as history has not been read: what the job would move is
 * not known then. */
static bool waits_on(struct slu_iostart *s, const struct slu_io_job *job,
		     int64_t now, char why[SLU_IOSTART_WHY])
{
	struct io_wait *wait;

	if (s->mode != SLU_IOSTART_ON || s->taught || !job->since ||
	    now < s->active || now - s->active >= SLU_IOSTART_GRACE ||
	    now < job->since || now - job->since >= s->site.max_wait)
		return false;
	wait = wait_of(s, job, now);
	if (!wait)
		return false;
	wait->asked = now;
	wait->when = s->active + SLU_IOSTART_GRACE;
	slu_copy(why, SLU_IOSTART_WHY,
		 "waits for bandwidth of the parallel file system: history is "
		 "being read");
	slu_copy(wait->why, sizeof(wait->why), why);
	return true;
}

bool slu_iostart_waits(struct slu_iostart *s, const struct slu_io_job *job,
		       int64_t now, char why[SLU_IOSTART_WHY])
{
	struct slu_admission_ask ask = {
		.is = {.nodes = job->nodes, .seconds = job->seconds}};
	char plain[SLU_IO_NAME];
	bool waits = false;

	slu_plain_name(job->name, plain, sizeof(plain));
	pthread_mutex_lock(&s->lock);
	if (slu_io_is_able(s, now)) {
		ask.is.rate = slu_io_foretell(s, job->uid, plain, job->nodes,
					      job->seconds);
		ask.held = held_for(s, job, now);
		waits = ask.is.rate > s->site.small * s->site.capacity &&
			slu_io_look(s, now) && is_held(s, job, &ask) &&
			note_wait(s, job, &ask, now, why);
	}
	waits = waits || waits_on(s, job, now, why);
	pthread_mutex_unlock(&s->lock);
	return waits;
}

int64_t slu_iostart_when(struct slu_iostart *s, uint32_t job_id, int64_t now)
{
	const struct io_wait *wait;
	int64_t when = now;

	pthread_mutex_lock(&s->lock);
	wait = slu_map_get(&s->waiting, job_id);
	if (wait && wait->when > now)
		when = wait->when;
	pthread_mutex_unlock(&s->lock);
	return when;
}
