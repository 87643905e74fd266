/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_SPACE_H
#define SLU_STORAGE_CACHE_SPACE_H

/*
 * Counts the space that a node's stage cache uses, and evicts entries: first
 * those that were prefetched for a job that has not used them, then the least
 * recently used. The caller holds the cache's lock. Private to
 * burst_buffer/storage. Entry, fill and prefetch: see stage_cache.h.
 */

#include "burst_buffer/storage/stage_cache.h"

#define SLU_CACHE_OF_JOB   "fill."
#define SLU_CACHE_PREFETCH "ahead."
#define SLU_CACHE_DONE	   "done"
#define SLU_CACHE_TAKEN	   "taken"

struct slu_cache_entry {
	uid_t uid;
	uint32_t prefetched_for; /* the job that it was prefetched for; 0: none
				  */
	char name[SLU_CACHE_NAME];
	uint64_t bytes;
	struct timespec used;
};

struct slu_cache_space {
	int dir; /* of the cache; the caller's */
	/* in the order of eviction: prefetched ones, then by last use */
	struct slu_cache_entry *entry;
	size_t n, next;	 /* entries before `next` are already removed */
	uint64_t bytes;	 /* of the entries that are not removed */
	uint64_t fills;	 /* of fills other than `own`: used or reserved */
	uint64_t unused; /* part of `fills`: reserved, not used yet */
	size_t files;	 /* number of files in these fills */
	uint64_t early;	 /* part of `fills`: of jobs that have not begun */
};

/* Counts everything in the cache at `dir` except `own`, the caller's fill
 * ("UID/fill.JOB.BUFFER" or "UID/ahead.JOB"; NULL: none), and removes fills
 * whose process has died. A finished prefetch for another job counts as
 * entries, which may be evicted; if `own` is a prefetch itself, as a fill,
 * which may not. Free it, also after -1. */
int slu_cache_space_look(struct slu_cache_space *s, int dir, const char *own,
			 struct slu_err *err);
void slu_cache_space_free(struct slu_cache_space *s);

/* Evicts the next entry. 1: done; 0: there is none, or it was used within
 * [from, to] (NULL: does not matter) and is kept; -1. Prefetched entries are
 * evicted whenever they were used. */
int slu_cache_space_remove(struct slu_cache_space *s,
			   const struct timespec *from,
			   const struct timespec *to, struct slu_err *err);

/* The entry's path in the cache. */
#define SLU_CACHE_PATH 128
void slu_cache_entry_path(const struct slu_cache_entry *e,
			  char path[SLU_CACHE_PATH]);

/* "ahead.JOB": the job; 0: another name. */
uint32_t slu_cache_prefetch_job(const char *name);

/* Reads and writes a number in a file of a fill; 0: there is no such file. The
 * file is overwritten in place, always with the same length, since replacing it
 * by a rename would wait for the disk. */
uint64_t slu_cache_number(int dir, const char *name);
int slu_cache_put_number(int dir, const char *name, uint64_t n,
			 struct slu_err *err);

/* Call fn for each user's directory, with the name that it has in `dir`, until
 * it returns not 0. */
typedef int slu_cache_user_f(void *arg, uid_t uid, const char *name,
			     struct slu_err *err);
int slu_cache_each_user(int dir, slu_cache_user_f *fn, void *arg,
			struct slu_err *err);

/* Bytes that this file takes. */
uint64_t slu_cache_takes(const struct stat *st);

#endif
