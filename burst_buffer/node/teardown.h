/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_TEARDOWN_H
#define SLU_NODE_TEARDOWN_H

/* The second half of `down`: once all data is safe, or is to be kept, this node
 * lets the file system go until nothing of it is left here. */

#include "burst_buffer/node/node.h"

#define SLU_NODE_GRACE	 60 /* seconds: sluiced's deadlines come first */
#define SLU_NODE_REPORTS 30 /* seconds for the last words, at first */

/* Is there something that other nodes of the job may be using, too? */
bool slu_in_common(const struct slu_node *n);

/* Detach, stop, keep or wipe, and prove that nothing is left; may be done
 * again. told: sluiced has said that the job has ended. SLU_IO and others: it
 * cannot be cleaned, and why. */
int slu_teardown(struct slu_node *n, bool told, bool keeps,
		 struct slu_err *err);
/* Wait until nobody uses another's server any more, or nobody tells. */
void slu_meet_detached(struct slu_node *n);
/* What does not lie on this node. The first node that comes does it. */
int slu_teardown_common(struct slu_node *n, bool keeps, struct slu_err *err);

#endif
