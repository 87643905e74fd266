/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of ours where others have a say: at the submission Slurm itself, by
 * what a partition, an association and a QOS allow, and later whoever changes
 * the job.
 */
#include "config.h"
#include "plugins/act.h"
#include "plugins/limits.h"

/* Theirs from now on: as if we had never been there. */
static void leave(job_record_t *job, struct slu_note *note)
{
	slu_limit_put(job, slu_limit_whole(job, note));
	note->limit = SLU_LIMIT_LEFT;
	slu_act_put_note(job, note);
}

/* The least MaxWall of those that Slurm asks, minutes. */
static uint32_t max_wall(const job_record_t *job)
{
	assoc_mgr_lock_t lock = {.assoc = READ_LOCK, .qos = READ_LOCK};
	const slurmdb_qos_rec_t *qos[2] = {
		job->qos_ptr, job->part_ptr ? job->part_ptr->qos_ptr : NULL};
	uint32_t wall = INFINITE;

	if (!job->assoc_ptr)
		return wall;
	assoc_mgr_lock(&lock);
	for (int i = 0; i < 2; i++)
		if (qos[i] && qos[i]->max_wall_pj < wall)
			wall = qos[i]->max_wall_pj;
	if (job->assoc_ptr->max_wall_pj < wall)
		wall = job->assoc_ptr->max_wall_pj;
	assoc_mgr_unlock(&lock);
	return wall;
}

/* "None" means what Slurm would put in at the submission; what is more than
 * one may have is Slurm's to hold. */
void slu_limit_settle(job_record_t *job)
{
	const part_record_t *part = job->part_ptr;
	struct slu_note note;
	uint32_t wall;

	if (!part || !slu_limit_guarded(job, &note))
		return;
	wall = max_wall(job);
	if (note.whole) {
		if (note.whole > wall)
			leave(job, &note);
		return;
	}
	note.whole = slu_limit_whole(job, &note);
	if (part->default_time == NO_VAL && wall < note.whole)
		note.whole = wall;
	if (note.whole <= note.tight)
		leave(job, &note);
	else if (note.whole != INFINITE)
		slu_act_put_note(job, &note);
}

/* The new comment, if there is one, takes over our note. */
static void keep_note(job_desc_msg_t *desc, const job_record_t *job)
{
	struct slu_note note;
	char *text;

	if (!desc->admin_comment ||
	    !slu_ctl_note_parse(job->admin_comment, &note))
		return;
	text = slu_ctl_note_apply(desc->admin_comment, &note);
	if (text) {
		xfree(desc->admin_comment);
		desc->admin_comment = xstrdup(text);
	}
	free(text);
}

void slu_limit_modify(job_desc_msg_t *desc, job_record_t *job)
{
	struct slu_note note;

	if ((desc->time_limit != NO_VAL || desc->end_time ||
	     desc->time_min != NO_VAL) &&
	    !IS_JOB_FINISHED(job) && !job->preempt_time &&
	    slu_limit_guarded(job, &note))
		leave(job, &note);
	keep_note(desc, job);
}
