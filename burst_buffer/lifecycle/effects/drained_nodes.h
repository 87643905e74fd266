/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_DRAINED_NODES_H
#define SLU_LIFECYCLE_DRAINED_NODES_H

/* Says which nodes are to be drained until they are clean, and why. */

#include "burst_buffer/lifecycle/record.h"

/* Does any buffer want this node drained? It is resumed when none does. */
bool slu_bb_wants_drained(const struct slu_buffers *b, const char *node);
/* Why node i is drained. Caller frees; NULL: no memory. */
char *slu_bb_drain_reason(const struct slu_bb *bb, size_t i);
/* Frees what slu_buffers_dirty() has noted. */
void slu_bb_dirty_free(struct slu_buffers *b);

#endif
