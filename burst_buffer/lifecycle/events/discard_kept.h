/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_LIFECYCLE_DISCARD_KEPT_H
#define SLU_BURST_BUFFER_LIFECYCLE_DISCARD_KEPT_H

/* Discards data that was kept after failed stage-outs, see
 * slu_buffers_discard(). */

#include "burst_buffer/lifecycle/record.h"

/* What this node is to remove, in the form of struct slu_node_inventory. The
 * caller frees it; NULL: no memory. */
char *slu_bb_discards(const struct slu_buffers *b, const char *node);

#endif
