/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes what a single job may choose, and its number under those policies
 * that look at one job at a time. division_solve.c makes a division of these.
 */
#include <string.h>
#include "select_io/division/policy.h"

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
