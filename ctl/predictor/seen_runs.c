/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers which runs the predictor has learned, as a short list, which is
 * needed only until history has been read once, and as a position in the
 * history.
 */
/* A short list: in use only until history has been read once. */
#include "config.h"
#include "ctl/predictor/seen_runs.h"

#include <stdlib.h>

int slu_seen_runs_add(struct slu_seen_runs *l, const struct slu_job *job,
		      bool waits)
{
	struct slu_seen_run *grown, new = {
					    .job.job_id = job->job_id,
					    .job.start = job->start,
					    .waits = waits,
				    };

	if (l->n >= SLU_SEEN_RUNS)
		return -1;
	grown = realloc(l->run, (l->n + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	l->run = grown;
	if (waits && slu_job_copy(&new.job, job) < 0)
		return -1;
	if (l->n == 0 || job->end < l->since)
		l->since = job->end;
	grown[l->n++] = new;
	return 0;
}

bool slu_seen_runs_has(const struct slu_seen_runs *l, const struct slu_job *job)
{
	if (job->end < l->since) /* true for most of a long history */
		return false;
	for (size_t i = 0; i < l->n; i++)
		if (l->run[i].job.job_id == job->job_id &&
		    l->run[i].job.start == job->start)
			return true;
	return false;
}

static void forget(struct slu_seen_run *run)
{
	struct slu_job kept = {.job_id = run->job.job_id,
			       .start = run->job.start};

	if (run->waits)
		slu_msg_clear(&slu_job_desc, &run->job);
	*run = (struct slu_seen_run){.job = kept};
}

void slu_seen_runs_learn(struct slu_seen_runs *l,
			 void (*learn)(void *arg, const struct slu_job *job),
			 void *arg)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->run[i].waits)
			learn(arg, &l->run[i].job);
		forget(&l->run[i]);
	}
}

void slu_seen_runs_clear(struct slu_seen_runs *l)
{
	for (size_t i = 0; i < l->n; i++)
		forget(&l->run[i]);
	free(l->run);
	*l = (struct slu_seen_runs){0};
}

bool slu_history_position_none(const struct slu_history_position *heard)
{
	return !heard->all && !heard->job_id;
}

bool slu_history_position_is_new(struct slu_history_position *heard,
				 const struct slu_job *job)
{
	bool known = heard->again && job->end <= heard->end;

	if (heard->all)
		return false;
	/* What is not listed any more was passed before any later end. */
	if (heard->again &&
	    (job->end > heard->end ||
	     (job->job_id == heard->job_id && job->start == heard->start)))
		heard->again = false;
	if (known)
		return false;
	heard->start = job->start;
	heard->end = job->end;
	heard->job_id = job->job_id;
	return true;
}

bool slu_history_position_expects(const struct slu_history_position *heard,
				  const struct slu_job *job)
{
	return !heard->all && job->end > heard->end;
}

void slu_history_position_restart(struct slu_history_position *heard)
{
	heard->again = heard->job_id != 0;
}
