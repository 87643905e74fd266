/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node missed`: handles a run of a job for which slurmd has run no
 * prolog, since it takes it for the earlier run: that has ended only just now
 * (slurm_cred_handle_reissue()), or slurmctld was killed and has forgotten it,
 * so that slurmd got no message of its end. The run has no file system. If the
 * tasks were refused at once, Slurm would call the job FAILED; instead the job
 * becomes what OnSetupFailure says, and that also ends the run for slurmd.
 */
#include "config.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/commands/commands.h"

#include <stdio.h>
#include <unistd.h>

#define PATIENCE 90.0 /* seconds for the verdict to be carried out */
#define KNOWN	 10.0 /* seconds until sluiced knows that the run has begun */

/* Reports the missing prolog to sluiced. If sluiced does not know this run, the
 * run may not have been reported to it yet, or has ended: the report is
 * repeated for KNOWN seconds. */
static int tell(struct slu_node *n, struct slu_err *err)
{
	struct slu_report r = {
		.step = "missed",
		.text = "slurmd ran no prolog here: it took this run of the "
			"job for the one before",
		.phase = "setup"};

	const double start = slu_now_mono();

	n->deadline = start + PATIENCE;
	while (slu_talk_step(n, &r, err)) {
		if (err->kind != SLU_NOTFOUND || slu_now_mono() > start + KNOWN)
			return -1;
		sleep(1);
	}
	return 0;
}

int slu_cmd_missed_prolog(struct slu_node *n)
{
	struct slu_err err;

	if (n->opt->dry_run) {
		printf("would tell sluiced that no prolog was run here\n");
		return 0;
	}
	slu_node_log(n, SLU_WARN, "slurmd has run no prolog for this run");
	if (tell(n, &err))
		slu_node_log(n, SLU_INFO, "%s", err.text);
	return 0;
}
