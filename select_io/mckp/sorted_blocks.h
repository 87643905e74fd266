/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_MCKP_SORTED_BLOCKS_H
#define SLU_SELECT_IO_MCKP_SORTED_BLOCKS_H

/*
 * Keeps entries in ascending order of (key, id), in blocks of bounded size:
 * finding, inserting and removing cost a search among the blocks and a move
 * within one; walking from the front costs nothing but the walk. All memory is
 * allocated beforehand.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLU_SORTED_BLOCK 64

struct slu_sorted_entry {
	double key;
	uint32_t id;
};

struct slu_sorted {
	struct slu_sorted_entry *entry; /* blocks of SLU_SORTED_BLOCK */
	struct slu_sorted_entry *low;	/* first entry of each, in order */
	uint32_t *seq;			/* which block stands where */
	uint8_t *count;			/* of each block, by its number */
	uint32_t *spare, n_spare;
	uint32_t n, max; /* blocks in use, and all */
};

/* A place in the order; valid until the next change. */
struct slu_sorted_at {
	uint32_t block, i;
};

/* Room for `entries`; what is in the order is lost. -1 without memory. */
int slu_sorted_reserve(struct slu_sorted *o, size_t entries);
void slu_sorted_free(struct slu_sorted *o);
size_t slu_sorted_bytes(const struct slu_sorted *o);

void slu_sorted_clear(struct slu_sorted *o);
/* Sort entries that come in the order of their ids, with `aside` of the same
 * size to work in; the result is in one of the two. */
struct slu_sorted_entry *slu_sorted_sort(struct slu_sorted_entry *entry,
					 struct slu_sorted_entry *aside,
					 size_t n);
/* Put sorted entries in the place of what is there. */
void slu_sorted_fill(struct slu_sorted *o, const struct slu_sorted_entry *entry,
		     size_t n);
void slu_sorted_insert(struct slu_sorted *o, double key, uint32_t id);
/* The entry exists. */
void slu_sorted_remove(struct slu_sorted *o, double key, uint32_t id);

/* NULL: none left. */
static inline const struct slu_sorted_entry *
slu_sorted_get(const struct slu_sorted *o, const struct slu_sorted_at *at)
{
	if (at->block >= o->n)
		return NULL;
	return &o->entry[(size_t)o->seq[at->block] * SLU_SORTED_BLOCK + at->i];
}

static inline void slu_sorted_step(const struct slu_sorted *o,
				   struct slu_sorted_at *at)
{
	if (++at->i == o->count[o->seq[at->block]]) {
		at->block++;
		at->i = 0;
	}
}

static inline const struct slu_sorted_entry *
slu_sorted_first(const struct slu_sorted *o)
{
	return o->n ? &o->low[0] : NULL;
}

#endif
