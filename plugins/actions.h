/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_ACTIONS_H
#define SLU_PLUGINS_ACTIONS_H

/*
 * Private to the actions on jobs (job_actions.c, job_end_times.c) and on nodes
 * (node_actions.c): their locks, errors and texts.
 */

#include "plugins/host.h"

/* Locks that job_requeue(), job_complete() and update_node() need. */
extern const slurmctld_lock_t slu_act_lock;
/* Locks for a change of the job's record alone. */
extern const slurmctld_lock_t slu_act_job_lock;

/* SLU_BUSY when slurmctld is ending; call it with any of its locks. */
bool slu_act_refused(struct slu_err *err);
/* Error: there is no such job. Returns -1. */
int slu_act_no_job(uint32_t job_id, struct slu_err *err);
/* Convert Slurm's error code to ours. */
int slu_act_failed(int rc, struct slu_err *err);
/* "sluice: TEXT", without doubling the prefix. Caller frees; NULL: no memory.
 */
char *slu_act_text(const char *text);
/* A reason without that prefix. */
const char *slu_act_plain(const char *text);
/* Replace a string of Slurm's by our text (malloc, freed here; NULL: none). */
void slu_act_put_text(char **slurms, char *text);
/* Store the note in the job's AdminComment. */
void slu_act_put_note(job_record_t *job, const struct slu_note *note);
/* Its job begins, or never will: when that is is told no more. */
void slu_act_drop_start(job_record_t *job);

#endif
