/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hands out I/O nodes that the optimal solution left unused (MCKP only). First
 * to jobs rated by the site's PerformanceTable instead of own measurements,
 * where the table predicts the most gain per node. Then to new jobs, one choice
 * above the most they were ever measured with, so that their curves grow. No
 * grant is reduced, and the next solve takes lent nodes back if it needs them.
 */
#include "select_io/division/division_private.h"

/* Raise the slot's grant to this choice and mark it as lent. */
static void lend_to(struct slu_ion_division *d, uint32_t slot, uint32_t choice)
{
	struct part *p = &d->part[slot];
	struct slu_ion_grant more = d->grant[slot];

	more.ions = p->choice[choice].weight;
	if (p->claimed)
		more.bandwidth = p->choice[choice].value;
	slu_ion_give(d, slot, more);
	if (!p->lent)
		d->lent[d->n_lent++] = slot;
	p->lent = true;
}

struct offer {
	uint32_t slot, choice, ions; /* more than it has */
	double gain;		     /* MB/s for each of them */
};

static void improve(const struct slu_ion_division *d, uint32_t slot,
		    uint32_t left, struct offer *best)
{
	const struct part *p = &d->part[slot];
	uint32_t has = d->grant[slot].ions, room = slu_ion_room(d, slot);
	uint32_t from = slu_ion_choice_of(p, has);

	left = left < room ? left : room;
	for (uint32_t k = from + 1; k < p->n; k++) {
		struct offer o = {slot, k, p->choice[k].weight - has, 0};

		if (o.ions > left)
			return;
		o.gain = (p->choice[k].value - p->choice[from].value) / o.ions;
		if (o.gain > best->gain)
			*best = o;
	}
}

/* Returns what is still left. */
static uint32_t lend_to_claimed(struct slu_ion_division *d, uint32_t left)
{
	struct offer best;

	do {
		best = (struct offer){.gain = 0};
		for (size_t i = 0; d->n_tables && left && i < d->n; i++) {
			const struct part *p = &d->part[d->order[i]];

			if (p->claimed && !p->fixed)
				improve(d, d->order[i], left, &best);
		}
		if (best.gain > 0)
			lend_to(d, best.slot, best.choice);
		left -= best.ions;
	} while (best.gain > 0);
	return left;
}

/* The new jobs, oldest first: few of them, unless all are. */
static void sort_fresh(struct slu_ion_division *d)
{
	size_t n = 0;

	if (d->n_fresh > SLU_DIVISION_AT_ONCE) {
		for (size_t i = 0; i < d->n; i++)
			if (d->part[d->order[i]].fresh)
				d->fresh[n++] = d->order[i];
		return;
	}
	for (size_t i = 1; i < d->n_fresh; i++)
		for (size_t k = i; k > 0; k--) {
			uint32_t a = d->fresh[k - 1], b = d->fresh[k];

			if (d->part[a].age <= d->part[b].age)
				break;
			d->fresh[k - 1] = b;
			d->fresh[k] = a;
		}
}

/* Lend what nobody uses to new jobs that were never seen with as much. By
 * their curves it is worth the same, so nothing is lost; the next solve takes
 * it back if it is needed. */
static void lend_to_fresh(struct slu_ion_division *d, uint32_t left)
{
	if (left > 0)
		sort_fresh(d);
	for (size_t i = 0; i < d->n_fresh && left > 0; i++) {
		uint32_t slot = d->fresh[i], has = d->grant[slot].ions;
		const struct part *p = &d->part[slot];
		uint32_t next = slu_ion_choice_of(p, has) + 1;

		if (!p->known || has < p->most ||
		    next >= p->range.low + p->range.n ||
		    p->choice[next].weight - has > left ||
		    p->choice[next].weight - has > slu_ion_room(d, slot))
			continue;
		left -= p->choice[next].weight - has;
		lend_to(d, slot, next);
	}
}

void slu_ion_lend(struct slu_ion_division *d, uint32_t left)
{
	lend_to_fresh(d, lend_to_claimed(d, left));
}
