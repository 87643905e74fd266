/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_RECEIPTS_H
#define SLU_NODE_RECEIPTS_H

/*
 * Keeps the reports about the end of an instance that sluiced has acknowledged
 * (receipts): shares that were staged out, what failed, that the node is clean.
 * If a sluiced with an older database asks again, they are repeated. Kept for
 * the latest few hundred instances of jobs; on a node without storage only
 * until it restarts.
 */

#include "burst_buffer/node/node.h"

/* Notes a report that was acknowledged; reports that are not about the end are
 * ignored. */
void slu_receipt_add(const struct slu_node *n, const struct slu_report *r);
/* The instance is over: moves its receipts out of the job's directory, which is
 * about to be removed. */
void slu_receipts_keep(const struct slu_node *n);
/* Removes the receipts of an instance with the same name, as it begins again.
 */
void slu_receipts_drop(const struct slu_node *n, const struct slu_plan *plan);
/* Reads the receipts of an ended instance, a report a line; false: there are
 * none. The caller frees *text. */
bool slu_receipts_read(const struct slu_node *n, const struct slu_plan *plan,
		       struct slu_buf *text);
/* receipts_show.c: sluiced counts this node in that plan. True: the node has
 * reported its end already; what was acknowledged then is reported again, as
 * far as sluiced can be reached. */
bool slu_receipts_show(struct slu_node *n, const struct slu_plan *plan);

#endif
