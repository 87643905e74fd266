/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends users who have asked Slurm for mail a notification about the result of
 * their job's stage-out. Slurm sends its own mail when the job's tasks have
 * ended, and does not know that result then. Ours is sent in the same way:
 * slurmscriptd, a process beside slurmctld, runs the mail program.
 */
#include "config.h"
#include "plugins/actions.h"
#include "plugins/hetjobs.h"

#include <sys/wait.h>

#include "common/str.h"

#define SECONDS 5 /* as MAIL_PROG_TIMEOUT */

/* Kinds of mail that users asked for and whose text is wrong if the stage-out
 * fails */
#define OF_FATE \
	(MAIL_JOB_END | MAIL_JOB_FAIL | MAIL_JOB_REQUEUE | MAIL_JOB_STAGE_OUT)

/* The job's state, in the words of Slurm's own mails where they have one. */
static const char *kind_of(const job_record_t *job, bool staged)
{
	if (staged)
		return "Staged out";
	if (IS_JOB_PENDING(job))
		return job->priority ? "Requeued" : "Held";
	if (IS_JOB_FAILED(job))
		return "Failed";
	return IS_JOB_CANCELLED(job) ? "Cancelled" : "Ended";
}

/* The job's name in Slurm's format of mails, which filters and scripts depend
 * on. */
static char *name_of(const job_record_t *job)
{
	if (job->array_task_id == NO_VAL)
		return slu_asprintf("Slurm Job_id=%u Name=%s", job->job_id,
				    job->name ? job->name : "");
	return slu_asprintf("Slurm Array Task Job_id=%u_%u (%u) Name=%s",
			    job->array_job_id, job->array_task_id, job->job_id,
			    job->name ? job->name : "");
}

/* conf and job READ */
static int fill(const job_record_t *job, const char *reason, bool staged,
		struct slu_ctl_mail *out)
{
	const char *kind = kind_of(job, staged);
	char *name = name_of(job);

	*out = (struct slu_ctl_mail){
		.job_id = job->job_id,
		.array_job_id = job->mail_type & MAIL_ARRAY_TASKS
					? 0
					: job->array_job_id,
		.program = strdup(slurm_conf.mail_prog),
		.to = strdup(job->mail_user),
		.kind = strdup(kind),
	};
	if (name)
		out->subject = slu_asprintf("%s %s, %s", name, kind,
					    slu_act_plain(reason));
	free(name);
	return out->program && out->to && out->kind && out->subject ? 0 : 1;
}

int slu_act_mail(void *arg, const struct slu_verdict *verdict, bool staged,
		 struct slu_ctl_mail *out)
{
	const slurmctld_lock_t lock = {.conf = READ_LOCK, .job = READ_LOCK};
	uint16_t wanted = staged ? MAIL_JOB_STAGE_OUT : OF_FATE;
	job_record_t *job;
	int rc = 1;

	(void)arg;
	lock_slurmctld(lock);
	job = find_job_record(verdict->job_id);
	if (job && staged && job->restart_cnt != verdict->restarts)
		job = NULL; /* it runs again */
	if (job)
		job = slu_hetjob_leader(job);
	if (job && job->mail_type & wanted && job->mail_user &&
	    slurm_conf.mail_prog)
		rc = fill(job, verdict->reason, staged, out);
	unlock_slurmctld(lock);
	return rc;
}

/* The error for a program that has failed, by its exit status. */
static int failed(const char *program, int status, const char *said,
		  struct slu_err *err)
{
	if (WIFEXITED(status))
		slu_err(err, SLU_IO, "%s ended with exit code %d", program,
			WEXITSTATUS(status));
	else
		slu_err(err, SLU_IO, "%s did not end within %d s", program,
			SECONDS);
	if (said && *said)
		slu_err_prefix(err, "%.200s", said);
	return -1;
}

/* Waits for slurmscriptd, so without any lock. Slurm counts the NULL, too. */
int slu_act_send_mail(void *arg, const struct slu_ctl_mail *mail,
		      struct slu_err *err)
{
	char *argv[] = {mail->program, (char[]){"-s"}, mail->subject, mail->to,
			NULL};
	char **env, *said = NULL;
	int status;

	(void)arg;
	if (slu_act_refused(err))
		return -1;
	env = env_array_create();
	env_array_overwrite_fmt(&env, "PATH", "%s", "/bin:/usr/bin");
	env_array_overwrite_fmt(&env, "SLURM_JOB_ID", "%u", mail->job_id);
	env_array_overwrite_fmt(&env, "SLURM_JOB_MAIL_TYPE", "%s", mail->kind);
	status = slurmscriptd_run_mail(mail->program, 5, argv, env, SECONDS,
				       &said);
	env_array_free(env);
	if (status)
		failed(mail->program, status, said, err);
	xfree(said);
	return status ? -1 : 0;
}
