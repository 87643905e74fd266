/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports the state of an early stage-in to hooks: looks up the buffer that
 * sluiced has made for a job that has no nodes yet (link/mirror.h). From memory
 * only.
 */
#include "config.h"
#include "ctl/private.h"
#include "ctl/jobs/pending/persistent_state.h"

#include <stdio.h>
#include <time.h>

/* Seconds until a job is reported again to sluiced, which may predict its
 * nodes: all jobs with an input are, and nothing waits for that. */
#define PREDICT_AGAIN 60

struct look {
	enum slu_ctl_prestage found;
	char *why;
};

static void look(void *arg, const struct slu_buffer_state *b)
{
	struct look *l = arg;

	if (b->leaving)
		return;
	l->found = slu_eq(b->state, "RUNNING") ? SLU_PRESTAGE_DONE
					       : SLU_PRESTAGE_BUSY;
	snprintf(l->why, SLU_CTL_WHY, "%.250s", b->text ? b->text : "");
}

static bool can_be(struct slu_ctl *ctl, uint32_t job_id, const char *text,
		   bool (*is)(const struct slu_request *req,
			      const struct slu_conf *conf))
{
	const struct slu_request *req =
		slu_parsed_of(&ctl->parsed, job_id, text);
	bool can = false;

	if (!req)
		return false;
	pthread_rwlock_rdlock(&ctl->site_lock);
	if (ctl->site->conf)
		can = is(req, ctl->site->conf);
	pthread_rwlock_unlock(&ctl->site_lock);
	slu_parsed_put(&ctl->parsed, req);
	return can;
}

static void tell(struct slu_ctl *ctl, uint32_t job_id, unsigned every,
		 void (*copy)(void *arg, struct slu_job *job), void *arg)
{
	struct slu_job job;

	if (!slu_persistent_wait_due(&ctl->mirror, job_id, every))
		return;
	copy(arg, &job);
	slu_ctl_waits(ctl, &job);
}

void slu_ctl_predict_want(struct slu_ctl *ctl, uint32_t job_id,
			  const char *text,
			  void (*copy)(void *arg, struct slu_job *job),
			  void *arg)
{
	if (slu_ctl_has_buffer(text) && ctl->linked &&
	    can_be(ctl, job_id, text, slu_request_predicted))
		tell(ctl, job_id, PREDICT_AGAIN, copy, arg);
}

enum slu_ctl_prestage slu_ctl_prestage(struct slu_ctl *ctl, uint32_t job_id,
				       const char *text, char why[SLU_CTL_WHY])
{
	struct look l = {.found = SLU_PRESTAGE_NEW, .why = why};

	if (!slu_ctl_has_buffer(text) || !ctl->linked ||
	    !can_be(ctl, job_id, text, slu_request_early_stage_in))
		return SLU_PRESTAGE_NO;
	pthread_mutex_lock(&ctl->mirror.lock);
	slu_mirror_early_stage_in(&ctl->mirror, job_id, look, &l);
	pthread_mutex_unlock(&ctl->mirror.lock);
	if (l.found == SLU_PRESTAGE_NEW)
		slu_persistent_wait_why(&ctl->mirror, job_id, why);
	else
		slu_waits_note(&ctl->waits, job_id,
			       l.found == SLU_PRESTAGE_BUSY ? SLU_WAIT_INPUT
							    : SLU_WAIT_NOTHING,
			       why, time(NULL));
	return l.found;
}

void slu_ctl_prestage_want(struct slu_ctl *ctl, uint32_t job_id,
			   void (*copy)(void *arg, struct slu_job *job),
			   void *arg)
{
	tell(ctl, job_id, SLU_WAIT_AGAIN, copy, arg);
}
