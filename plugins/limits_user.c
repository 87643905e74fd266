/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of ours where others have a say: at the submission Slurm itself, by
 * what a partition, an association and a QOS allow, and later whoever changes
 * the job.
 */
#include "config.h"
#include "plugins/act.h"
#include "plugins/limits.h"

#define MAIL_AT_LIMIT \
	(MAIL_JOB_TIME100 | MAIL_JOB_TIME90 | MAIL_JOB_TIME80 | MAIL_JOB_TIME50)

/* What it would have without us: none, until it starts. */
static void give_back(job_record_t *job, const struct slu_note *note)
{
	slu_limit_put(job, IS_JOB_PENDING(job) && !note->whole
				   ? NO_VAL
				   : slu_limit_whole(job, note));
}

/* Theirs from now on: as if we had never been there. */
static void leave(job_record_t *job, struct slu_note *note)
{
	give_back(job, note);
	note->limit = SLU_LIMIT_LEFT;
	slu_act_put_note(job, note);
}

/* The MaxWall that Slurm holds it to, minutes: the first that there is of those
 * of its QOS, its partition's (either may go before), and its association. */
static uint32_t max_wall(const job_record_t *job)
{
	assoc_mgr_lock_t lock = {.assoc = READ_LOCK, .qos = READ_LOCK};
	slurmdb_qos_rec_t *qos[2];
	uint32_t wall = INFINITE;

	if (!job->assoc_ptr || !(slurm_conf.accounting_storage_enforce &
				 ACCOUNTING_ENFORCE_LIMITS))
		return wall;
	assoc_mgr_lock(&lock);
	acct_policy_set_qos_order((job_record_t *)(uintptr_t)job, &qos[0],
				  &qos[1]);
	for (int i = 0; i < 2 && wall == INFINITE; i++)
		if (qos[i])
			wall = qos[i]->max_wall_pj;
	if (wall == INFINITE)
		wall = job->assoc_ptr->max_wall_pj;
	assoc_mgr_unlock(&lock);
	return wall;
}

/* Slurm has left it without a limit, although one is filled in somewhere: which
 * one is known only when it starts, or others may have asked for "unlimited".
 */
static bool is_open(const job_record_t *job, const struct slu_note *note)
{
	const part_record_t *part = job->part_ptr;

	if (job->time_limit == NO_VAL)
		return note->whole || (job->part_ptr_list &&
				       list_count(job->part_ptr_list) > 1);
	return job->time_limit == INFINITE && !note->whole &&
	       part->default_time != INFINITE;
}

static int lower_max_time(void *x, void *arg)
{
	const part_record_t *part = x;
	uint32_t *most = arg;

	if (part->max_time < *most)
		*most = part->max_time;
	return 0;
}

/* The least MaxTime of the partitions that it may start in, minutes. */
static uint32_t max_time(const job_record_t *job)
{
	uint32_t most = job->part_ptr->max_time;

	if (job->part_ptr_list)
		list_for_each(job->part_ptr_list, lower_max_time, &most);
	return most;
}

/* It reads its limit itself, or has Slurm do so: asked again, because plugins
 * behind ours may have made it. */
static bool watches(const job_record_t *job)
{
	return job->time_min || job->deadline || job->warn_signal ||
	       (job->mail_type & MAIL_AT_LIMIT);
}

bool slu_limit_allowed(const job_record_t *job, uint32_t limit)
{
	return (!job->part_ptr || limit <= max_time(job)) &&
	       limit <= max_wall(job);
}

/* What is more than one may have is Slurm's to hold. */
static bool may_tighten(const job_record_t *job, const struct slu_note *note)
{
	uint32_t whole = slu_limit_whole(job, note);

	return !watches(job) && whole > note->tight &&
	       slu_limit_allowed(job, whole);
}

/* Not ours at all. */
static void drop(struct slu_note *note)
{
	note->limit = SLU_LIMIT_USERS;
	note->tight = note->whole = 0;
}

void slu_limit_settle(job_record_t *job)
{
	struct slu_note note;
	bool open;

	if (!slu_ctl_note_parse(job->admin_comment, &note) ||
	    note.limit != SLU_LIMIT_MEANT)
		return;
	open = !job->part_ptr || is_open(job, &note);
	if (job->time_limit != NO_VAL &&
	    (note.whole || job->time_limit != INFINITE))
		note.whole = job->time_limit;
	if (!open && may_tighten(job, &note)) {
		note.limit = SLU_LIMIT_GUARDED;
	} else {
		drop(&note);
	}
	slu_act_put_note(job, &note);
	/* Without a note, for want of memory, nobody would extend it. */
	if (note.limit == SLU_LIMIT_GUARDED && slu_limit_guarded(job, &note))
		slu_limit_put(job, note.tight);
}

void slu_limit_begin(job_record_t *job)
{
	struct slu_note note;

	slu_ctl_note_parse(job->admin_comment, &note);
	if (note.limit == SLU_LIMIT_EXTENDED || note.limit == SLU_LIMIT_LEFT) {
		drop(&note);
	} else if (note.limit == SLU_LIMIT_GUARDED && !note.whole) {
		note.whole = slu_limit_whole(job, &note);
		note.by_default = note.whole == INFINITE;
	} else {
		return;
	}
	slu_act_put_note(job, &note);
}

/* The new comment, if there is one, takes over our note. Where the job has none
 * it takes none: one request may change many jobs in turn, and has taken over
 * what the one before had. */
static void keep_note(job_desc_msg_t *desc, const job_record_t *job)
{
	struct slu_note note;
	char *text;

	if (!desc->admin_comment)
		return;
	slu_ctl_note_parse(job->admin_comment, &note);
	text = slu_ctl_note_apply(desc->admin_comment, &note);
	if (text) {
		xfree(desc->admin_comment);
		desc->admin_comment = xstrdup(text);
	}
	free(text);
}

/* Something else that its limit is judged by, or that watches it. */
static bool says_more(const job_desc_msg_t *desc)
{
	bool mails =
		desc->mail_type != NO_VAL16 && desc->mail_type & MAIL_AT_LIMIT;

	return desc->end_time || desc->time_min != NO_VAL || desc->partition ||
	       desc->qos || desc->account || desc->deadline || mails;
}

static bool is_judged_anew(const job_desc_msg_t *desc)
{
	return desc->time_limit != NO_VAL || says_more(desc);
}

/* More than is shown, less than was asked for: `TimeLimit+=30` is added to what
 * is shown by scontrol itself, and may mean either. */
static bool is_between(const job_desc_msg_t *desc, uint32_t tight,
		       uint32_t whole)
{
	return desc->time_limit != NO_VAL && desc->time_limit > tight &&
	       desc->time_limit < whole && !says_more(desc);
}

static void change(const job_desc_msg_t *desc, job_record_t *job,
		   struct slu_note *note)
{
	if (!is_between(desc, note->tight, slu_limit_whole(job, note))) {
		leave(job, note);
		return;
	}
	info("sluice: %pJ: a limit of %u minutes is less than what it may have: it is still extended to that; said once more it is not",
	     job, desc->time_limit);
	give_back(job, note);
	note->tight = desc->time_limit;
	slu_act_put_note(job, note);
}

void slu_limit_modify(job_desc_msg_t *desc, job_record_t *job)
{
	struct slu_note note;

	if (is_judged_anew(desc) && !IS_JOB_FINISHED(job) &&
	    !job->preempt_time && slu_limit_guarded(job, &note))
		change(desc, job, &note);
	keep_note(desc, job);
}
