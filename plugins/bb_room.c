/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks libsluice whether a job may start, as far as pools and early stage-in
 * are concerned, on behalf of burst_buffer/sluice. Components of a
 * heterogeneous job start together or not at all.
 */
#include "config.h"
#include "plugins/bb_room.h"

#include <stdio.h>

#include "plugins/hetjobs.h"
#include "plugins/job_fields.h"
#include "plugins/reserve.h"

int64_t slu_bb_end_of(uint32_t job_id)
{
	const job_record_t *job = find_job_record(job_id);

	return job ? job->end_time : 0;
}

void slu_bb_copy_job(void *arg, struct slu_job *job)
{
	slu_copy_job(arg, job);
}

bool slu_bb_is_eligible(const job_record_t *job)
{
	const job_details_t *d = job->details;

	return d && job->priority && !(job->bit_flags & JOB_DEPENDENT) &&
	       d->begin_time && d->begin_time <= time(NULL);
}

bool slu_bb_is_pending(uint32_t job_id)
{
	const job_record_t *job = find_job_record(job_id);

	return job && IS_JOB_PENDING(job) && slu_bb_is_eligible(job);
}

/* May the job have what it needs of a pool now? */
static bool in_turn(struct slu_ctl *ctl, const job_record_t *job,
		    char why[SLU_CTL_WHY])
{
	time_t now = time(NULL);
	uint32_t limit = job->time_limit;
	struct slu_ctl_request others[SLU_CTL_OTHERS];
	const struct slu_ctl_reservation turn = {
		.job_id = slu_hetjob_leader(job)->job_id,
		.own = job->job_id,
		.uid = job->user_id,
		.priority = job->priority,
		.start = job->start_time > now ? job->start_time : 0,
		.end = limit == INFINITE || limit == NO_VAL
			       ? 0
			       : now + (int64_t)limit * 60,
		.with = others,
		.n_with = slu_hetjob_others(job, others),
		.reserved = slu_reserved,
		.reserved_arg = (void *)job,
	};

	return slu_ctl_reservation(ctl, job->burst_buffer, &turn, slu_bb_end_of,
				   now, why);
}

bool slu_bb_many_tasks(const job_record_t *job)
{
	return job->array_job_id && job->array_task_id == NO_VAL;
}

int slu_bb_stage_in(struct slu_ctl *ctl, job_record_t *job, bool test_only,
		    char why[SLU_CTL_WHY])
{
	enum slu_ctl_prestage early;

	if (slu_ctl_earlier_run(ctl, job->job_id, time(NULL), why))
		return -1;
	early = slu_ctl_prestage(ctl, job->job_id, job->burst_buffer, why);
	if (early == SLU_PRESTAGE_NO) {
		if (!slu_bb_many_tasks(job))
			slu_ctl_predict_want(ctl, job->job_id,
					     job->burst_buffer, slu_bb_copy_job,
					     job);
		return in_turn(ctl, job, why) ? 1 : -1;
	}
	if (slu_bb_many_tasks(job)) {
		snprintf(why, SLU_CTL_WHY,
			 "staged in after earlier tasks of the array");
		return -1;
	}
	if (early == SLU_PRESTAGE_NEW) {
		if (!slu_ctl_claimed(ctl, job->job_id) &&
		    (test_only || !in_turn(ctl, job, why)))
			return -1;
		slu_ctl_claim(ctl, job->job_id, job->burst_buffer, job->user_id,
			      false);
	}
	slu_ctl_prestage_want(ctl, job->job_id, slu_bb_copy_job, job);
	return early == SLU_PRESTAGE_DONE ? 1 : 0;
}
