/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NODE_USAGE_H
#define SLU_LIFECYCLE_NODE_USAGE_H

/* Adds up how much of the nodes' storage buffers use. */

#include "burst_buffer/lifecycle/record.h"

/* For struct slu_plan_site (arg: struct slu_buffers): how much of the storage
 * that a plan wants is in use by buffers that are alive, or by data that failed
 * ones have left. */
int slu_bb_node_usage(void *buffers, const struct slu_plan *plan,
		      uint64_t *promised, uint64_t *own, struct slu_err *err);

#endif
