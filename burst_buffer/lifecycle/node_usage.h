/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NODE_USAGE_H
#define SLU_LIFECYCLE_NODE_USAGE_H

/* How much of the nodes' storage the buffers hold. */

#include "burst_buffer/lifecycle/record.h"

/* What the buffers that are alive, and the data that failed ones
 * have left (arg: struct slu_buffers), hold of
 * the storage that a plan wants; see struct slu_plan_site. */
int slu_bb_node_usage(void *buffers, const struct slu_plan *plan,
		      uint64_t *promised, uint64_t *own, struct slu_err *err);

#endif
