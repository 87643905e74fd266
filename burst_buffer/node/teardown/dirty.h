/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_DIRTY_H
#define SLU_NODE_DIRTY_H

/* Drains this node through sluiced while its storage has data that belongs to
 * no known run and cannot be removed. */

#include "burst_buffer/node/node.h"

/* Is such data noted in `storage`? */
bool slu_dirty(const char *storage);
/* Drains the node until it can be removed; resumes it. Errors are logged. */
void slu_dirty_begin(struct slu_node *n, const char *storage, const char *why);
void slu_dirty_end(struct slu_node *n, const char *storage);

#endif
