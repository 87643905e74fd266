/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_PLACEMENT_RATE_H
#define SLU_SLUICED_PLACEMENT_RATE_H

/*
 * Limits how many files of one user are placed per second: a bucket of
 * SLU_PLACEMENTS for each user, which fills in one second. A file counts one
 * for every SLU_PLACEMENT_STRIPES stripes that it begins. A request is answered
 * if anything is left in the bucket, and what it overdraws delays the next one:
 * otherwise many small requests would block a large one of the same user for
 * ever.
 */

#include <sys/types.h>
#include <stdint.h>

#define SLU_PLACEMENTS	      10000 /* of a user, a second */
#define SLU_PLACEMENT_STRIPES 8
#define SLU_PLACEMENT_USERS   64 /* number of users whose buckets are kept */

struct slu_placement_rate {
	struct slu_placement_user {
		uid_t uid;
		double at, left; /* what the bucket had then; 0: unused */
	} user[SLU_PLACEMENT_USERS];
};

/* May so many files of this user be placed? 0: yes, and they count; else the
 * seconds until they may. More than SLU_PLACEMENTS count as so many. now:
 * seconds of a clock that is above 1. */
double slu_placement_rate_take(struct slu_placement_rate *rate, uid_t uid,
			       uint64_t files, uint64_t stripes, double now);

#endif
