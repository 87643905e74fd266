/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin job_submit/sluice: predicts how long a submitted job will run, and
 * writes the prediction and a tight limit into its note. When a job is
 * modified, it refuses to resize a running job with a buffer, whose file system
 * lies on its nodes, and adapts the limit that Sluice has set.
 */
#include "config.h"
#include "plugins/job_fields.h"
#include "plugins/host.h"
#include "plugins/limits.h"

const char plugin_name[] = "Sluice job submit plugin";
const char plugin_type[] = "job_submit/sluice";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

static struct slu_ctl *ctl;

int init(void)
{
	ctl = slu_host_acquire(plugin_type);
	return SLURM_SUCCESS;
}

int fini(void)
{
	slu_ctl_release(ctl);
	ctl = NULL;
	return SLURM_SUCCESS;
}

static void put_note(job_desc_msg_t *desc, const struct slu_note *note)
{
	char *text = NULL;

	if (note->predicted || note->script)
		text = slu_ctl_note_apply(desc->admin_comment, note);

	if (text && *text) {
		xfree(desc->admin_comment);
		desc->admin_comment = xstrdup(text);
	}
	free(text);
}

int job_submit(job_desc_msg_t *desc, uint32_t uid, char **err_msg)
{
	struct slu_stopwatch watch = slu_ctl_enter();
	struct slu_ctl_submit submit;

	if (!ctl)
		return SLURM_SUCCESS;
	slu_strip_env(ctl, desc->environment, &desc->env_size);
	slu_strip_env(ctl, desc->spank_job_env, &desc->spank_job_env_size);
	slu_copy_submit(desc, uid, &submit);
	slu_ctl_submit(ctl, &submit);
	/* A limit too is only noted: slu_limit_reconsider() sets it, when Slurm
	 * has judged the job by what was asked for. */
	put_note(desc, &submit.note);
	if (submit.tell) /* shown though it succeeds, behind what others say */
		xstrfmtcat(*err_msg, "%s%s", *err_msg ? "\n" : "", submit.tell);
	free(submit.tell);
	slu_ctl_leave(ctl, SLU_HOOK_SUBMIT, watch);
	return SLURM_SUCCESS;
}

static bool has_buffer(const job_record_t *job)
{
	return job && (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) &&
	       slu_ctl_has_buffer(job->burst_buffer);
}

/* The running job that will be expanded by this job's nodes. */
static job_record_t *expanded(const job_record_t *job)
{
	const job_details_t *d = job->details;

	return d && d->expanding_jobid ? find_job_record(d->expanding_jobid)
				       : NULL;
}

/* Does the change resize a job with a buffer: this one, or one that it expands?
 * Side effect: the resized jobs are looked at again, soon after Slurm has made
 * the change. */
static bool resizes(const job_desc_msg_t *desc, const job_record_t *job)
{
	const job_record_t *other = expanded(job);

	if (desc->min_nodes == NO_VAL && !desc->req_nodes)
		return false;
	if (IS_JOB_RUNNING(job))
		slu_ctl_look(ctl, job->job_id);
	if (other)
		slu_ctl_look(ctl, other->job_id);
	return has_buffer(job) || has_buffer(other);
}

/* May this user change the job? update_job() checks the same, but only after
 * job_modify(). */
static bool may_change(const job_desc_msg_t *desc, const job_record_t *job,
		       uint32_t uid)
{
	if (uid == job->user_id || validate_operator(uid))
		return true;
	return assoc_mgr_is_user_acct_coord(acct_db_conn, uid, job->account,
					    false) &&
	       (!desc->account ||
		assoc_mgr_is_user_acct_coord(acct_db_conn, uid, desc->account,
					     false));
}

/* Changes are accepted, except of the nodes of a running job with a buffer: the
 * file system lies on the nodes that it was made for. */
int job_modify(job_desc_msg_t *desc, job_record_t *job,
	       uint32_t uid SLU_SINCE_23_02(char **))
{
	struct slu_stopwatch watch = slu_ctl_enter();
	int rc = SLURM_SUCCESS;

	if (!ctl)
		return SLURM_SUCCESS;
	if (resizes(desc, job)) {
		info("sluice: %pJ is not resized: its file system lies on its "
		     "nodes",
		     job);
		rc = ESLURM_NOT_SUPPORTED;
	} else if (may_change(desc, job, uid)) {
		slu_limit_modify(desc, job);
	}
	slu_ctl_leave(ctl, SLU_HOOK_MODIFY, watch);
	return rc;
}
