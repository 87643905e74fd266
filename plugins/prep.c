/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin prep/sluice: receives starts and ends of all jobs, and delays a
 * launch until the job's I/O nodes are published. Loaded by slurmd too, where
 * it does nothing.
 */
#include "config.h"
#include "plugins/job_fields.h"
#include "plugins/host.h"

const char plugin_name[] = "Sluice prolog and epilog plugin";
const char plugin_type[] = "prep/sluice";
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

int prep_p_register_callbacks(prep_callbacks_t *callbacks)
{
	if (ctl && callbacks)
		slu_ctl_set_prolog_done(ctl, callbacks->prolog_slurmctld);
	return SLURM_SUCCESS;
}

int prep_p_prolog(job_env_t *job_env, slurm_cred_t *cred)
{
	(void)job_env;
	(void)cred;
	return SLURM_SUCCESS;
}

int prep_p_epilog(job_env_t *job_env, slurm_cred_t *cred)
{
	(void)job_env;
	(void)cred;
	return SLURM_SUCCESS;
}

int prep_p_prolog_slurmctld(job_record_t *job, bool *async)
{
	struct slu_stopwatch watch = slu_ctl_enter();
	struct slu_job copy;

	*async = false;
	if (!ctl)
		return SLURM_SUCCESS;
	slu_copy_job(job, &copy);
	*async = slu_ctl_started(ctl, &copy);
	slu_ctl_leave(ctl, SLU_HOOK_PROLOG, watch);
	return SLURM_SUCCESS;
}

/* burst_buffer's job_start_stage_out has reported the end; if that plugin is
 * not configured, libsluice's thread finds it after this call. */
int prep_p_epilog_slurmctld(job_record_t *job, bool *async)
{
	struct slu_stopwatch watch = slu_ctl_enter();

	*async = false;
	if (!ctl)
		return SLURM_SUCCESS;
	slu_ctl_look(ctl, job->job_id);
	slu_ctl_leave(ctl, SLU_HOOK_EPILOG, watch);
	return SLURM_SUCCESS;
}

void prep_p_required(prep_call_type_t type, bool *required)
{
	*required = ctl && (type == PREP_PROLOG_SLURMCTLD ||
			    type == PREP_EPILOG_SLURMCTLD);
}
