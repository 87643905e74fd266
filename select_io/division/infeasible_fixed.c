/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lowers fixed numbers of I/O nodes that together do not fit in the pool:
 * decides which jobs are lowered, and the capacity that remains when one I/O
 * node is shared.
 */
#include "select_io/division/division_private.h"

static uint32_t least(const struct slu_ion_division *d, uint32_t slot)
{
	const struct part *p = &d->part[slot];

	return slu_ion_least(p, &p->range);
}

static bool can_lower(const struct slu_ion_division *d, uint32_t slot,
		      bool trials)
{
	const struct range *r = &d->part[slot].range;

	return !r->pinned && r->n > 0 && r->low > 0 &&
	       (!trials || d->part[slot].tries);
}

/* Lowers jobs level by level, the highest numbers first and newer jobs before
 * older ones: no more passes than there are numbers to choose from. */
bool slu_ion_lower(struct slu_ion_division *d, const uint32_t *slot, size_t n,
		   uint32_t capacity, bool trials)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += least(d, slot[i]);
	while (sum > capacity) {
		uint32_t level = 0;

		for (size_t i = 0; i < n; i++)
			if (can_lower(d, slot[i], trials) &&
			    least(d, slot[i]) > level)
				level = least(d, slot[i]);
		if (level == 0)
			return false;
		for (size_t i = n; i-- > 0 && sum > capacity;) {
			if (!can_lower(d, slot[i], trials) ||
			    least(d, slot[i]) != level)
				continue;
			d->part[slot[i]].range.low--;
			sum -= level - least(d, slot[i]);
		}
	}
	return true;
}

/* When running jobs hold all I/O nodes, one of this job is shared: the job that
 * holds most, the newest among equals. */
static uint32_t most_of(const struct slu_ion_division *d)
{
	const struct part *most = NULL;

	for (size_t i = 0; i < d->n; i++) {
		const struct part *p = &d->part[d->order[i]];

		if (p->holds && !p->shares && (!most || p->held >= most->held))
			most = p;
	}
	return most ? most->age : SLU_ION_NEW;
}

/* Sets one I/O node aside for sharing, unless running jobs hold all or one of
 * them shares its own already. */
static void share(struct slu_ion_division *d)
{
	uint32_t pinned = 0;
	size_t known = 0;
	double sum = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct part *p = &d->part[d->order[i]];

		pinned += p->range.pinned ? least(d, d->order[i]) : 0;
		sum += p->known ? p->one : 0;
		known += p->known && p->one > 0;
	}
	d->share = true;
	if (d->loose) /* no node is set aside, and unknown values count 0 */
		return;
	d->guess = known ? sum / (double)known : 1;
	if (pinned >= d->pool && d->host == SLU_ION_NEW && !d->as_static)
		d->host = most_of(d);
	d->capacity = d->pool - !(d->owned || pinned >= d->pool);
	if (d->capacity < pinned)
		d->capacity = pinned;
}

void slu_ion_tighten(struct slu_ion_division *d)
{
	const struct slu_ion_division *by =
		d->policy == SLU_ION_MCKP && d->as_static ? d->as_static : d;
	bool some;

	if (d->n_sharing == 0)
		d->host = SLU_ION_NEW;
	d->owned = d->shares_owned || by->host != SLU_ION_NEW;
	d->share = false;
	d->guess = 0;
	d->capacity = d->pool;
	some = d->n_sharing > 0 || (d->loose && d->shares_owned);
	d->tight = some || d->least > d->pool;
	if (!d->tight)
		return;
	if (some)
		share(d);
	if (!slu_ion_lower(d, d->order, d->n, d->capacity, false) && !d->share)
		share(d);
}
