/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares slurm.conf with sluice.conf. Each rule is an `if`: the condition
 * that would go wrong, then the line that names the setting to change.
 */
#include "config.h"
#include "ctl/advice.h"

static void advise_plugins(const struct slu_ctl_settings *s,
			   const struct slu_conf *conf, struct slu_buf *out)
{
	if (!s->job_submit_sluice && conf->predict_mode != SLU_PREDICT_OFF)
		slu_buf_puts(out, "JobSubmitPlugins lacks sluice: nothing is "
				  "predicted; set "
				  "JobSubmitPlugins=sluice, behind what "
				  "is there\n");
	if (!s->bb_sluice && conf->predict_mode >= SLU_PREDICT_FILL)
		slu_buf_puts(out, "BurstBufferType is not burst_buffer/sluice: "
				  "no limit is set, for nothing would guard it "
				  "from slurmctld's start on; set "
				  "BurstBufferType=burst_buffer/sluice\n");
	if (!s->bb_sluice && conf->n_fs)
		slu_buf_puts(out, "BurstBufferType is not burst_buffer/sluice: "
				  "no job gets a file system; set "
				  "BurstBufferType=burst_buffer/sluice\n");
	if (!s->prep_sluice && (s->bb_sluice || conf->io_nodes.n))
		slu_buf_puts(out, "PrEpPlugins lacks sluice: starts and ends "
				  "are seen late; set "
				  "PrEpPlugins=script,sluice\n");
	if (!s->node_features_sluice && conf->io_nodes.n)
		slu_buf_puts(out, "NodeFeaturesPlugins lacks sluice: I/O nodes "
				  "carry no features; set "
				  "NodeFeaturesPlugins=sluice, behind what is "
				  "there\n");
	if (!s->prep_script && s->bb_sluice)
		slu_buf_puts(out, "PrEpPlugins lacks script: SPANK prologs do "
				  "not run and no buffer is set up; set "
				  "PrEpPlugins=script,sluice\n");
}

/* A ResumeTimeout with which five times the sum is enough for a set-up of so
 * many seconds and, where nodes have to boot, for ResumeTimeout itself once
 * more. */
static int64_t resume_timeout(const struct slu_ctl_settings *s, int64_t up)
{
	const int64_t suspend = (int64_t)s->suspend_resume - s->resume;
	const int64_t times = s->boot ? 4 : 5;

	return (up - 5 * suspend + times - 1) / times;
}

static void advise_prolog(const struct slu_ctl_settings *s,
			  const struct slu_conf *conf, struct slu_buf *out)
{
	int64_t up = conf->setup_timeout + conf->stage_in_timeout;
	int64_t down = conf->stage_out_timeout + conf->teardown_timeout;
	int64_t longest = up > down ? up : down;

	if (!s->prolog_alloc || !s->prolog_defer_batch)
		slu_buf_puts(out, "PrologFlags lacks Alloc or DeferBatch: jobs "
				  "with a buffer are refused; set "
				  "PrologFlags=Alloc,DeferBatch\n");
	if (s->prolog_serial)
		slu_buf_puts(out, "PrologFlags has Serial: prologs that wait "
				  "for each other across nodes would block, "
				  "jobs with a buffer are refused; remove it "
				  "there\n");
	if ((int64_t)s->prolog_epilog_timeout < longest)
		slu_buf_printf(out,
			       "PrologEpilogTimeout=%u ends set-up or "
			       "stage-out early and drains nodes; remove it, "
			       "or set PrologEpilogTimeout=%lld or more\n",
			       s->prolog_epilog_timeout, (long long)longest);
	if (s->batch_start_timeout < up)
		slu_buf_printf(out,
			       "BatchStartTimeout=%u: a node that registers "
			       "again during a long set-up may lose its job; "
			       "set BatchStartTimeout=%lld\n",
			       s->batch_start_timeout, (long long)up);
	if (5 * (int64_t)s->suspend_resume < up + s->boot)
		slu_buf_printf(out,
			       "salloc and srun give up after %u s "
			       "(5 x (SuspendTimeout + ResumeTimeout)), "
			       "boot and set-up may take %lld s; set "
			       "ResumeTimeout=%lld\n",
			       5 * s->suspend_resume, (long long)(up + s->boot),
			       (long long)resume_timeout(s, up));
}

static void advise_rest(const struct slu_ctl_settings *s, struct slu_buf *out)
{
	if (s->complete_wait)
		slu_buf_printf(
			out,
			"CompleteWait=%u: no job starts while another "
			"stages out, up to that time; set CompleteWait=0\n",
			s->complete_wait);
	if (s->job_container)
		slu_buf_puts(
			out,
			"JobContainerType (NamespaceType) is set: mounts made for "
			"a job may not be seen by its tasks; it has "
			"not been tested\n");
}

void slu_advice(const struct slu_ctl_settings *slurm,
		const struct slu_conf *conf, struct slu_buf *out)
{
	advise_plugins(slurm, conf, out);
	if (!slurm->bb_sluice)
		return;
	advise_prolog(slurm, conf, out);
	advise_rest(slurm, out);
}
