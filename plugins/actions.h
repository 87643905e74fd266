/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_ACTIONS_H
#define SLU_PLUGINS_ACTIONS_H

/* What deeds to jobs (job_actions.c, job_end_times.c) and to nodes
 * (node_actions.c) share.
 */

#include "plugins/host.h"

/* What job_requeue(), job_complete() and update_node() ask for. */
extern const slurmctld_lock_t slu_act_lock;
/* What a change of the job's record alone asks for. */
extern const slurmctld_lock_t slu_act_job_lock;

/* SLU_BUSY while slurmctld ends; under any of its locks. */
bool slu_act_refused(struct slu_err *err);
/* Says that there is no such job. */
int slu_act_no_job(uint32_t job_id, struct slu_err *err);
/* Slurm's answer as ours. */
int slu_act_failed(int rc, struct slu_err *err);
/* "sluice: TEXT", once. Caller frees; NULL: no memory. */
char *slu_act_text(const char *text);
/* A reason without that. */
const char *slu_act_plain(const char *text);
/* Replace a string of Slurm's by our text (malloc, freed; NULL: none). */
void slu_act_put_text(char **slurms, char *text);
/* Keep the note with the job. */
void slu_act_put_note(job_record_t *job, const struct slu_note *note);

#endif
