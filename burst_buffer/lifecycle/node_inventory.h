/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NODE_INVENTORY_H
#define SLU_LIFECYCLE_NODE_INVENTORY_H

/* What nodes say that they have of buffers. */

#include "burst_buffer/lifecycle/record.h"

/* A node says that somebody holds some of what it has wiped. */
int slu_bb_held(struct slu_buffers *b, const struct slu_bb *bb,
		const struct slu_report *r, double now, struct slu_err *err);

#endif
