/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Solves the multiple-choice knapsack (mckp.h) by dynamic programming over the
 * capacity: the fallback for instances on which core_search.c and
 * group_relaxation.c gave up. Options that lose more than the best solution
 * found so far are left out, classes with a single option left are fixed, and
 * all weights are divided by their common step.
 */

/*
 * row[i][c] is the best sum of keys of the first i classes within weight c. No
 * choices are stored: they are recovered from the rows by backtracking. If the
 * rows exceed the table, only the first row of each block of classes is kept,
 * and the block is recomputed in backtracking.
 *
 * Each row is preceded by `pad` unreachable cells, so that no option has to be
 * tested for fitting.
 */
#include <stdlib.h>
#include <string.h>
#include "select_io/mckp/mckp_search.h"

#define NOT_REACHED (-(INT64_C(1) << 61))
#define TILE	    16

struct cell_option {
	size_t weight;
	int64_t key;
	uint16_t option;
};

struct table {
	struct slu_mckp *m;
	const struct search *s; /* NULL: leave no option out */
	uint64_t step;
	uint32_t n;	 /* classes, by m->ids */
	uint64_t weight; /* of fixed classes and of the lightest options */
	size_t width, pad, stride;
	uint32_t block; /* classes in a block */
};

typedef void fill_f(int64_t *row, const int64_t *before, size_t width,
		    const struct cell_option *o, size_t n);

static inline __attribute__((always_inline)) void
fill_any(int64_t *restrict row, const int64_t *restrict before, size_t width,
	 const struct cell_option *o, size_t n)
{
	for (size_t c = 0; c < width; c += TILE) {
		int64_t best[TILE];

		for (size_t k = 0; k < TILE; k++)
			best[k] = before[c + k] + o[0].key;
		for (size_t j = 1; j < n; j++) {
			const int64_t *from = before + c - o[j].weight;
			int64_t key = o[j].key;

			for (size_t k = 0; k < TILE; k++) {
				int64_t with = from[k] + key;

				best[k] = best[k] > with ? best[k] : with;
			}
		}
		for (size_t k = 0; k < TILE; k++)
			row[c + k] = best[k];
	}
}

#define FILL(name, how)                                                 \
	how static void name(int64_t *row, const int64_t *before,       \
			     size_t width, const struct cell_option *o, \
			     size_t n)                                  \
	{                                                               \
		fill_any(row, before, width, o, n);                     \
	}

#include "select_io/mckp/dp_fill.h"

/* The options of a class that may be in a better solution, with weights and
 * keys above those of the lightest of them. */
static size_t useful(const struct table *t, uint32_t id,
		     struct cell_option *out, uint32_t *lightest)
{
	struct slu_mckp *m = t->m;
	const struct class *c = &m->class[id];
	const struct option *o = options_of(m, c);
	uint32_t least = 0;
	int64_t most = -1;
	size_t n = 0;

	for (uint32_t j = 0; j < c->n; j++) {
		int64_t key = o[j].key;

		if (key <= most ||
		    (t->s && j != c->at && loss_of(m, c, j, t->s) > t->s->best))
			continue;
		if (n == 0)
			least = j;
		most = key;
		out[n++] = (struct cell_option){
			(o[j].weight - o[least].weight) / t->step,
			key - o[least].key, (uint16_t)j};
	}
	*lightest = o[least].weight;
	return n;
}

/* Determines the classes in the table and its width. Returns the number of
 * options. */
static size_t size_up(struct table *t, uint64_t capacity)
{
	struct cell_option o[SLU_MCKP_MAX_ITEMS];
	struct slu_mckp *m = t->m;
	uint64_t most = 0, heavy = 0;
	size_t options = 0;

	t->n = 0;
	t->weight = 0;
	for (uint32_t id = 0; id < m->n_slots; id++) {
		uint32_t lightest;
		size_t n;

		if (!m->class[id].used)
			continue;
		n = useful(t, id, o, &lightest);
		options += n;
		t->weight += lightest;
		if (n < 2)
			continue;
		m->ids[t->n++] = id;
		most += o[n - 1].weight;
		heavy = o[n - 1].weight > heavy ? o[n - 1].weight : heavy;
	}
	t->width = (capacity - t->weight) / t->step;
	t->width = (most < t->width ? most : t->width) + 1;
	t->pad = heavy < t->width ? heavy : t->width;
	t->pad = (t->pad + 7) & ~(size_t)7;
	t->stride = t->pad + ((t->width + TILE - 1) & ~(size_t)(TILE - 1));
	return options;
}

static uint32_t root(uint32_t n)
{
	uint32_t r = 1;

	while ((uint64_t)r * r < n)
		r++;
	return r;
}

/* Chooses how many rows are kept, and how many are in a block. */
static bool fit(struct table *t)
{
	size_t rows = t->m->table_cells / t->stride;

	t->block = rows > t->n + 1 ? t->n : root(t->n);
	if (t->block < 2)
		t->block = 2;
	return t->n / t->block + 2 + (size_t)t->block < rows;
}

static int64_t *row_at(const struct table *t, size_t i)
{
	return t->m->table + i * t->stride + t->pad;
}

/* Where row i is: the first of a block, or within the current block. */
static int64_t *row_of(const struct table *t, uint32_t i)
{
	if (i % t->block == 0)
		return row_at(t, i / t->block);
	return row_at(t, t->n / t->block + 1 + i % t->block);
}

static void clear_pad(int64_t *row, size_t pad)
{
	for (size_t i = 1; i <= pad; i++)
		row[-(ptrdiff_t)i] = NOT_REACHED;
}

/* Computes rows from + 1 .. to from row `from`. */
static void fill_rows(const struct table *t, uint32_t from, uint32_t to,
		      fill_f *fill)
{
	struct cell_option o[SLU_MCKP_MAX_ITEMS];
	uint32_t lightest;

	for (uint32_t i = from; i < to; i++) {
		size_t n = useful(t, t->m->ids[i], o, &lightest);
		int64_t *row = row_of(t, i + 1);

		while (n > 1 && o[n - 1].weight > t->pad)
			n--;
		clear_pad(row, t->pad);
		fill(row, row_of(t, i), t->width, o, n);
		t->m->cells += t->width * n;
	}
}

static void note(struct slu_mckp *m, uint32_t id, uint32_t option)
{
	if (option != m->class[id].at)
		m->patch[m->n_patch++] = (struct patch){id, (uint16_t)option};
}

/* The lightest option that yields the sum in row i + 1. */
static size_t step_back(const struct table *t, uint32_t i, size_t c)
{
	struct cell_option o[SLU_MCKP_MAX_ITEMS];
	const int64_t *row = row_of(t, i + 1), *before = row_of(t, i);
	uint32_t id = t->m->ids[i], lightest, j = 0;

	useful(t, id, o, &lightest);
	while (o[j].weight > c || before[c - o[j].weight] + o[j].key != row[c])
		j++;
	note(t->m, id, o[j].option);
	return c - o[j].weight;
}

static void walk_back(const struct table *t, fill_f *fill)
{
	const int64_t *last = row_of(t, t->n);
	size_t c = 0;

	while (last[c] < last[t->width - 1])
		c++;
	for (uint32_t i = t->n; i-- > 0;) {
		if (t->block < t->n && i % t->block == t->block - 1)
			fill_rows(t, i + 1 - t->block, i, fill);
		c = step_back(t, i, c);
	}
}

/* Classes with a single option get it, whatever the break solution has. */
static void note_fixed(const struct table *t)
{
	struct cell_option o[SLU_MCKP_MAX_ITEMS];
	uint32_t lightest, in = 0;

	t->m->n_patch = 0;
	for (uint32_t id = 0; id < t->m->n_slots; id++) {
		if (!t->m->class[id].used)
			continue;
		if (in < t->n && t->m->ids[in] == id) {
			in++;
			continue;
		}
		useful(t, id, o, &lightest);
		note(t->m, id, o[0].option);
	}
}

bool slu_mckp_table(struct slu_mckp *m, const struct search *s,
		    uint64_t capacity, uint32_t step)
{
	struct table t = {.m = m, .s = s, .step = step ? step : 1};
	fill_f *fill = pick_fill();

	/* the bound is computed for every option: only if it has excluded
	 * enough of them */
	if (size_up(&t, capacity) > m->items / 2 && t.s) {
		t.s = NULL;
		size_up(&t, capacity);
	}
	if (!fit(&t))
		return false;
	memset(row_of(&t, 0), 0, (t.stride - t.pad) * sizeof(int64_t));
	clear_pad(row_of(&t, 0), t.pad);
	fill_rows(&t, 0, t.n, fill);
	note_fixed(&t);
	walk_back(&t, fill);
	return true;
}

size_t slu_mckp_table_cells(const struct slu_mckp *m)
{
	size_t width = (m->heaviest < m->capacity ? m->heaviest : m->capacity);
	size_t most = m->max_bytes / sizeof(int64_t), cells;

	if (__builtin_mul_overflow(2 * width + 3 * TILE,
				   (size_t)m->max_slots + 4, &cells) ||
	    cells > most)
		return most;
	return cells;
}
