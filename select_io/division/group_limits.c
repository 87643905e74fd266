/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Enforces limits on the I/O nodes of a user (within an account) and of an
 * account. Fixed numbers are lowered here until each group keeps its limit; the
 * best division of the open ones is found in bundles.c. A limit lowers no job
 * below its smallest choice, nor below what it holds if that may not be
 * changed.
 */
#include <stdlib.h>
#include "select_io/division/division_private.h"

bool slu_ion_limited(const struct slu_ion_division *d)
{
	return d->limit[SLU_ION_USER] || d->limit[SLU_ION_ACCOUNT];
}

void slu_ion_division_limits(struct slu_ion_division *d,
			     const uint32_t limit[SLU_ION_GROUPS])
{
	struct slu_ion_division *both[] = {d, d->as_static};

	for (int i = 0; i < 2; i++)
		for (int g = 0; g < SLU_ION_GROUPS; g++) {
			both[i]->all =
				both[i]->all || both[i]->limit[g] != limit[g];
			both[i]->limit[g] = limit[g];
		}
}

struct member {
	uint64_t group;
	size_t age; /* rank by age */
};

static int by_group(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->age < y->age ? -1 : 1;
}

/* Trials first: only these may be lower than the number of STATIC. */
static void lower_group(struct slu_ion_division *d, uint32_t *slot, size_t n,
			uint32_t limit)
{
	if (!slu_ion_lower(d, slot, n, limit, true))
		slu_ion_lower(d, slot, n, limit, false);
}

static void lower_groups(struct slu_ion_division *d, int g,
			 struct member *member, uint32_t *slot)
{
	size_t from = 0;

	for (size_t i = 0; i < d->n; i++)
		member[i] = (struct member){d->part[d->order[i]].group[g], i};
	if (d->n)
		qsort(member, d->n, sizeof(*member), by_group);
	for (size_t i = 0; i < d->n; i++) {
		slot[i] = d->order[member[i].age];
		if (i + 1 < d->n && member[i + 1].group == member[from].group)
			continue;
		lower_group(d, slot + from, i + 1 - from, d->limit[g]);
		from = i + 1;
	}
}

int slu_ion_keep_limits(struct slu_ion_division *d, struct slu_err *err)
{
	struct member *member = calloc(d->n + 1, sizeof(*member));
	uint32_t *slot = calloc(d->n + 1, sizeof(*slot));
	int rc = 0;

	if (!member || !slot)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	for (int g = 0; rc == 0 && g < SLU_ION_GROUPS; g++)
		if (d->limit[g])
			lower_groups(d, g, member, slot);
	free(member);
	free(slot);
	return rc;
}

static uint32_t room_in(const struct slu_ion_division *d, uint32_t slot, int g)
{
	uint64_t group = d->part[slot].group[g], sum = 0;

	for (size_t i = 0; i < d->n; i++)
		if (d->part[d->order[i]].group[g] == group)
			sum += d->grant[d->order[i]].ions;
	return d->limit[g] > sum ? d->limit[g] - (uint32_t)sum : 0;
}

uint32_t slu_ion_room(const struct slu_ion_division *d, uint32_t slot)
{
	uint32_t room = UINT32_MAX;

	for (int g = 0; g < SLU_ION_GROUPS; g++) {
		uint32_t here = d->limit[g] ? room_in(d, slot, g) : room;

		room = here < room ? here : room;
	}
	return room;
}
