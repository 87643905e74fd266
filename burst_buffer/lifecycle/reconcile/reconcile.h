/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECONCILE_H
#define SLU_LIFECYCLE_RECONCILE_H

/*
 * Reconciliation: the one place that decides what follows from a buffer's
 * record. It does not recurse: buffers that depend on a changed one are queued
 * and examined next, and effects (effects.h) are carried out when nothing
 * changes any more.
 */

#include "burst_buffer/lifecycle/record.h"

/* Takes every step that is due for this buffer, and for those that it uses or
 * that are components of the same job. -1: the database failed, see *err; the
 * steps so far are stored, and another call goes on from there. */
int slu_bb_reconcile(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err);

#endif
