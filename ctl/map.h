/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MAP_H
#define SLU_CTL_MAP_H

/*
 * Maps job numbers to pointers, for tens of thousands of jobs. The table does
 * not own what the pointers point to. Not thread-safe.
 */

#include <stddef.h>
#include <stdint.h>

struct slu_map {
	struct slu_map_entry *entry; /* power of two, linear probing */
	size_t cap, n;
};

void *slu_map_get(const struct slu_map *t, uint32_t key);
/* Put or replace; value is not NULL. -1 without memory, which replacing does
 * not need. */
int slu_map_put(struct slu_map *t, uint32_t key, void *value);
/* Returns what was there, or NULL. */
void *slu_map_del(struct slu_map *t, uint32_t key);
/* The next value at or after *i, which starts at 0; NULL at the end. The entry
 * just returned may be deleted and others must not change meanwhile; an entry
 * may then be seen twice. */
void *slu_map_next(const struct slu_map *t, size_t *i);
void slu_map_free(struct slu_map *t);

#endif
