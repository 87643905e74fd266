/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_WORKER_H
#define SLU_NODE_WORKER_H

/* Ends an instance on this node in a detached process, the worker, of which
 * there is only one for a job. */

#include "burst_buffer/node/node.h"

/* Starts the detached worker. */
int slu_worker_start(struct slu_node *n, struct slu_err *err);
/* Does the worker's work in a child that is waited for, where not even a pid
 * file can be written. */
void slu_worker_run(struct slu_node *n);

#endif
