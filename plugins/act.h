/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_ACT_H
#define SLU_PLUGINS_ACT_H

/* What deeds to jobs (act.c) and to nodes (act_nodes.c) share. */

#include "plugins/host.h"

/* What job_requeue(), job_complete() and update_node() ask for. */
extern const slurmctld_lock_t slu_act_lock;

/* SLU_BUSY while slurmctld ends; under any of its locks. */
bool slu_act_refused(struct slu_err *err);
/* Slurm's answer as ours. */
int slu_act_failed(int rc, struct slu_err *err);
/* "sluice: TEXT", once. Caller frees; NULL: no memory. */
char *slu_act_text(const char *text);

#endif
