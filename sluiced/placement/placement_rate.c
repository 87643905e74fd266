/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the rate of placements, with a token bucket for each of the users who
 * asked last.
 */
#include "config.h"
#include "sluiced/placement/placement_rate.h"

#include <math.h>

/* This user's bucket, or that of the user who has not asked for longest: it
 * would be full after a second, as a new one is. */
static struct slu_placement_user *bucket(struct slu_placement_rate *rate,
					 uid_t uid, double now)
{
	struct slu_placement_user *oldest = rate->user;

	for (int i = 0; i < SLU_PLACEMENT_USERS; i++) {
		struct slu_placement_user *u = &rate->user[i];

		if (u->at > 0 && u->uid == uid)
			return u;
		if (u->at < oldest->at)
			oldest = u;
	}
	*oldest = (struct slu_placement_user){uid, now, SLU_PLACEMENTS};
	return oldest;
}

double slu_placement_rate_take(struct slu_placement_rate *rate, uid_t uid,
			       uint64_t files, uint64_t stripes, double now)
{
	struct slu_placement_user *u = bucket(rate, uid, now);
	double each = ceil((double)stripes / SLU_PLACEMENT_STRIPES);
	double n = fmin(SLU_PLACEMENTS, fmax(1, (double)files) * fmax(1, each));

	u->left = fmin(SLU_PLACEMENTS,
		       u->left + fmax(0, now - u->at) * SLU_PLACEMENTS);
	u->at = fmax(u->at, now);
	if (u->left <= 0)
		return (1 - u->left) / SLU_PLACEMENTS;
	u->left -= n;
	return 0;
}
