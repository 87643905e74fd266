/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_TEARDOWN_H
#define SLU_NODE_TEARDOWN_H

/* Second half of `down`: removes the file system from this node until nothing
 * of it is left, once all data is staged out or will be kept (save_data.h). */

#include "burst_buffer/node/node.h"

/* seconds, so that sluiced's deadlines come first */
#define SLU_NODE_GRACE 60
/* seconds for the first attempts of the last reports */
#define SLU_NODE_REPORTS 30

/* Detaches, stops, keeps or wipes, and checks that nothing is left; may be
 * repeated. has_ended: sluiced has answered that the job has ended. SLU_IO and
 * others: it cannot be cleaned, and why. */
int slu_teardown(struct slu_node *n, bool has_ended, bool keeps,
		 struct slu_err *err);
/* Waits at the barrier "detached" until no node uses another's server. */
void slu_arrive_detached(struct slu_node *n);
/* Removes what all nodes have in common and is not on this node. The first node
 * that gets there does it. */
int slu_teardown_common(struct slu_node *n, bool keeps, struct slu_err *err);

#endif
