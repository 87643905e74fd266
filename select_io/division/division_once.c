/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides I/O nodes among a given set of jobs once, for a single question,
 * without keeping the jobs for later solves.
 */
#include "select_io/division/division.h"

int slu_ion_decide(struct slu_ion_division *d, enum slu_ion_policy policy,
		   uint32_t pool, const struct slu_ion_job *job, size_t n,
		   struct slu_ion_grant *grant, struct slu_ion_proof *proof,
		   struct slu_err *err)
{
	slu_ion_division_clear(d);
	slu_ion_division_rules(d, policy, pool, false);
	for (size_t i = 0; i < n; i++) {
		uint32_t slot = SLU_ION_NEW;

		if (slu_ion_division_put(d, &slot, (uint32_t)i, &job[i], err) <
		    0)
			return -1;
	}
	if (slu_ion_division_solve(d, proof, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) /* so that slots are in this order */
		grant[i] = slu_ion_division_grant(d, (uint32_t)i);
	return 0;
}
