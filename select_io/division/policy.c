/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choices of a single job, and its number by the policies that look at one
 * job at a time, used by division.c.
 */
#include <string.h>
#include "select_io/division/division.h"

size_t slu_ion_choices(uint32_t nodes, uint32_t limit, bool direct,
		       uint32_t *out, size_t max)
{
	size_t n = 0;

	if (direct || limit == 0)
		out[n++] = 0;
	for (uint32_t i = 1; i <= limit && i <= nodes && n < max; i++)
		if (nodes % i == 0)
			out[n++] = i;
	return n;
}

size_t slu_ion_at_least(uint32_t least, uint32_t *choice, size_t n)
{
	size_t first = 0;

	while (first + 1 < n && choice[first] < least)
		first++;
	memmove(choice, choice + first, (n - first) * sizeof(*choice));
	return n - first;
}

uint32_t slu_ion_round_down(uint64_t want, const uint32_t *choice, size_t n)
{
	while (n > 1 && choice[n - 1] > want)
		n--;
	return choice[n - 1];
}

uint32_t slu_ion_usual(uint32_t nodes, uint32_t compute, uint32_t ions,
		       const uint32_t *choice, size_t n)
{
	uint64_t want = ((uint64_t)nodes * ions + compute - 1) / compute;

	return slu_ion_round_down(want, choice, n);
}

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
