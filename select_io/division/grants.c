/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets a job's grant, and lists the job among those changed in this round. */
#include "select_io/division/division_private.h"

void slu_ion_give(struct slu_ion_division *d, uint32_t slot,
		  struct slu_ion_grant grant)
{
	struct slu_ion_grant *old = &d->grant[slot];

	if (old->ions == grant.ions && old->shared == grant.shared &&
	    old->bandwidth == grant.bandwidth)
		return;
	*old = grant;
	if (d->part[slot].changed_round != d->round)
		d->changed[d->n_changed++] = d->part[slot].age;
	d->part[slot].changed_round = d->round;
}
