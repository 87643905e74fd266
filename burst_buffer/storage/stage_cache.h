/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_STAGE_CACHE_H
#define SLU_STORAGE_STAGE_CACHE_H

/*
 * Keeps on the node's disk ranges of files that jobs staged in (the stage
 * cache, StageCache), so that the next job of the same user with the same input
 * need not read it from the parallel file system.
 *
 * An entry is one such range. A fill is what one stage-in adds: it becomes
 * entries when it is verified and on disk. A prefetch is a fill made ahead of
 * its job: it stays apart until the job uses it, and is evicted first. There is
 * no index: each call reads the directories. Processes may share a cache,
 * threads may not share a struct slu_stage_cache. `now` is the caller's clock.
 */

/*
 * Layout, all of it root's, 0700:
 *
 *	STORAGE/cache/lock		held while entries are counted, reserved
 *					or removed
 *	STORAGE/cache/UID/NAME		an entry of this user's jobs, see
 *					cache_record.h: the data at the offset
 *					that it has in its file, then the
 *					record. Its ctime is its last use
 *	STORAGE/cache/UID/fill.JOB.BUFFER/	a fill:
 *		NAME.new		being written
 *		NAME			complete, perhaps not on disk yet
 *		reserve			bytes that it may take
 *		(the directory)		locked (shared) while a process works on
 *					it
 *	STORAGE/cache/UID/ahead.JOB/	a prefetch for that job; as a fill, and:
 *		done			all of it is on disk
 *		taken			the job has begun here: nothing is added
 *		brought, used		bytes that were prefetched, and how many
 *					of them the job has used
 *
 * A fill without a lock was interrupted; the next process that counts removes
 * it.
 *
 * Entries and reserved bytes together stay within the budget. For a new entry
 * the least recently used are evicted, except those used since the fill began:
 * so a part of an input larger than the budget stays. Space promised to running
 * jobs, and a twentieth of the disk, are never used.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "burst_buffer/storage/cache_record.h"
#include "common/conf.h"
#include "common/err.h"

/* The cache holds at most this many entries, so that all can be counted in a
 * second. */
#define SLU_CACHE_ENTRIES 100000
/* At most this many entries are added by one fill. */
#define SLU_CACHE_FILL 25000
/* What an entry takes on disk beyond its data, at most. */
#define SLU_CACHE_BESIDE (64u << 10)

struct slu_stage_cache {
	char storage[4096];
	char own[80];	 /* UID/fill.JOB.BUFFER, or UID/ahead.JOB */
	int dir, lock;	 /* STORAGE/cache, and its lock */
	int user, fill;	 /* directories: the user's entries; the fill, locked */
	int prefetch;	 /* the job's prefetch, locked; or -1 */
	bool early;	 /* the fill is itself a prefetch */
	uint64_t budget; /* bytes */
	uint64_t reserved, taken;  /* taken by this fill; reserved by it */
	uint64_t prefetched, used; /* bytes of the prefetch */
	size_t begun;		   /* entries, by this */
	struct timespec began;
	bool full; /* nothing more is reserved after a first failure */
};

/* Opens the cache for one instance of a job, and makes it if it is missing;
 * incomplete files of an interrupted call are removed. buffer 0: opens a
 * prefetch for the job; -1, SLU_BUSY: the job has begun. */
int slu_stage_cache_open(struct slu_stage_cache *c, const char *storage,
			 const struct slu_cache_budget *budget, uid_t uid,
			 uint32_t job_id, uint64_t buffer,
			 const struct timespec *now, struct slu_err *err);
void slu_stage_cache_close(struct slu_stage_cache *c);

/* Opens the entry with this key for reading and marks it as used; an entry of
 * the job's prefetch becomes part of the fill. -1: SLU_NOTFOUND: there is none;
 * SLU_IO: it did not match its name and was removed. */
int slu_stage_cache_get(struct slu_stage_cache *c,
			const struct slu_cache_key *key,
			const struct timespec *now, struct slu_err *err);

/* Call it if the stage-in failed its verification: removes those of the user's
 * entries that were used since it began, as one of them may be wrong. */
int slu_stage_cache_drop_used(struct slu_stage_cache *c, struct slu_err *err);

/* Begins a new entry: an empty file, open for writing, for data at the offset
 * that it has in its file. -1, SLU_BUSY: no space, or another process already
 * writes it. */
int slu_stage_cache_begin(struct slu_stage_cache *c,
			  const struct slu_cache_key *key,
			  const struct timespec *now, struct slu_err *err);
/* Ends a new entry: its data is complete, or is not to be kept. */
int slu_stage_cache_end(struct slu_stage_cache *c,
			const struct slu_cache_key *key, bool whole,
			const struct timespec *now, struct slu_err *err);

/* Syncs what this fill has added, which then becomes entries, and ends the
 * fill; *bytes: their size. The unused part of a prefetch stays apart. */
int slu_stage_cache_commit(struct slu_stage_cache *c, uint64_t *bytes,
			   struct slu_err *err);

/* Evicts entries, least recently used first, until `bytes` of STORAGE are free
 * beyond what other instances were promised, or no entry is left. Without a
 * cache returns 0. *freed: bytes. */
int slu_stage_cache_yield(const char *storage, uint64_t bytes, uint64_t *freed,
			  struct slu_err *err);
/* Removes all entries, whatever the budget, and interrupted fills; running
 * fills continue. */
int slu_stage_cache_drop(const char *storage, uint64_t *freed,
			 struct slu_err *err);
/* Bytes that slu_stage_cache_drop() would free; 0 if that is not known. */
uint64_t slu_stage_cache_bytes(const char *storage);

/* One entry of STORAGE, for slu_stage_cache_list(): bytes on disk and last use;
 * record NULL: it cannot be read. The walk ends when fn returns not 0. -1: err,
 * or what fn returned. */
struct slu_cached {
	uid_t uid;
	uint64_t bytes;
	struct timespec used;
	uint32_t prefetched_for; /* the job that it was prefetched for; 0: none
				  */
	const struct slu_cache_record *record;
};
int slu_stage_cache_list(const char *storage,
			 int (*fn)(void *arg, const struct slu_cached *is),
			 void *arg, struct slu_err *err);

/* A prefetch of a job, complete or not. */
struct slu_cache_prefetch {
	uid_t uid;
	uint32_t job_id;
	uint64_t prefetched, used; /* bytes */
	bool done, taken;
};
/* Calls fn for each prefetch of STORAGE; where fn returns true it is removed,
 * and a process that works on it fails. */
int slu_stage_cache_walk_prefetches(
	const char *storage,
	bool (*fn)(void *arg, const struct slu_cache_prefetch *is), void *arg,
	struct slu_err *err);
/* Should this prefetch stop: was it removed, or has its job begun? */
bool slu_stage_cache_is_over(const struct slu_stage_cache *c);

/* Bytes of STORAGE that instances with a quota may still take. */
uint64_t slu_storage_promised(const char *storage);

#endif
