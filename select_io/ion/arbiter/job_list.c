/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds running jobs by their ids, and notes which of them have changed since
 * the last solve.
 */
#include "select_io/ion/arbiter/arbiter_private.h"

size_t slu_ion_position(const struct slu_arbiter *a, uint32_t job_id)
{
	size_t low = 0, high = a->n_run;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (a->run[mid]->job.job_id < job_id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct running *slu_ion_find(const struct slu_arbiter *a, uint32_t job_id)
{
	size_t i = slu_ion_position(a, job_id);

	return i < a->n_run && a->run[i]->job.job_id == job_id ? a->run[i]
							       : NULL;
}

void slu_ion_touch(struct slu_arbiter *a, struct running *r)
{
	if (!r->dirty)
		a->dirty[a->n_dirty++] = r;
	r->dirty = true;
}

void slu_ion_touch_answer(struct slu_arbiter *a, struct running *r)
{
	if (!r->unreported)
		a->unreported[a->n_unreported++] = r;
	r->unreported = true;
}

void slu_ion_touch_all(struct slu_arbiter *a)
{
	for (size_t i = 0; i < a->n_run; i++)
		slu_ion_touch(a, a->run[i]);
}

void slu_ion_forget_fixed(struct slu_arbiter *a)
{
	slu_ion_division_clear(a->division[IN_EFFECT]);
	for (size_t i = 0; i < a->n_run; i++) {
		a->run[i]->slot[IN_EFFECT] = SLU_ION_NEW;
		slu_ion_touch(a, a->run[i]);
	}
}
