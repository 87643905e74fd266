/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps a sorted list (sorted_blocks.h) as blocks with a directory of their
 * first entries, like a B+ tree of two levels. No block in use is empty; a
 * small one is merged with its neighbour: two neighbours together have more
 * than JOIN entries, so that the directory stays short after any insertions and
 * removals.
 */
#include <stdlib.h>
#include <string.h>
#include "select_io/mckp/sorted_blocks.h"

#define BLOCK	  SLU_SORTED_BLOCK
#define FILL	  48 /* of a block when all are built */
#define SMALL	  12
#define JOIN	  40
#define FEW	  32 /* entries: insertion sort */
#define MANY	  2048
#define MAX_DIGIT 11 /* bits */
#define NEARLY	  8  /* mean distance of an entry for insertion sort */

static bool before(const struct slu_sorted_entry *a, double key, uint32_t id)
{
	return a->key < key || (a->key == key && a->id < id);
}

static struct slu_sorted_entry *block_of(const struct slu_sorted *o,
					 uint32_t at)
{
	return o->entry + (size_t)o->seq[at] * BLOCK;
}

int slu_sorted_reserve(struct slu_sorted *o, size_t entries)
{
	uint32_t max = (uint32_t)(entries / (JOIN / 2) + 3);
	struct slu_sorted fresh = {
		.entry = malloc(max * BLOCK * sizeof(*fresh.entry)),
		.low = malloc(max * sizeof(*fresh.low)),
		.seq = malloc(max * sizeof(*fresh.seq)),
		.count = malloc(max * sizeof(*fresh.count)),
		.spare = malloc(max * sizeof(*fresh.spare)),
		.max = max,
	};

	if (!fresh.entry || !fresh.low || !fresh.seq || !fresh.count ||
	    !fresh.spare) {
		slu_sorted_free(&fresh);
		return -1;
	}
	slu_sorted_free(o);
	*o = fresh;
	slu_sorted_clear(o);
	return 0;
}

void slu_sorted_free(struct slu_sorted *o)
{
	free(o->entry);
	free(o->low);
	free(o->seq);
	free(o->count);
	free(o->spare);
	*o = (struct slu_sorted){0};
}

size_t slu_sorted_bytes(const struct slu_sorted *o)
{
	return o->max *
	       (BLOCK * sizeof(*o->entry) + sizeof(*o->low) + sizeof(*o->seq) +
		sizeof(*o->count) + sizeof(*o->spare));
}

void slu_sorted_clear(struct slu_sorted *o)
{
	o->n = 0;
	o->n_spare = o->max;
	for (uint32_t i = 0; i < o->max; i++)
		o->spare[i] = o->max - 1 - i;
}

/* A new block at this place of the directory. */
static uint32_t open_block(struct slu_sorted *o, uint32_t at)
{
	uint32_t block = o->spare[--o->n_spare];

	memmove(&o->seq[at + 1], &o->seq[at], (o->n - at) * sizeof(*o->seq));
	memmove(&o->low[at + 1], &o->low[at], (o->n - at) * sizeof(*o->low));
	o->seq[at] = block;
	o->count[block] = 0;
	o->n++;
	return block;
}

static void close_block(struct slu_sorted *o, uint32_t at)
{
	o->spare[o->n_spare++] = o->seq[at];
	o->n--;
	memmove(&o->seq[at], &o->seq[at + 1], (o->n - at) * sizeof(*o->seq));
	memmove(&o->low[at], &o->low[at + 1], (o->n - at) * sizeof(*o->low));
}

/* The last block whose first entry is not after (key, id); 0 if none is. */
static uint32_t find_block(const struct slu_sorted *o, double key, uint32_t id)
{
	uint32_t low = 0, n = o->n;

	while (n > 1) {
		uint32_t half = n / 2;
		const struct slu_sorted_entry *e = &o->low[low + half];
		bool right =
			before(e, key, id) || (e->key == key && e->id == id);

		low = right ? low + half : low;
		n -= half;
	}
	return low;
}

static uint32_t find_in(const struct slu_sorted_entry *e, uint32_t n,
			double key, uint32_t id)
{
	uint32_t low = 0;

	while (n > 0) {
		uint32_t half = n / 2;
		bool right = before(&e[low + half], key, id);

		low = right ? low + half + 1 : low;
		n = right ? n - half - 1 : half;
	}
	return low;
}

static void split(struct slu_sorted *o, uint32_t at)
{
	uint32_t from = o->seq[at], to = open_block(o, at + 1);
	uint8_t half = BLOCK / 2;

	memcpy(o->entry + (size_t)to * BLOCK,
	       o->entry + (size_t)from * BLOCK + half,
	       half * sizeof(*o->entry));
	o->count[from] = o->count[to] = half;
	o->low[at + 1] = o->entry[(size_t)to * BLOCK];
}

void slu_sorted_insert(struct slu_sorted *o, double key, uint32_t id)
{
	struct slu_sorted_entry *e;
	uint32_t at, i, n;

	if (o->n == 0)
		open_block(o, 0);
	at = find_block(o, key, id);
	if (o->count[o->seq[at]] == BLOCK) {
		split(o, at);
		at += !before(&(struct slu_sorted_entry){key, id},
			      o->low[at + 1].key, o->low[at + 1].id);
	}
	e = block_of(o, at);
	n = o->count[o->seq[at]]++;
	i = find_in(e, n, key, id);
	memmove(&e[i + 1], &e[i], (n - i) * sizeof(*e));
	e[i] = (struct slu_sorted_entry){key, id};
	if (i == 0)
		o->low[at] = e[0];
}

/* Join block `at` with the next one if they are small. */
static void join(struct slu_sorted *o, uint32_t at)
{
	uint32_t a, b;

	if (at + 1 >= o->n)
		return;
	a = o->seq[at];
	b = o->seq[at + 1];
	if (o->count[a] + o->count[b] > JOIN)
		return;
	memcpy(o->entry + (size_t)a * BLOCK + o->count[a],
	       o->entry + (size_t)b * BLOCK, o->count[b] * sizeof(*o->entry));
	o->count[a] = (uint8_t)(o->count[a] + o->count[b]);
	o->low[at] = o->entry[(size_t)a * BLOCK];
	close_block(o, at + 1);
}

void slu_sorted_remove(struct slu_sorted *o, double key, uint32_t id)
{
	uint32_t at = find_block(o, key, id);
	struct slu_sorted_entry *e = block_of(o, at);
	uint32_t n = --o->count[o->seq[at]];
	uint32_t i = find_in(e, n + 1, key, id);

	memmove(&e[i], &e[i + 1], (n - i) * sizeof(*e));
	if (i == 0)
		o->low[at] = e[0];
	if (n == 0) {
		close_block(o, at);
	} else if (n < SMALL) {
		join(o, at);
		if (at > 0)
			join(o, at - 1);
	}
}

/* Stable insertion sort by key. Returns false when it would take more than
 * `moves` moves. */
static bool sort_nearly(struct slu_sorted_entry *e, size_t n, size_t moves)
{
	for (size_t i = 1; i < n; i++) {
		struct slu_sorted_entry x = e[i];
		size_t j = i;

		for (; j > 0 && x.key < e[j - 1].key; j--)
			e[j] = e[j - 1];
		e[j] = x;
		if (i - j > moves)
			return false;
		moves -= i - j;
	}
	return true;
}

/* Maps a double to an integer with the same order. */
static uint64_t bits_of(double key)
{
	uint64_t u;

	memcpy(&u, &key, sizeof(u));
	return u >> 63 ? ~u : u | UINT64_C(1) << 63;
}

static unsigned int width_of(uint64_t u)
{
	return u ? 64 - (unsigned int)__builtin_clzll(u) : 0;
}

/* One stable pass of a radix sort. */
static void sort_digit(const struct slu_sorted_entry *from,
		       struct slu_sorted_entry *to, size_t n, uint64_t least,
		       unsigned int shift, unsigned int digit)
{
	uint32_t at[1 << MAX_DIGIT], sum = 0, mask = (1u << digit) - 1;

	memset(at, 0, sizeof(*at) << digit);
	for (size_t i = 0; i < n; i++)
		at[(bits_of(from[i].key) - least) >> shift & mask]++;
	for (uint32_t k = 0; k <= mask; k++) {
		uint32_t count = at[k];

		at[k] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[(bits_of(from[i].key) - least) >> shift & mask]++] =
			from[i];
}

/* Radix sort by the upper digits, which distinguish most keys, then insertion
 * sort; if that takes too many moves, all digits are used. */
static struct slu_sorted_entry *
sort_many(struct slu_sorted_entry *e, struct slu_sorted_entry *aside, size_t n)
{
	uint64_t least = bits_of(e[0].key), most = least;
	unsigned int width, digit = width_of(n), shift;

	for (size_t i = 1; i < n; i++) {
		uint64_t u = bits_of(e[i].key);

		least = u < least ? u : least;
		most = u > most ? u : most;
	}
	width = width_of(most - least);
	digit = digit < MAX_DIGIT ? digit : MAX_DIGIT;
	shift = width > 2 * digit ? width - 2 * digit : 0;
	if (n < MANY)
		shift = width > digit ? width - digit : 0;
	for (int all = 0; all < 2; all++) {
		for (; shift < width; shift += digit) {
			struct slu_sorted_entry *swap = aside;

			sort_digit(e, aside, n, least, shift, digit);
			aside = e;
			e = swap;
		}
		if (sort_nearly(e, n, NEARLY * n))
			break;
		shift = 0;
	}
	return e;
}

struct slu_sorted_entry *slu_sorted_sort(struct slu_sorted_entry *entry,
					 struct slu_sorted_entry *aside,
					 size_t n)
{
	if (sort_nearly(entry, n, n < FEW ? FEW * FEW : 0))
		return entry;
	return sort_many(entry, aside, n);
}

void slu_sorted_fill(struct slu_sorted *o, const struct slu_sorted_entry *entry,
		     size_t n)
{
	slu_sorted_clear(o);
	for (size_t i = 0; i < n; i += FILL) {
		size_t some = n - i < FILL ? n - i : FILL;
		uint32_t block = open_block(o, o->n);

		memcpy(o->entry + (size_t)block * BLOCK, entry + i,
		       some * sizeof(*entry));
		o->count[block] = (uint8_t)some;
		o->low[o->n - 1] = entry[i];
	}
}
