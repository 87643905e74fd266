/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_LESSONS_H
#define SLU_CTL_LESSONS_H

/*
 * Runs that end before history has been read. sluiced stores them meanwhile, so
 * that history, which is read in the order of ends, may tell of them again;
 * they are known here by id and start, and those that end while it is being
 * read wait until it has been. Bounded. One thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include "wire/job.h"

#define SLU_LESSONS 1024 /* at most */

struct slu_lesson {
	struct slu_job job; /* its texts only if it waits */
	bool waits;
};

struct slu_lessons {
	struct slu_lesson *lesson; /* in the order in which they ended */
	size_t n;
	int64_t since; /* the earliest end of them */
};

/* -1: it is not kept, since there are too many, or no memory. */
int slu_lessons_add(struct slu_lessons *l, const struct slu_job *job,
		    bool waits);
bool slu_lessons_has(const struct slu_lessons *l, const struct slu_job *job);
/* Those that wait are learned now; the others are still known. */
void slu_lessons_learn(struct slu_lessons *l,
		       void (*learn)(void *arg, const struct slu_job *job),
		       void *arg);
void slu_lessons_clear(struct slu_lessons *l);

#endif
