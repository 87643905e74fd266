/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_ION_ASSIGNMENT_DELTA_H
#define SLU_SELECT_IO_ION_ASSIGNMENT_DELTA_H

/*
 * Makes and applies differences between two assignments of I/O nodes, since the
 * start or end of a job changes few of the jobs: a message has only those.
 */

#include "wire/ion_assignment.h"
#include "wire/control.h"

/* Make *out the difference of `now` from `before` (out->base is its epoch, >
 * 0). Both have their jobs sorted by id. It borrows from `now`; slu_delta_free
 * frees the rest. -1 without memory. */
int slu_delta_make(const struct slu_assignment *before,
		   const struct slu_assignment *now,
		   struct slu_assignment *out);
void slu_delta_free(struct slu_assignment *delta);

/* Complete *delta: what has not changed is copied from `before`. A complete one
 * is not changed. SLU_INVALID: its base is not `before` (NULL: none); then, and
 * without memory, *delta is not changed. */
int slu_delta_apply(const struct slu_assignment *before,
		    struct slu_assignment *delta, struct slu_err *err);
/* *whole, on which *delta is based, becomes what *delta makes of it, and *delta
 * empty. -1 without memory: both are as they were. */
int slu_delta_take(struct slu_assignment *whole, struct slu_assignment *delta);

/* Without what is only shown to people, and may be long: the names of jobs,
 * their curves, and why they have what they have. */
void slu_assignment_strip(struct slu_assignment *a);

#endif
