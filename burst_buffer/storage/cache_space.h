/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_SPACE_H
#define SLU_STORAGE_CACHE_SPACE_H

/* What the stage cache takes, and which entries go when there is to be less;
 * for cache_use.c. Who calls has the lock. */

#include "burst_buffer/storage/stage_cache.h"

#define SLU_CACHE_OF_JOB "fill."
#define SLU_CACHE_AHEAD	 "ahead."
#define SLU_CACHE_DONE	 "done"
#define SLU_CACHE_TAKEN	 "taken"

struct slu_cache_entry {
	uid_t uid;
	uint32_t ahead; /* the job that it was brought ahead of; 0: none */
	char name[SLU_CACHE_NAME];
	uint64_t bytes;
	struct timespec used;
};

struct slu_cache_space {
	int dir; /* of the cache; the caller's */
	/* used longest ago first, but before that what was brought ahead */
	struct slu_cache_entry *entry;
	size_t n, next;	 /* those before it are removed */
	uint64_t bytes;	 /* of entries that are there */
	uint64_t fills;	 /* that fills take, or may, but for `own` */
	uint64_t unused; /* of that what they have not taken yet */
	size_t files;	 /* of these fills */
	uint64_t early;	 /* of `fills`: what is being brought ahead */
};

/* `own`: the fill that is not counted, "UID/fill.JOB.BUFFER"; NULL: none. Fills
 * that nobody works at are removed. For "UID/ahead.JOB" what was brought ahead
 * of others is as fills are. Free it, also after -1. */
int slu_cache_space_look(struct slu_cache_space *s, int dir, const char *own,
			 struct slu_err *err);
void slu_cache_space_free(struct slu_cache_space *s);

/* Remove the next one, unless it was used within [from, to] (NULL: whenever):
 * 1, 0 there is none, -1. */
int slu_cache_space_remove(struct slu_cache_space *s,
			   const struct timespec *from,
			   const struct timespec *to, struct slu_err *err);

/* The entry's path in the cache. */
#define SLU_CACHE_PATH 128
void slu_cache_entry_path(const struct slu_cache_entry *e,
			  char path[SLU_CACHE_PATH]);

/* "ahead.JOB": the job; 0: another name. */
uint32_t slu_cache_ahead_of(const char *name);

/* A number in a file of a fill, always as long, and in its place: a rename over
 * a file waits for the disk. 0: there is none. */
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
