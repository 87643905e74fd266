/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What we do to jobs and nodes, each under write locks for as long as Slurm's
 * own function takes. Nothing here sends anything itself: what must go to
 * nodes or clients, Slurm queues for its agent threads. Where Slurm forgets or
 * overwrites a reason, the note in the administrator's comment has it.
 */
#include "config.h"
#include "plugins/host.h"

#include <sys/wait.h>
#include <time.h>

#include "common/str.h"

#define OURS "sluice: "

/* What job_requeue(), job_complete() and update_node() ask for. */
static const slurmctld_lock_t act_lock = {
	.conf = READ_LOCK,
	.job = WRITE_LOCK,
	.node = WRITE_LOCK,
	.part = WRITE_LOCK,
	.fed = READ_LOCK,
};
static const slurmctld_lock_t job_lock = {
	.job = WRITE_LOCK,
	.node = READ_LOCK,
};

static int no_such_job(uint32_t job_id, struct slu_err *err)
{
	return slu_err(err, SLU_NOTFOUND, "JobId=%u does not exist", job_id);
}

static int slurm_failed(int rc, struct slu_err *err)
{
	if (rc == SLURM_SUCCESS)
		return 0;
	return slu_err(err, SLU_INVALID, "%s", slurm_strerror(rc));
}

bool slu_act_is_ours(const char *text)
{
	return text && !strncmp(text, OURS, strlen(OURS));
}

/* Replace a string of Slurm's by our text (malloc, freed; NULL: none). */
static void put_text(char **slurms, char *text)
{
	xfree(*slurms);
	if (text && *text)
		*slurms = xstrdup(text);
	free(text);
}

static char *our_text(const char *text)
{
	return slu_asprintf("%s%s", slu_act_is_ours(text) ? "" : OURS, text);
}

static void put_note(job_record_t *job, const struct slu_note *note)
{
	char *text = slu_ctl_note_apply(job->admin_comment, note);

	if (text)
		put_text(&job->admin_comment, text);
}

static const char *plain(const char *text)
{
	return slu_act_is_ours(text) ? text + strlen(OURS) : text;
}

/* Show why in squeue, as long as Slurm leaves it there, and keep it in the
 * note. */
static void say_why(job_record_t *job, const char *reason)
{
	struct slu_note note;

	put_text(&job->state_desc, our_text(reason));
	slu_ctl_note_parse(job->admin_comment, &note);
	slu_copy(note.why, sizeof(note.why), plain(reason));
	put_note(job, &note);
	last_job_update = time(NULL);
}

/* When a reservation takes one of its nodes, or its own ends. */
static time_t must_end_by(const job_record_t *job, time_t now)
{
	slurmctld_resv_t *resv;
	time_t by = (time_t)INT64_MAX;
	ListIterator i = list_iterator_create(resv_list);

	while ((resv = list_next(i))) {
		if (resv == job->resv_ptr) {
			if (!(resv->flags & RESERVE_FLAG_FLEX) &&
			    resv->end_time < by)
				by = resv->end_time;
		} else if (resv->start_time > now && resv->start_time < by &&
			   resv->node_bitmap && job->node_bitmap &&
			   bit_overlap_any(resv->node_bitmap,
					   job->node_bitmap)) {
			by = resv->start_time;
		}
	}
	list_iterator_destroy(i);
	return by;
}

/* The job runs, its limit is finite, and it is not being preempted. */
static void set_end(job_record_t *job, int64_t give_back, bool final)
{
	time_t now = time(NULL), end, by = must_end_by(job, now);
	time_t base = job->start_time + (time_t)job->time_limit * 60 +
		      job->tot_sus_time;
	int64_t extra = give_back - job->tot_sus_time;
	struct slu_note note;

	slu_ctl_note_parse(job->admin_comment, &note);
	if (extra < 0)
		extra = 0;
	if (final && note.gave_back >= 0)
		extra = note.gave_back;
	end = base + extra < by ? base + extra : by;
	if (end < base)
		end = base;
	if (final && note.gave_back < 0) {
		note.gave_back = extra;
		put_note(job, &note);
	}
	if (job->end_time == end)
		return;
	job->end_time = job->end_time_exp = end;
	last_job_update = now;
}

int slu_act_set_end(void *arg, uint32_t job_id, int64_t give_back, bool final,
		    struct slu_err *err)
{
	job_record_t *job;
	int rc = 0;

	(void)arg;
	lock_slurmctld(job_lock);
	job = find_job_record(job_id);
	if (!job)
		rc = no_such_job(job_id, err);
	else if (!IS_JOB_RUNNING(job))
		rc = slu_err(err, SLU_INVALID, "JobId=%u does not run", job_id);
	else if (job->time_limit != INFINITE && job->time_limit != NO_VAL &&
		 !job->preempt_time)
		set_end(job, give_back, final);
	unlock_slurmctld(job_lock);
	return rc;
}

/* act_lock. salloc and srun say nothing of a job's reason. */
static void tell_terminal(job_record_t *job, const char *reason)
{
	char *text = job->batch_flag ? NULL : our_text(reason);

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
	rc = job_complete(job->job_id, slurm_conf.slurm_user_id, false, false,
			  W_EXITCODE(1, 0));

	say_why(job, reason);
	return slurm_failed(rc, err);
}

/* act_lock; only a job that runs is put back: one that is over, or was put
 * back already, has nothing to wait for. */
static int put_back(job_record_t *job, uint32_t flags, const char *reason,
		    struct slu_err *err)
{
	char why[SLU_NOTE_WHY];
	int rc;

	if (!IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job))
		return 0;
	rc = job_requeue_internal(slurm_conf.slurm_user_id, job->job_id, false,
				  flags);
	if (rc != SLURM_SUCCESS) /* salloc, srun, --no-requeue */
		return end_as_failed(job, reason, err);
	snprintf(why, sizeof(why), "%s%s",
		 flags & JOB_REQUEUE_HOLD ? "held: " : "", plain(reason));
	say_why(job, why);
	return 0;
}

static int put_back_id(uint32_t job_id, uint32_t flags, const char *reason,
		       struct slu_err *err)
{
	job_record_t *job;
	int rc;

	lock_slurmctld(act_lock);
	job = find_job_record(job_id);
	rc = job ? put_back(job, flags, reason, err) : no_such_job(job_id, err);
	unlock_slurmctld(act_lock);
	schedule_job_save();
	return rc;
}

int slu_act_hold(void *arg, uint32_t job_id, const char *reason,
		 struct slu_err *err)
{
	(void)arg;
	return put_back_id(job_id, JOB_REQUEUE_HOLD, reason, err);
}

int slu_act_requeue(void *arg, uint32_t job_id, const char *reason,
		    struct slu_err *err)
{
	(void)arg;
	return put_back_id(job_id, 0, reason, err);
}

/* act_lock. A job that has COMPLETED has not: jobs that depend on it must not
 * start, so this must come before its last epilog returns. Other ends stay what
 * they are. */
static void turn_failed(job_record_t *job, const char *reason)
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

int slu_act_fail(void *arg, uint32_t job_id, const char *reason,
		 struct slu_err *err)
{
	job_record_t *job;
	int rc = 0;

	(void)arg;
	lock_slurmctld(act_lock);
	job = find_job_record(job_id);
	if (!job)
		rc = no_such_job(job_id, err);
	else if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		rc = end_as_failed(job, reason, err);
	else if (!IS_JOB_PENDING(job))
		turn_failed(job, reason);
	unlock_slurmctld(act_lock);
	schedule_job_save();
	return rc;
}

/* act_lock. The batch step that slurmctld has recovered never was; launching
 * makes another. */
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

/* That its prologs have ended since this slurmctld runs, proves that the last
 * one did not get so far as to launch it. */
int slu_act_relaunch(void *arg, uint32_t job_id, struct slu_err *err)
{
	job_record_t *job;
	int rc = 0;

	(void)arg;
	lock_slurmctld(act_lock);
	job = find_job_record(job_id);
	if (!job)
		rc = no_such_job(job_id, err);
	else if (IS_JOB_SUSPENDED(job) || job->state_reason == WAIT_PROLOG)
		rc = slu_err(err, SLU_BUSY, "waiting for its prologs");
	else if (IS_JOB_RUNNING(job) && job->batch_flag)
		relaunch(job);
	unlock_slurmctld(act_lock);
	return rc;
}

int slu_act_annotate(void *arg, uint32_t job_id, const char *text,
		     struct slu_err *err)
{
	job_record_t *job;
	int rc = 0;

	(void)arg;
	lock_slurmctld(job_lock);
	job = find_job_record(job_id);
	if (!job) {
		rc = no_such_job(job_id, err);
	} else if (IS_JOB_PENDING(job)) {
		; /* put back: why is more than what its old nodes still do */
	} else if (text) {
		put_text(&job->state_desc, our_text(text));
		last_job_update = time(NULL);
	} else if (slu_act_is_ours(job->state_desc)) {
		xfree(job->state_desc);
		last_job_update = time(NULL);
	}
	unlock_slurmctld(job_lock);
	return rc;
}

/* What makes `scancel --hurry` reach us although the job has ended. */
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
	lock_slurmctld(job_lock);
	job = find_job_record(job_id);
	if (job)
		mark_stage_out(job, text);
	if (job && xstrcmp(job->burst_buffer_state, text)) {
		put_text(&job->burst_buffer_state, text ? strdup(text) : NULL);
		last_job_update = time(NULL);
	}
	unlock_slurmctld(job_lock);
}

/* act_lock */
static int set_node(node_record_t *node, uint32_t state, const char *reason)
{
	update_node_msg_t msg;
	int rc;

	slurm_init_update_node_msg(&msg);
	msg.node_names = node->name;
	msg.node_state = state;
	msg.reason = our_text(reason);
	rc = msg.reason ? update_node(&msg, slurm_conf.slurm_user_id)
			: SLURM_ERROR;
	free(msg.reason);
	return rc;
}

static int set_node_by_name(const char *name, uint32_t state,
			    const char *reason, struct slu_err *err)
{
	node_record_t *node;
	int rc = SLURM_SUCCESS;

	lock_slurmctld(act_lock);
	node = find_node_record((char *)name);
	/* Who drained it before us has the say; nobody else's drain is lifted.
	 */
	if (!node)
		rc = ESLURM_INVALID_NODE_NAME;
	else if (state == NODE_STATE_DRAIN && !IS_NODE_DRAIN(node))
		rc = set_node(node, state, reason);
	else if (state == NODE_RESUME && IS_NODE_DRAIN(node) &&
		 slu_act_is_ours(node->reason))
		rc = set_node(node, state, reason);
	unlock_slurmctld(act_lock);
	schedule_node_save();
	return slurm_failed(rc, err);
}

int slu_act_drain(void *arg, const char *node, const char *reason,
		  struct slu_err *err)
{
	(void)arg;
	return set_node_by_name(node, NODE_STATE_DRAIN, reason, err);
}

int slu_act_resume(void *arg, const char *node, struct slu_err *err)
{
	int rc = set_node_by_name(node, NODE_RESUME, "clean again", err);

	(void)arg;
	queue_job_scheduler();
	return rc;
}

/* A comma separated list without our features. Caller frees with xfree. */
static char *without_ours(const char *features)
{
	char *copy = xstrdup(features), *kept = NULL, *rest = copy, *word;

	while ((word = strsep(&rest, ",")))
		if (*word && strncmp(word, "ion_", 4))
			xstrfmtcat(kept, "%s%s", kept ? "," : "", word);
	xfree(copy);
	return kept;
}

/* Put ours after the others; the vocabulary is fixed, see node_features.c.
 * Returns whether that changed anything. */
static bool put_features(char **features, const char *ours)
{
	char *all = without_ours(*features);
	bool changed;

	xstrfmtcat(all, "%s%s", all ? "," : "", ours);
	changed = xstrcmp(all, *features);
	xfree(*features);
	*features = all;
	return changed;
}

static void mark_node(node_record_t *node, const struct slu_ctl_mark *mark)
{
	if (put_features(&node->features, "ion_assigned,ion_free,ion_shared"))
		update_node_avail_features(node->name, node->features,
					   FEATURE_MODE_IND);
	if (put_features(&node->features_act, mark->feature))
		update_node_active_features(node->name, node->features_act,
					    FEATURE_MODE_IND);
	if (!node->comment || slu_act_is_ours(node->comment))
		put_text(&node->comment,
			 mark->comment ? strdup(mark->comment) : NULL);
}

void slu_act_mark(void *arg, const struct slu_ctl_mark *mark, size_t n)
{
	slurmctld_lock_t lock = {
		.conf = READ_LOCK,
		.job = READ_LOCK,
		.node = WRITE_LOCK,
	};
	node_record_t *node;

	(void)arg;
	lock_slurmctld(lock);
	for (size_t i = 0; i < n; i++)
		if ((node = find_node_record(mark[i].node)))
			mark_node(node, &mark[i]);
	last_node_update = time(NULL);
	unlock_slurmctld(lock);
	schedule_node_save();
}
