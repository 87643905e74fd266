/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hands out I/O nodes that the optimal solution left unused (MCKP only), to
 * jobs rated by the site's PerformanceTable instead of own measurements, where
 * the table predicts the most gain per node. No grant is reduced, and the next
 * solve takes lent nodes back if it needs them.
 */
#include "select_io/division/division_private.h"

/* Raise the slot's grant to this choice and mark it as lent. */
static void lend_to(struct slu_ion_division *d, uint32_t slot, uint32_t choice)
{
	struct part *p = &d->part[slot];
	struct slu_ion_grant more = d->grant[slot];

	more.ions = p->choice[choice].weight;
	more.bandwidth = p->choice[choice].value;
	slu_ion_give(d, slot, more);
	if (!p->lent)
		d->lent[d->n_lent++] = slot;
	p->lent = true;
}

struct offer {
	uint32_t slot, choice, ions; /* in addition to its grant */
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

void slu_ion_lend(struct slu_ion_division *d, uint32_t left)
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
}
