/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_SCAN_H
#define SLU_STAGING_SCAN_H

/*
 * Threads that go through chunks of a manifest: whoever is free takes what is
 * next, a range of a large file or a batch of small ones, so that they seldom
 * meet. The first error stops all. Not for other rooms.
 */

#include "burst_buffer/staging/act.h"
#include "burst_buffer/staging/beneath.h"
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/journal.h"

struct slu_unit { /* one range of a file, or what else has one name */
	struct slu_entry entry;
	uint64_t at; /* where the entry begins on the line of cost */
	uint64_t range;
};

struct slu_worker { /* what each thread has for itself */
	struct slu_act *act;
	struct slu_copier copier; /* from the source, */
	struct slu_copier cached; /* and from what is kept of it */
	struct slu_parent_cache src, dst, held;
	struct slu_journal_record record;
	char *buffer;	       /* for unit(); freed at the end */
	uint64_t bytes, files; /* done and not yet told */
};

struct slu_scan {
	struct slu_act *act;
	bool files; /* only what is of kind f */
	unsigned chunks;
	/* The number of the next chunk: 1, 0 (none is left), -1. Called by one
	 * thread at a time, as is `wanted` (NULL: all are). */
	int (*next)(void *arg, unsigned *chunk, struct slu_err *err);
	bool (*wanted)(void *arg, const struct slu_unit *unit);
	int (*unit)(void *arg, struct slu_worker *w, const struct slu_unit *u,
		    struct slu_err *err);
	void *arg;
};

/* All of it, with so many threads (0: the usual number). */
int slu_scan(const struct slu_scan *scan, unsigned threads,
	     struct slu_err *err);

/* Tell what a worker has done. -1: stop. */
int slu_worker_progress(struct slu_worker *w, struct slu_err *err);

#endif
