/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NODE_USAGE_H
#define SLU_LIFECYCLE_NODE_USAGE_H

/* How much of the nodes' storage the buffers take. */

#include "burst_buffer/lifecycle/record.h"

/* For struct slu_plan_site (arg: struct slu_buffers): storage wanted by a plan
 * that is taken by buffers which are alive, or by data that failed ones have
 * left. */
int slu_bb_node_usage(void *buffers, const struct slu_plan *plan,
		      uint64_t *promised, uint64_t *own, struct slu_err *err);

#endif
