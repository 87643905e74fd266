/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_RECEIPTS_H
#define SLU_NODE_RECEIPTS_H

/*
 * What this node has told sluiced of the end of an instance, and sluiced has
 * acknowledged: the shares that were staged out, what failed, that it is clean.
 * A sluiced whose database is older than that is told again. Of the latest few
 * hundred instances of jobs; on a node without storage only until it is
 * restarted.
 */

#include "burst_buffer/node/node.h"

/* It was acknowledged; what is not of an instance's end is not noted. */
void slu_receipt_add(const struct slu_node *n, const struct slu_report *r);
/* The instance is over, the job's directory about to go. */
void slu_receipts_keep(const struct slu_node *n);
/* An instance of the same name begins. */
void slu_receipts_drop(const struct slu_node *n, const struct slu_plan *plan);
/* sluiced says that this node has a part of that plan. True: it had, and has
 * told of its end; what was acknowledged then is told again, as far as sluiced
 * can be heard. */
bool slu_receipts_show(struct slu_node *n, const struct slu_plan *plan);

#endif
