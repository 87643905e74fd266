/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_STAGE_CACHE_H
#define SLU_STORAGE_STAGE_CACHE_H

/*
 * The stage cache of a node (StageCache): ranges of files that jobs staged in,
 * so that the next job with the same input need not read it from the parallel
 * file system.
 *
 *	STORAGE/cache/lock		held while something is counted or taken
 *	STORAGE/cache/UID/NAME		an entry of this user's jobs, see
 *					cache_record.h: the data where it lies
 *					in its file, then the record. Its time
 *					of change is that of its last use
 *	STORAGE/cache/UID/fill.JOB.BUFFER/	what one stage-in adds:
 *		NAME.new		being written
 *		NAME			whole, perhaps not on disk yet
 *		reserve			bytes that it may take
 *		(the directory)		locked (shared) as long as somebody
 *					works
 *	STORAGE/cache/UID/ahead.JOB/	what is brought ahead of that job, as a
 *					fill, and:
 *		done			all of it is on disk
 *		taken			the job has begun here: nothing more
 *		brought, used		bytes, of which the job has taken so
 *					many over
 *
 * All of it is root's, 0700. Nothing is known but what stands there: there is
 * no index that could be wrong. A fill becomes entries when it is on disk; one
 * that nobody has locked was cut short, and is removed by the next who counts.
 * What was brought ahead stays apart until its job uses it: then it becomes
 *part of that job's fill. Until then it is the first to go.
 *
 * Entries and reserves together stay within the budget. Room for one more is
 * made by removing what was used longest ago; what was used since a fill began
 * is not removed for it, so that an input larger than the budget keeps what
 * there is of it. Disk that running jobs were promised is not taken, and a
 * twentieth of the disk stays free.
 *
 * No thread may share a struct slu_stage_cache; processes may. The caller tells
 * the time.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "burst_buffer/storage/cache_record.h"
#include "common/conf.h"
#include "common/err.h"

/* More are not kept, so that all can be looked at in a second. */
#define SLU_CACHE_ENTRIES 100000
/* Nor are more added at once. */
#define SLU_CACHE_FILL 25000
/* What an entry takes beside its data, at most. */
#define SLU_CACHE_BESIDE (64u << 10)

struct slu_stage_cache {
	char storage[4096];
	char own[80];	 /* UID/fill.JOB.BUFFER, or UID/ahead.JOB */
	int dir, lock;	 /* STORAGE/cache, and its lock */
	int user, fill;	 /* of its user's entries; what it adds, locked */
	int ahead;	 /* what was brought ahead of the job, locked; or -1 */
	bool early;	 /* it is that which this fill adds to */
	uint64_t budget; /* bytes */
	uint64_t reserved, taken; /* by this fill; of that by what it has */
	uint64_t brought, used;	  /* of what was brought ahead */
	size_t begun;		  /* entries, by this */
	struct timespec began;
	bool full; /* once something had no room, less is not tried again */
};

/* Open it for one instance of a job, made if it is missing; what an earlier
 * call of the same was cut short in goes. buffer 0: for what is brought ahead
 * of the job; -1, SLU_BUSY: the job has begun. */
int slu_stage_cache_open(struct slu_stage_cache *c, const char *storage,
			 const struct slu_cache_budget *budget, uid_t uid,
			 uint32_t job_id, uint64_t buffer,
			 const struct timespec *now, struct slu_err *err);
void slu_stage_cache_close(struct slu_stage_cache *c);

/* The entry with this key, open for reading, and noted as used; one that was
 * brought ahead of the job is part of the fill from here on. -1: there is none,
 * SLU_NOTFOUND; one that is not what its name says is removed, SLU_IO. */
int slu_stage_cache_get(struct slu_stage_cache *c,
			const struct slu_cache_key *key,
			const struct timespec *now, struct slu_err *err);

/* What this stage-in has used turned out wrong, or was not verified: of this
 * user's entries those go that were used since it began. */
int slu_stage_cache_doubt(struct slu_stage_cache *c, struct slu_err *err);

/* Begin an entry: open, empty, for the data at its place in its file. -1:
 * SLU_BUSY: no room, or it is being written already. */
int slu_stage_cache_begin(struct slu_stage_cache *c,
			  const struct slu_cache_key *key,
			  const struct timespec *now, struct slu_err *err);
/* Its data is whole, or is not to be kept. */
int slu_stage_cache_end(struct slu_stage_cache *c,
			const struct slu_cache_key *key, bool whole,
			const struct timespec *now, struct slu_err *err);

/* What this fill has added is on disk, and becomes entries; *bytes: so many.
 * Waits for the disk. The fill is over. What was brought ahead stays apart. */
int slu_stage_cache_commit(struct slu_stage_cache *c, uint64_t *bytes,
			   struct slu_err *err);

/* Remove entries, those used longest ago first, until `bytes` can be had in
 * STORAGE beside what others were promised, or there are none. No cache is
 * success. *freed: bytes. */
int slu_stage_cache_yield(const char *storage, uint64_t bytes, uint64_t *freed,
			  struct slu_err *err);
/* Remove all entries (no budget), and remains; fills go on. */
int slu_stage_cache_drop(const char *storage, uint64_t *freed,
			 struct slu_err *err);
/* Bytes that slu_stage_cache_drop() would free. 0 also where it is not known.
 */
uint64_t slu_stage_cache_bytes(const char *storage);

/* Each entry of STORAGE: bytes that it takes, when it was used; record NULL: it
 * cannot be read. Not 0 ends it. -1: err, or what fn returned. */
struct slu_cached {
	uid_t uid;
	uint64_t bytes;
	struct timespec used;
	uint32_t ahead; /* the job that it was brought ahead of; 0: none */
	const struct slu_cache_record *record;
};
int slu_stage_cache_list(const char *storage,
			 int (*fn)(void *arg, const struct slu_cached *is),
			 void *arg, struct slu_err *err);

/* What was brought, or is being brought, ahead of a job. */
struct slu_cache_ahead {
	uid_t uid;
	uint32_t job_id;
	uint64_t brought, used; /* bytes */
	bool done, taken;
};
/* Calls fn for each of STORAGE; where that returns true it is removed, and who
 * works at it fails. */
int slu_stage_cache_ahead(const char *storage,
			  bool (*fn)(void *arg,
				     const struct slu_cache_ahead *is),
			  void *arg, struct slu_err *err);
/* Is what this cache brings ahead wanted no more: removed, or the job begun? */
bool slu_stage_cache_is_over(const struct slu_stage_cache *c);

/* Bytes of STORAGE that storages with a quota were promised and have not taken
 * yet. */
uint64_t slu_storage_promised(const char *storage);

#endif
