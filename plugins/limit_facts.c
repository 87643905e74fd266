/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what is known of a time limit that we manage: whether the guard may
 * extend it, the job's whole limit, and when a limit ends the job.
 */
#include "config.h"
#include "plugins/limits.h"

#include <time.h>

#define YEAR (365 * 24 * 3600)

bool slu_limit_may_be_guarded(const job_record_t *job)
{
	return job->admin_comment && strstr(job->admin_comment, "limit ");
}

bool slu_limit_guarded(const job_record_t *job, struct slu_note *note)
{
	return slu_limit_may_be_guarded(job) &&
	       slu_ctl_note_parse(job->admin_comment, note) &&
	       note->limit == SLU_LIMIT_GUARDED;
}

uint32_t slu_limit_whole(const job_record_t *job, const struct slu_note *note)
{
	const part_record_t *part = job->part_ptr;

	if (note->whole)
		return note->whole;
	if (!part)
		return SLU_NOTE_UNLIMITED;
	return part->default_time != NO_VAL ? part->default_time
					    : part->max_time;
}

/* Preempted, it ends with its grace time, however long its limit. */
static time_t last_end(job_record_t *job)
{
	uint32_t grace = job->preempt_time ? slu_job_grace_time(job) : 0;

	return grace ? job->preempt_time + (time_t)grace : (time_t)INT64_MAX;
}

time_t slu_limit_end(const job_record_t *job, uint32_t limit)
{
	time_t last = last_end((job_record_t *)(uintptr_t)job);
	time_t more = ((time_t)limit - (time_t)job->time_limit) * 60;
	time_t end =
		limit == INFINITE ? time(NULL) + YEAR : job->end_time + more;

	return end < last ? end : last;
}
