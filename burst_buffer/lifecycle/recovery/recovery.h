/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECOVERY_H
#define SLU_LIFECYCLE_RECOVERY_H

/* Loads buffers from the database at start. */

#include "burst_buffer/lifecycle/record.h"

int slu_bb_load(struct slu_buffers *b, double now, struct slu_err *err);

#endif
