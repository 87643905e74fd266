/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_EXPIRY_H
#define SLU_LIFECYCLE_EXPIRY_H

/* When the time of a persistent buffer is over. */

#include "burst_buffer/lifecycle/record.h"

/* Seconds until its time is over, by its date and by its age; and
 * note that age, now and then. */
double slu_expiry_left(const struct slu_buffers *b, const struct slu_bb *bb,
		       double now);
int slu_expiry_age(struct slu_buffers *b, struct slu_bb *bb,
		   struct slu_err *err);
/* A number that no job has, for the next buffer without one; -1: no database.
 */
int64_t slu_persistent_number(struct slu_buffers *b, double now,
			      struct slu_err *err);

#endif
