/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_FATE_H
#define SLU_LIFECYCLE_FATE_H

/* Texts for a job's user, in the job's output and in a mail: how the data was
 * staged in, and what became of the data that was to be staged out. */

#include "burst_buffer/lifecycle/record.h"

/* For the start of the job, and for the end of its stage-out: sentences without
 * a prefix, one a line. NULL: no memory. Caller frees. */
char *slu_bb_begin_text(const struct slu_bb *bb);
char *slu_bb_stage_out_text(const struct slu_bb *bb);
/* What failed, "stage-out failed: ...", and where the data is if the run or its
 * stage-out failed. NULL: no memory. Caller frees. */
char *slu_bb_failed_text(const struct slu_bb *bb);
/* Where the data of a failed run or stage-out is, and how to fetch it. NULL: no
 * memory. Caller frees. */
char *slu_bb_kept_where(const struct slu_bb *bb);
/* What on= or the job's end leave out of its stage-out, and why: "stage_out of
 * $BB_JOBFS/out was left out: on=success, and the job ended FAILED". "":
 * nothing that the job could have written. NULL: no memory. Caller frees. */
char *slu_bb_not_staged(const struct slu_bb *bb);
/* "by content on another node": how what was staged out was compared. */
const char *slu_bb_verified(const struct slu_bb *bb);
/* After a stage-out: "staged out 3 files, 12MiB, in 3 s, verified by content".
 * NULL: it failed, nothing was to be staged out, or no memory. Caller frees. */
char *slu_bb_staged_out(const struct slu_bb *bb);

#endif
