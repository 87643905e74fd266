/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the burst-buffer request of a submission on behalf of
 * burst_buffer/sluice, and stores its canonical text in it: collects from Slurm
 * what libsluice needs to decide (ctl/submission.h).
 */
#include "config.h"
#include "plugins/bb_submission.h"

#include <stdlib.h>

#include "plugins/eligible_nodes.h"
#include "plugins/job_fields.h"

static bool prolog_flags_ok(void)
{
	uint32_t need = PROLOG_FLAG_ALLOC | PROLOG_FLAG_DEFER_BATCH;

	return (slurm_conf.prolog_flags & need) == need &&
	       !(slurm_conf.prolog_flags & PROLOG_FLAG_SERIAL);
}

/* Both salloc and srun give up after 5 * (down + up) seconds; 0: they do not
 * wait alike (_wait_nodes_ready() in Slurm's salloc.c and allocate.c). Where
 * nodes are powered down they wait for the boot as well. */
static uint32_t client_timeout(const job_desc_msg_t *desc)
{
	uint32_t down = slurm_conf.suspend_timeout,
		 up = slurm_conf.resume_timeout;

	if (desc->script || !down || !up)
		return 0;
	return 5 * (down + up) - (slu_saves_power() ? up : 0);
}

int slu_bb_validate(struct slu_ctl *ctl, job_desc_msg_t *desc, uid_t uid,
		    int tres_pos, struct slu_err *err)
{
	struct slu_ctl_ask ask = {
		.option = desc->burst_buffer,
		.script = desc->script,
		.account = desc->account,
		.uid = desc->user_id == NO_VAL ? uid : desc->user_id,
		.min_nodes = desc->min_nodes == NO_VAL ? 0 : desc->min_nodes,
		.max_nodes = desc->max_nodes == NO_VAL ? 0 : desc->max_nodes,
		.het = desc->het_job_offset != NO_VAL,
		.het_offset = desc->het_job_offset,
		.array = desc->array_inx && *desc->array_inx,
		.prolog_flags = prolog_flags_ok(),
		.client_timeout = client_timeout(desc),
	};
	struct slu_eligible_nodes where;
	char *text;
	int rc;

	slu_eligible_nodes_begin(&where, desc, &ask);
	rc = slu_ctl_validate(ctl, &ask, &text, err);
	slu_eligible_nodes_end(&where);
	if (rc < 0)
		return -1;
	xfree(desc->burst_buffer);
	if (*text)
		desc->burst_buffer = xstrdup(text);
	slu_strip_env(ctl, desc->spank_job_env, &desc->spank_job_env_size);
	if (slu_ctl_has_buffer(text))
		slu_set_env(&desc->spank_job_env, &desc->spank_job_env_size,
			    "SLUICE_BUFFER=1");
	/* Limits of associations are tested with it. MiB, as Slurm counts. */
	if (tres_pos >= 0 && desc->tres_req_cnt)
		desc->tres_req_cnt[tres_pos] =
			slu_ctl_capacity(ctl, 0, text) >> 20;
	free(text);
	return 0;
}
