/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_LIFECYCLE_DISCARD_KEPT_H
#define SLU_BURST_BUFFER_LIFECYCLE_DISCARD_KEPT_H

/* Kept data that its owner gives up, see slu_buffers_discard(). */

#include "burst_buffer/lifecycle/record.h"

/* What this node is to remove, as struct slu_node_inventory says it. The caller
 * frees it; NULL: no memory. */
char *slu_bb_discards(const struct slu_buffers *b, const char *node);

#endif
