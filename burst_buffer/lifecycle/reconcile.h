/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECONCILE_H
#define SLU_LIFECYCLE_RECONCILE_H

/* What follows from the facts: the one place that decides. It is not
 * recursive: buffers that depend on a changed one are queued and examined next,
 * and what is to be done outside of the records is done when nothing changes
 * any more (effects.h). */

#include "burst_buffer/lifecycle/record.h"

/* Take every step that is due of this buffer, and of those that it uses or that
 * are components of the same job. -1: the database failed, see *err; then all
 * that was done is stored, and calling it again goes on from there. */
int slu_bb_reconcile(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err);

#endif
