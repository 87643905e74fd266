/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_SPACE_H
#define SLU_STORAGE_CACHE_SPACE_H

/* What the stage cache takes, and which entries go when there is to be less;
 * for cache_use.c. Who calls has the lock. */

#include "burst_buffer/storage/stage_cache.h"

struct slu_cache_entry {
	uid_t uid;
	char name[SLU_CACHE_NAME];
	uint64_t bytes;
	struct timespec used;
};

struct slu_cache_space {
	int dir;		       /* of the cache; the caller's */
	struct slu_cache_entry *entry; /* used longest ago first */
	size_t n, next;		       /* those before it are removed */
	uint64_t bytes;		       /* of entries that are there */
	uint64_t fills;	 /* that fills take, or may, but for `own` */
	uint64_t unused; /* of that what they have not taken yet */
	size_t files;	 /* of these fills */
};

/* `own`: the fill that is not counted, "UID/fill.JOB.BUFFER"; NULL: none. Fills
 * that nobody works at are removed. Free it, also after -1. */
int slu_cache_space_look(struct slu_cache_space *s, int dir, const char *own,
			 struct slu_err *err);
void slu_cache_space_free(struct slu_cache_space *s);

/* Remove the next one, unless it was used within [from, to] (NULL: whenever):
 * 1, 0 there is none, -1. */
int slu_cache_space_remove(struct slu_cache_space *s,
			   const struct timespec *from,
			   const struct timespec *to, struct slu_err *err);

/* Bytes that this file takes. */
uint64_t slu_cache_takes(const struct stat *st);

#endif
