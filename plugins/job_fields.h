/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_JOB_FIELDS_H
#define SLU_PLUGINS_JOB_FIELDS_H

/* Copies Slurm's structures to ours. The caller holds the read locks; memory is
 * from malloc. */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* A job: at least job READ and node READ. Fields are NULL where memory was
 * short. Lists of a buffer's nodes by their state take milliseconds for
 * thousands of nodes, so only slu_copy_nodes() fills them in: not for hooks. */
void slu_copy_job(const job_record_t *job, struct slu_job *out);
void slu_copy_nodes(const job_record_t *job, struct slu_job *out);
/* The earliest time at which it could have started, Unix seconds; 0: unknown.
 */
int64_t slu_eligible(const job_record_t *job);

/* Copy what the predictor needs from a submission. The strings are borrowed
 * from desc: *out must not be cleared. part READ. */
void slu_copy_submit(const job_desc_msg_t *desc, uint32_t uid,
		     struct slu_ctl_submit *out);

/* Remove from an environment array the variables that a new job must not
 * inherit. */
void slu_strip_env(struct slu_ctl *ctl, char **env, uint32_t *n);
/* Set "NAME=value" in an environment array of Slurm's. */
void slu_set_env(char ***env, uint32_t *n, const char *entry);

/* Does Slurm power nodes down, and up for jobs? */
bool slu_saves_power(void);

#endif
