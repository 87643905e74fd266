/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_DISCARD_H
#define SLU_LIFECYCLE_DISCARD_H

/* Kept data that its owner gives up, see slu_buffers_discard(). */

#include "burst_buffer/lifecycle/record.h"

/* What this node is to remove, as struct slu_owed says it. The caller frees it;
 * NULL: no memory. */
char *slu_bb_discards(const struct slu_buffers *b, const char *node);

#endif
