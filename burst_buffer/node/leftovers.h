/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_LEFTOVERS_H
#define SLU_NODE_LEFTOVERS_H

/* What earlier lives left in a node's storage: after a reboot nobody speaks of
 * it any more. */

#include "burst_buffer/node/node.h"

/* Remove instances in `storage` that no job's directory knows, and kept data
 * whose time is over; tell sluiced of those that are clean now. Troubles are
 * logged. */
void slu_leftovers_remove(struct slu_node *n, const char *storage);

/* JOB.BUFFER as a name; -1 when it is none. */
int slu_instance_parse(const char *name, uint32_t *job_id, uint64_t *buffer);

#endif
