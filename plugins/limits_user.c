/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives way to decisions of others about limits that we have set: at submission
 * Slurm itself applies the limits of partition, association and QOS, and later
 * users and administrators change the job.
 */
#include "config.h"
#include "plugins/actions.h"
#include "plugins/limits.h"

/* Sets the limit that the job would have without us: none, until it starts. */
static void give_back(job_record_t *job, const struct slu_note *note)
{
	slu_limit_put(job, IS_JOB_PENDING(job) && !note->whole
				   ? NO_VAL
				   : slu_limit_whole(job, note));
}

/* Stops managing the limit, as somebody else has changed what it depends on. */
static void leave(job_record_t *job, struct slu_note *note)
{
	give_back(job, note);
	note->limit = SLU_LIMIT_LEFT;
	slu_act_put_note(job, note);
}

/* Forgets the limit: it is not one of ours. */
static void drop(struct slu_note *note)
{
	note->limit = SLU_LIMIT_USERS;
	note->tight = note->whole = 0;
}

/* Logs what has turned out differently from what was announced. */
static void compare(const job_record_t *job, const struct slu_note *meant,
		    const struct slu_note *note)
{
	if (note->tight != meant->tight)
		info("sluice: %pJ: its limit was to be %u minutes and is %u: "
		     "another plugin changed it, or the allowed limits have "
		     "changed",
		     job, meant->tight,
		     note->tight ? note->tight : job->time_limit);
}

void slu_limit_reconsider(job_record_t *job)
{
	struct slu_note note, meant;
	struct slu_limit_rules rules;
	uint32_t limit;

	if (!slu_ctl_note_parse(job->admin_comment, &note) ||
	    note.limit != SLU_LIMIT_MEANT)
		return;
	meant = note;
	rules = slu_limit_rules_of(job, &note);
	limit = slu_ctl_reconsider_limit(&rules, &note);
	/* the limit that Slurm has filled in, if the job still has one */
	if (limit && job->time_limit != NO_VAL &&
	    (note.whole || job->time_limit != INFINITE))
		note.whole = job->time_limit;
	slu_act_put_note(job, &note);
	compare(job, &meant, &note);
	/* Without a note (no memory) the guard would not extend the limit. */
	if (!limit || !slu_limit_guarded(job, &note))
		return;
	slu_limit_put(job, limit);
	if (slu_limit_barred(job))
		slu_limit_put(job, slu_limit_whole(job, &note));
}

void slu_limit_begin(job_record_t *job)
{
	struct slu_note note;

	slu_ctl_note_parse(job->admin_comment, &note);
	if (note.limit == SLU_LIMIT_EXTENDED || note.limit == SLU_LIMIT_LEFT ||
	    (slu_note_filled(&note) && job->time_limit != note.tight)) {
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

/* Does the change affect how Slurm checks the limit, or what watches it? */
static bool says_more(const job_desc_msg_t *desc)
{
	bool mails = desc->mail_type != NO_VAL16 &&
		     desc->mail_type & SLU_MAIL_AT_LIMIT;

	return desc->end_time || desc->time_min != NO_VAL || desc->partition ||
	       desc->qos || desc->account || desc->deadline || mails;
}

/* Does the change move the job to where Slurm would fill in another limit? */
static bool moves(const job_desc_msg_t *desc, const job_record_t *job)
{
	return IS_JOB_PENDING(job) && desc->time_limit == NO_VAL &&
	       (desc->partition || desc->qos || desc->account);
}

static bool is_judged_anew(const job_desc_msg_t *desc)
{
	return desc->time_limit != NO_VAL || says_more(desc);
}

/* Is the new limit between the tight one, which is shown, and the whole one?
 * scontrol adds `TimeLimit+=30` to the tight one, but the user may mean either.
 */
static bool is_between(const job_desc_msg_t *desc, uint32_t tight,
		       uint32_t whole)
{
	return desc->time_limit != NO_VAL && desc->time_limit > tight &&
	       desc->time_limit < whole && !says_more(desc);
}

/* For a limit that is longer than the default: it stays, except when Slurm
 * fills in another. */
static void leave_filled(const job_desc_msg_t *desc, job_record_t *job,
			 struct slu_note *note)
{
	if (!moves(desc, job) && desc->time_limit == NO_VAL)
		return;
	if (moves(desc, job))
		slu_limit_put(job, NO_VAL);
	note->limit = SLU_LIMIT_LEFT;
	slu_act_put_note(job, note);
}

static void change(const job_desc_msg_t *desc, job_record_t *job,
		   struct slu_note *note)
{
	if (slu_note_filled(note)) {
		leave_filled(desc, job, note);
		return;
	}
	if (!is_between(desc, note->tight, slu_limit_whole(job, note))) {
		leave(job, note);
		return;
	}
	info("sluice: %pJ: the new limit of %u minutes is below its full "
	     "one, to which it is still extended; set the same limit again "
	     "to prevent that",
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
