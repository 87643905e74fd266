/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_IONS_H
#define SLU_CTL_IONS_H

/*
 * Divides the I/O nodes of the site among the running jobs: tells the arbiter
 * of changes of jobs and nodes, lets it solve, and publishes the result.
 */

#include "ctl/ops.h"
#include "wire/job.h"

struct slu_ctl;

/* Make the arbiter, or fit it to these nodes and the configuration. A new one
 * continues what the nodes' comments say. */
void slu_ions_configure(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
			size_t n_nodes, const struct slu_job *running,
			size_t n_running);
/* A job starts; a running job may have other nodes than before; it has ended.
 */
void slu_ions_start(struct slu_ctl *ctl, const struct slu_job *job);
void slu_ions_resize(struct slu_ctl *ctl, const struct slu_job *job);
void slu_ions_end(struct slu_ctl *ctl, uint32_t job_id);
/* Solve soon, because of the event `what` of this job. */
void slu_ions_changed(struct slu_ctl *ctl, const char *what, uint32_t job_id);
/* Predict all running jobs again: history is known, or the table is new. */
void slu_ions_predict(struct slu_ctl *ctl);
/* Set what a job that starts is predicted to write in one call and into one
 * file, as far as that is known. */
void slu_ions_sizes(struct slu_ctl *ctl, struct slu_job *job);
/* Check for I/O nodes that have failed, were drained or came back. Returns when
 * to check again. */
double slu_ions_watch(struct slu_ctl *ctl, double now);
/* Solve, if that is due, and send the assignment. */
void slu_ions_solve(struct slu_ctl *ctl, double now);
void slu_ions_fini(struct slu_ctl *ctl);

#endif
