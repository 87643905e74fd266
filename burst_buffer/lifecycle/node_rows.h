/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NODE_ROWS_H
#define SLU_LIFECYCLE_NODE_ROWS_H

/* Writes the rows of a buffer's nodes and barriers: the database first, then
 * the record in memory. */

#include "burst_buffer/lifecycle/record.h"

/* Applies an event to a node. SLU_INVALID: it cannot happen in the node's
 * state. */
int slu_bb_set_node(struct slu_db *db, struct slu_bb *bb, size_t i,
		    enum slu_node_event event, struct slu_err *err);
/* A step that a node reports, with its share, and the event that it means (0:
 * none). A repeated report does not change the stored step, except that ok
 * replaces not ok; its event is still applied (SLU_INVALID if the node's state
 * no longer allows it), and the usage in memory is updated. Returns 1 when the
 * report was new, 0 when not. */
int slu_bb_step(struct slu_db *db, struct slu_bb *bb, size_t i,
		const struct slu_report *r, enum slu_node_event event,
		double now, struct slu_err *err);
/* Only stores the order; slu_bb_order() (effects.h) also requests its effect.
 * text NULL: no line of history. */
int slu_bb_set_order(struct slu_db *db, struct slu_bb *bb, size_t i,
		     enum slu_bb_order order, const char *text, double now,
		     struct slu_err *err);
/* What the node has told of the data that it keeps. */
int slu_bb_set_keeping(struct slu_db *db, struct slu_bb *bb, size_t i,
		       enum slu_bb_keeping keeping, struct slu_err *err);
int slu_bb_open_barrier(struct slu_db *db, struct slu_bb *bb,
			struct slu_bb_barrier *barrier, struct slu_err *err);
/* Node i has brought another attribute to a barrier that is open. */
int slu_bb_set_attr(struct slu_db *db, struct slu_bb *bb,
		    struct slu_bb_barrier *barrier, size_t i, const char *attr,
		    struct slu_err *err);

#endif
