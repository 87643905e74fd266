/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_DIVISION_JOBS_H
#define SLU_SELECT_IO_DIVISION_JOBS_H

/* Adds, changes and removes the jobs of a division; see division_private.h. */

#include "select_io/division/division_private.h"

/* As slu_ion_division_put() and slu_ion_division_drop(), without the shadow
 * divisions. */
int slu_ion_division_put_one(struct slu_ion_division *d, uint32_t *slot,
			     uint32_t age, const struct slu_ion_job *job,
			     struct slu_err *err);
void slu_ion_division_drop_one(struct slu_ion_division *d, uint32_t slot);

/* Take the job out of the sums; it is posed again at the next solve. */
void slu_ion_make_dirty(struct slu_ion_division *d, uint32_t slot);

/* The index in d->order of the first job whose age is not less: where a job of
 * this age is, or would be inserted. */
size_t slu_ion_division_position(const struct slu_ion_division *d,
				 uint32_t age);

#endif
