/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_EXPIRY_H
#define SLU_LIFECYCLE_EXPIRY_H

/* When persistent buffers expire, and the numbers that they have in place of a
 * job id. */

#include "burst_buffer/lifecycle/record.h"

/* Seconds until the buffer expires, by date and by age; and: stores its age, at
 * most every ten minutes. */
double slu_expiry_left(const struct slu_buffers *b, const struct slu_bb *bb,
		       double now);
int slu_expiry_age(struct slu_buffers *b, struct slu_bb *bb,
		   struct slu_err *err);
/* A number that no job has, for a new persistent buffer; -1: the database
 * failed. */
int64_t slu_persistent_number(struct slu_buffers *b, double now,
			      struct slu_err *err);

#endif
