/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NODE_INVENTORY_H
#define SLU_LIFECYCLE_NODE_INVENTORY_H

/* Records a node's warnings in a buffer's history. The inventory, which tells a
 * node what it must still run or clean up, is slu_buffers_node_inventory(). */

#include "burst_buffer/lifecycle/record.h"

/* A node reports something that users should read and that stops nothing: the
 * history gets the line "NODE: WHAT TEXT". */
int slu_bb_note_of_node(struct slu_buffers *b, const struct slu_bb *bb,
			const struct slu_report *r, const char *what,
			double now, struct slu_err *err);

#endif
