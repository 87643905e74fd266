/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_PLACEMENT_RATE_H
#define SLU_SLUICED_PLACEMENT_RATE_H

/*
 * How many files of one user are placed in a second, however they are asked
 * for: a bucket of SLU_PLACEMENTS for each user, which fills in one second. A
 * file of many stripes is as much work as several: it counts one for every
 * SLU_PLACEMENT_STRIPES of them that it begins. Who has anything left is
 * answered, and what is overdrawn is waited for by the next question: else many
 * small ones would keep a large one of the same user waiting for ever.
 */

#include <sys/types.h>
#include <stdint.h>

#define SLU_PLACEMENTS	      10000 /* of a user, a second */
#define SLU_PLACEMENT_STRIPES 8
#define SLU_PLACEMENT_USERS   64 /* remembered: those who asked last */

struct slu_placement_rate {
	struct slu_placement_user {
		uid_t uid;
		double at, left; /* what the bucket had then; 0: unused */
	} user[SLU_PLACEMENT_USERS];
};

/* This user wants so many files placed. 0: they may be, and count; else how
 * many seconds it is until they may. More than SLU_PLACEMENTS count as so many.
 * now: seconds of a clock that is above 1. */
double slu_placement_rate_take(struct slu_placement_rate *rate, uid_t uid,
			       uint64_t files, uint64_t stripes, double now);

#endif
