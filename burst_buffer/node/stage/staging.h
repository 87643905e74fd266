/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_STAGING_H
#define SLU_NODE_STAGING_H

/* Stages the requests of a job's plan on this node. */

#include "burst_buffer/node/node.h"

/* Stages request r of the plan, from the walk to the last check; with all
 * nodes, or alone where each node has its own data. */
int slu_node_stage(struct slu_node *n, size_t r, struct slu_err *err);

#endif
