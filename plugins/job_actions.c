/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements libsluice's actions on jobs (requeue, hold, cancel, fail, ...),
 * each under write locks for as long as Slurm's own function takes. Nothing is
 * sent to nodes or clients here: Slurm queues that for its agent threads. Where
 * Slurm forgets or overwrites a reason, our note in AdminComment keeps it.
 */
#include "config.h"
#include "plugins/actions.h"
#include "plugins/eligible_nodes.h"
#include "plugins/hetjobs.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "common/str.h"

#define OURS "sluice: "

const slurmctld_lock_t slu_act_lock = {
	.conf = READ_LOCK,
	.job = WRITE_LOCK,
	.node = WRITE_LOCK,
	.part = WRITE_LOCK,
	.fed = READ_LOCK,
};
const slurmctld_lock_t slu_act_job_lock = {
	.job = WRITE_LOCK,
	.node = READ_LOCK,
};

int slu_act_no_job(uint32_t job_id, struct slu_err *err)
{
	return slu_err(err, SLU_NOTFOUND, "JobId=%u does not exist", job_id);
}

/* Refuses commands while slurmctld is ending: a change of a job or a node may
 * not be saved any more. */
bool slu_act_refused(struct slu_err *err)
{
	if (!slurmctld_config.shutdown_time)
		return false;
	slu_err(err, SLU_BUSY, "slurmctld is shutting down");
	return true;
}

int slu_act_failed(int rc, struct slu_err *err)
{
	if (rc == SLURM_SUCCESS)
		return 0;
	return slu_err(err, SLU_INVALID, "%s", slurm_strerror(rc));
}

bool slu_act_is_ours(const char *text)
{
	return text && !strncmp(text, OURS, strlen(OURS));
}

void slu_act_put_text(char **slurms, char *text)
{
	xfree(*slurms);
	if (text && *text)
		*slurms = xstrdup(text);
	free(text);
}

char *slu_act_text(const char *text)
{
	return slu_asprintf("%s%s", slu_act_is_ours(text) ? "" : OURS, text);
}

void slu_act_put_note(job_record_t *job, const struct slu_note *note)
{
	char *text = slu_ctl_note_apply(job->admin_comment, note);

	if (text)
		slu_act_put_text(&job->admin_comment, text);
}

const char *slu_act_plain(const char *text)
{
	return slu_act_is_ours(text) ? text + strlen(OURS) : text;
}

/* Show why in squeue, as long as Slurm leaves it there, and keep it in the
 * note. */
static void say_why(job_record_t *job, const char *reason)
{
	struct slu_note note;

	slu_act_put_text(&job->state_desc, slu_act_text(reason));
	slu_ctl_note_parse(job->admin_comment, &note);
	slu_copy(note.why, sizeof(note.why), slu_act_plain(reason));
	slu_act_put_note(job, &note);
	last_job_update = time(NULL);
}

static int say_to_one(void *x, void *reason)
{
	say_why(x, reason);
	return 0;
}

/* Why all of it was ended or put back. */
static void say_why_all(job_record_t *job, const char *reason)
{
	slu_hetjob_each(job, say_to_one, (void *)reason);
}

/* act_lock. salloc and srun say nothing of a job's reason. */
static void tell_terminal(job_record_t *job, const char *reason)
{
	char *text = job->batch_flag ? NULL : slu_act_text(reason);

	if (text)
		srun_user_message(job, text);
	free(text);
}

/* act_lock. Its batch script never starts, or is killed. */
static int end_as_failed(job_record_t *job, const char *reason,
			 struct slu_err *err)
{
	int rc;

	tell_terminal(job, reason);
	rc = slu_job_complete(slu_hetjob_leader(job), W_EXITCODE(1, 0));

	say_why_all(job, reason);
	return slu_act_failed(rc, err);
}

/* act_lock. Turns a COMPLETED job into a FAILED one: jobs that depend on it
 * must not start, so this has to be called before its last epilog returns.
 * Other final states are not changed. */
static void turn_one_failed(job_record_t *job, const char *reason)
{
	if (IS_JOB_COMPLETE(job)) {
		job_state_set(job,
			      (job->job_state & ~JOB_STATE_BASE) | JOB_FAILED);
		job->state_reason = FAIL_EXIT_CODE;
		if (!job->exit_code)
			job->exit_code = W_EXITCODE(1, 0);
	}
	say_why(job, reason);
	jobacct_storage_g_job_complete(acct_db_conn, job);
}

/* act_lock. Dependencies on a heterogeneous job look at its first component. */
static void turn_failed(job_record_t *job, const char *reason)
{
	job_record_t *leader = slu_hetjob_leader(job);

	turn_one_failed(job, reason);
	if (leader != job && IS_JOB_COMPLETE(leader))
		turn_one_failed(leader, reason);
}

/* act_lock. It waited for a persistent buffer that it cannot have, or for data
 * that could not be staged in; its user may release it. */
static void hold_pending(job_record_t *job, const char *reason)
{
	char why[SLU_NOTE_WHY];

	if (!job->priority)
		return;
	job->priority = 0;
	job->state_reason = WAIT_HELD_USER;
	snprintf(why, sizeof(why), "held: %s", slu_act_plain(reason));
	say_why(job, why);
	last_job_update = time(NULL);
}

/* act_lock; only a job that runs, or whose data was not staged out, is
 * requeued: one that has ended otherwise, or was requeued already, needs no
 * second run. */
static int put_back(job_record_t *job, uint32_t flags, const char *reason,
		    struct slu_err *err)
{
	char why[SLU_NOTE_WHY];
	int rc;

	if (flags & JOB_REQUEUE_HOLD && IS_JOB_PENDING(job))
		hold_pending(job, reason);
	if (IS_JOB_FINISHED(job) && !IS_JOB_COMPLETE(job))
		say_why(job, reason);
	if (!IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job) &&
	    !IS_JOB_COMPLETE(job))
		return 0;
	rc = slu_job_requeue(slu_hetjob_leader(job), flags);
	if (slu_hetjob_leader(job)->het_job_list && IS_JOB_PENDING(job))
		rc = SLURM_SUCCESS; /* others had ended, or were put back */
	if (rc != SLURM_SUCCESS && IS_JOB_COMPLETE(job)) {
		turn_failed(job, reason);
		return 0;
	}
	if (rc != SLURM_SUCCESS) /* salloc, srun, --no-requeue */
		return end_as_failed(job, reason, err);
	snprintf(why, sizeof(why), "%s%s",
		 flags & JOB_REQUEUE_HOLD ? "held: " : "",
		 slu_act_plain(reason));
	say_why_all(job, why);
	return 0;
}

/* act_lock; the job is there. */
typedef int act_f(job_record_t *job, const struct slu_verdict *verdict,
		  struct slu_err *err);

/* Is the verdict about this run, or about the wait for one? A late verdict must
 * not end the next run, nor another job that has got the number since (after
 * slurmctld's state was restored). */
static bool is_meant(const job_record_t *job, const struct slu_verdict *verdict)
{
	if (verdict->pending)
		return IS_JOB_PENDING(job);
	return job->restart_cnt == verdict->restarts &&
	       (!verdict->ended || job->start_time <= verdict->ended);
}

/* The reason why a run was never ready can still be noted after Slurm has
 * requeued the job. */
static bool may_be_noted(const job_record_t *job,
			 const struct slu_verdict *verdict)
{
	return is_meant(job, verdict) ||
	       (IS_JOB_PENDING(job) && !verdict->pending && !verdict->ended &&
		job->restart_cnt == verdict->restarts + 1);
}

typedef bool meant_f(const job_record_t *job,
		     const struct slu_verdict *verdict);

static int act_on(const struct slu_verdict *verdict, slurmctld_lock_t lock,
		  meant_f *meant, act_f *act, struct slu_err *err)
{
	job_record_t *job;
	int rc = 1;

	lock_slurmctld(lock);
	job = find_job_record(verdict->job_id);
	if (slu_act_refused(err))
		rc = -1;
	else if (!job)
		rc = slu_act_no_job(verdict->job_id, err);
	else if (meant(job, verdict))
		rc = act(job, verdict, err);
	unlock_slurmctld(lock);
	schedule_job_save();
	return rc;
}

static int hold(job_record_t *job, const struct slu_verdict *verdict,
		struct slu_err *err)
{
	return put_back(job, JOB_REQUEUE_HOLD, verdict->reason, err);
}

static int requeue(job_record_t *job, const struct slu_verdict *verdict,
		   struct slu_err *err)
{
	return put_back(job,
			slu_eligible_nodes_exclude(job, verdict->without)
				? 0
				: JOB_REQUEUE_HOLD,
			verdict->reason, err);
}

/* act_lock. It waited for data that cannot be staged in; Slurm ends a job whose
 * deadline cannot be met in the same way (deadline_ok() in job_scheduler.c). */
static int fail_pending(job_record_t *job, const struct slu_verdict *verdict,
			struct slu_err *err)
{
	time_t now = time(NULL);

	(void)err;
	job_state_set(job, JOB_FAILED);
	job->exit_code = W_EXITCODE(1, 0);
	job->state_reason = FAIL_BURST_BUFFER_OP;
	job->start_time = job->end_time = now;
	say_why(job, verdict->reason);
	srun_allocate_abort(job);
	job_completion_logger(job, false);
	return 0;
}

/* act_lock */
static int cancel_pending(job_record_t *job, const struct slu_verdict *verdict,
			  struct slu_err *err)
{
	int rc;

	say_why(job, verdict->reason);
	rc = job_signal(job, SIGKILL, 0, slurm_conf.slurm_user_id, false);
	return slu_act_failed(rc, err);
}

static int fail(job_record_t *job, const struct slu_verdict *verdict,
		struct slu_err *err)
{
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		return end_as_failed(job, verdict->reason, err);
	if (!IS_JOB_PENDING(job))
		turn_failed(job, verdict->reason);
	return 0;
}

static int cancel(job_record_t *job, const struct slu_verdict *verdict,
		  struct slu_err *err)
{
	job_record_t *leader = slu_hetjob_leader(job);
	uid_t uid = slurm_conf.slurm_user_id;
	int rc;

	if (!IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job))
		return 0;
	tell_terminal(job, verdict->reason);
	rc = leader->het_job_list
		     ? het_job_signal(leader, SIGKILL, 0, uid, false)
		     : job_signal(job, SIGKILL, 0, uid, false);
	say_why_all(job, verdict->reason);
	return slu_act_failed(rc, err);
}

static int complete(job_record_t *job, const struct slu_verdict *verdict,
		    struct slu_err *err)
{
	(void)err;
	say_why(job, verdict->reason);
	if (IS_JOB_FINISHED(job)) /* so that sacct has it, too */
		jobacct_storage_g_job_complete(acct_db_conn, job);
	return 0;
}

int slu_act_hold(void *arg, const struct slu_verdict *verdict,
		 struct slu_err *err)
{
	(void)arg;
	return act_on(verdict, slu_act_lock, is_meant, hold, err);
}

int slu_act_requeue(void *arg, const struct slu_verdict *verdict,
		    struct slu_err *err)
{
	(void)arg;
	return act_on(verdict, slu_act_lock, is_meant, requeue, err);
}

int slu_act_fail(void *arg, const struct slu_verdict *verdict,
		 struct slu_err *err)
{
	(void)arg;
	return act_on(verdict, slu_act_lock, is_meant,
		      verdict->pending ? fail_pending : fail, err);
}

int slu_act_cancel(void *arg, const struct slu_verdict *verdict,
		   struct slu_err *err)
{
	(void)arg;
	return act_on(verdict, slu_act_lock, is_meant,
		      verdict->pending ? cancel_pending : cancel, err);
}

int slu_act_complete(void *arg, const struct slu_verdict *verdict,
		     struct slu_err *err)
{
	(void)arg;
	return act_on(verdict, slu_act_job_lock, may_be_noted, complete, err);
}

/* act_lock. The batch step that slurmctld has recovered never existed; the
 * launch creates another. */
static void relaunch(job_record_t *job)
{
	slurm_step_id_t batch = {
		.job_id = job->job_id,
		.step_id = SLURM_BATCH_SCRIPT,
		.step_het_comp = NO_VAL,
	};
	step_record_t *step = find_step_record(job, &batch);

	if (step)
		delete_step_record(job, step);
	info("sluice: JobId=%u: its launch was lost when slurmctld restarted, launching it now",
	     job->job_id);
	launch_job(job);
}

/* job READ. 1: there is nothing to launch (any more). */
static int may_relaunch(const job_record_t *job, uint32_t job_id,
			struct slu_err *err)
{
	if (slu_act_refused(err))
		return -1;
	if (!job)
		return slu_act_no_job(job_id, err);
	if (IS_JOB_SUSPENDED(job) || job->state_reason == WAIT_PROLOG)
		return slu_err(err, SLU_BUSY, "waiting for its prologs");
	return !IS_JOB_RUNNING(job) || !job->batch_flag;
}

/* If its prologs have ended since this slurmctld started, the previous
 * slurmctld cannot have launched it. Until then this is called repeatedly. */
int slu_act_relaunch(void *arg, uint32_t job_id, struct slu_err *err)
{
	const slurmctld_lock_t look = {.job = READ_LOCK};
	job_record_t *job;
	int rc;

	(void)arg;
	lock_slurmctld(look);
	rc = may_relaunch(find_job_record(job_id), job_id, err);
	unlock_slurmctld(look);
	if (rc)
		return rc;
	lock_slurmctld(slu_act_lock);
	job = find_job_record(job_id);
	rc = may_relaunch(job, job_id, err);
	if (!rc)
		relaunch(job);
	unlock_slurmctld(slu_act_lock);
	return rc;
}

int slu_act_annotate(void *arg, uint32_t job_id, const char *text,
		     struct slu_err *err)
{
	job_record_t *job;
	int rc = 0;

	(void)arg;
	lock_slurmctld(slu_act_job_lock);
	job = find_job_record(job_id);
	if (!job) {
		rc = slu_act_no_job(job_id, err);
	} else if (IS_JOB_PENDING(job)) {
		; /* put back: why is more than what its old nodes still do */
	} else if (text) {
		slu_act_put_text(&job->state_desc, slu_act_text(text));
		last_job_update = time(NULL);
	} else if (slu_act_is_ours(job->state_desc)) {
		xfree(job->state_desc);
		last_job_update = time(NULL);
	}
	unlock_slurmctld(slu_act_job_lock);
	return rc;
}

/* Makes `scancel --hurry` reach us although the job has ended. */
static void mark_stage_out(job_record_t *job, const char *text)
{
	bool is = text && !xstrncmp(text, "STAGE_OUT", 9) &&
		  IS_JOB_FINISHED(job) && IS_JOB_COMPLETING(job);

	if (is)
		job_state_set(job, job->job_state | JOB_STAGE_OUT);
	else if (job->job_state & JOB_STAGE_OUT)
		job_state_set(job, job->job_state & ~JOB_STAGE_OUT);
}

void slu_act_show(void *arg, uint32_t job_id, const char *text)
{
	job_record_t *job;

	(void)arg;
	lock_slurmctld(slu_act_job_lock);
	job = find_job_record(job_id);
	if (job)
		mark_stage_out(job, text);
	if (job && xstrcmp(job->burst_buffer_state, text)) {
		slu_act_put_text(&job->burst_buffer_state,
				 text ? strdup(text) : NULL);
		last_job_update = time(NULL);
	}
	unlock_slurmctld(slu_act_job_lock);
}
