/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_SCAN_H
#define SLU_STAGING_SCAN_H

/*
 * Runs an act (COPY, VERIFY ...; stage.h) on chunks of a manifest, shares of
 * the list of files to be staged, with several threads. A free thread takes the
 * next range of a large file, or a batch of small files, so that they rarely
 * contend for the lock. The first error stops all. Private to
 * burst_buffer/staging.
 */

#include "burst_buffer/staging/acts/act.h"
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/journal.h"

struct slu_unit { /* a range of a file, or a file or link with only one */
	struct slu_entry entry;
	uint64_t at; /* start of the entry on the line of cost */
	uint64_t range;
};

struct slu_worker { /* the data of each thread */
	struct slu_act *act;
	struct slu_copier copier; /* from the source, */
	struct slu_copier cached; /* and from the stage cache */
	struct slu_parent_cache src, dst, held;
	struct slu_journal_record record;
	char *buffer;	       /* for unit(); freed at the end */
	uint64_t bytes, files; /* done but not reported yet */
};

struct slu_scan {
	struct slu_act *act;
	bool files; /* only files (kind f) */
	unsigned chunks;
	/* Gives the next chunk's number: 1, 0 (none is left), -1. Called by one
	 * thread at a time, as is `wanted` (NULL: all entries). */
	int (*next)(void *arg, unsigned *chunk, struct slu_err *err);
	bool (*wanted)(void *arg, const struct slu_unit *unit);
	int (*unit)(void *arg, struct slu_worker *w, const struct slu_unit *u,
		    struct slu_err *err);
	void *arg;
};

/* Does all the work with so many threads (0: the default). */
int slu_scan(const struct slu_scan *scan, unsigned threads,
	     struct slu_err *err);

/* Reports what a worker has done. -1: the act has to stop. */
int slu_worker_progress(struct slu_worker *w, struct slu_err *err);

#endif
