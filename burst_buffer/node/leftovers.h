/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_LEFTOVERS_H
#define SLU_NODE_LEFTOVERS_H

/* What earlier lives left in a node's storage: after a restart of the node
 * nobody here speaks of it any more. */

#include "burst_buffer/node/node.h"

/* Ask sluiced, for so many seconds, what this node has a part of; what is not
 * noted here is noted again, and a worker takes it down: data that was to be
 * staged out is kept. */
int slu_leftovers_adopt(struct slu_node *n, double seconds,
			struct slu_err *err);

/* Remove instances in `storage` that neither a job's directory nor sluiced
 * knows, and kept data whose time is over by sluiced's clock, if it has been
 * asked for anything. -1: sluiced could not be asked, or
 * kept data not be removed; the rest is logged. */
int slu_leftovers_remove(struct slu_node *n, const char *storage,
			 struct slu_err *err);

/* JOB.BUFFER as a name; -1 when it is none: there is no job 0. */
int slu_instance_parse(const char *name, uint32_t *job_id, uint64_t *buffer);

#endif
