/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Solves small problems that are loaded as a whole directly by dynamic
 * programming, without hulls and orders: rows of 32-bit keys that fit in the L1
 * cache, each only with the cells from which the capacity can still be reached.
 * The choice is recovered by backtracking.
 *
 * The problem is copied; when a class is added or removed, or a solution is to
 * be kept, it is loaded into the general solver with the choices made so far.
 */
#include <string.h>
#include "select_io/mckp/mckp_private.h"

#define SCALE	    1000.0 /* keys in a MB/s: 1 kB/s is the finest unit */
#define KEY_MAX	    0x1p29
#define SUM_MAX	    INT32_MAX
#define NOT_REACHED INT32_MIN / 2
#define LANES	    16 /* cells of the widest vector registers */
#define TILE	    (4 * LANES)

typedef void fill_f(int32_t *row, const int32_t *before, size_t from,
		    size_t width, const struct slu_mckp_item *o,
		    const int32_t *key, size_t n);

/* The maximum of the cell and the one `weight` before it. Cells that are not
 * needed are computed from whatever memory contains: their sums may overflow,
 * so they are unsigned. */
#define RAISE(best, from, key)                                               \
	do {                                                                 \
		for (size_t k = 0; k < LANES; k++) {                         \
			int32_t with = (int32_t)((uint32_t)(from)[k] + key); \
                                                                             \
			best[k] = best[k] > with ? best[k] : with;           \
		}                                                            \
	} while (0)
#define START(best, from, key)                                          \
	do {                                                            \
		for (size_t k = 0; k < LANES; k++)                      \
			best[k] = (int32_t)((uint32_t)(from)[k] + key); \
	} while (0)
#define STORE(row, best)                           \
	do {                                       \
		for (size_t k = 0; k < LANES; k++) \
			(row)[k] = best[k];        \
	} while (0)

static inline __attribute__((always_inline)) void
fill_tile(int32_t *restrict row, const int32_t *restrict before,
	  const struct slu_mckp_item *o, const int32_t *key, size_t n)
{
	int32_t a[LANES], b[LANES], d[LANES], e[LANES];
	uint32_t more = (uint32_t)key[0];
	ptrdiff_t lightest = o[0].weight;

	START(a, before, more);
	START(b, before + LANES, more);
	START(d, before + 2 * LANES, more);
	START(e, before + 3 * LANES, more);
	for (size_t j = 1; j < n; j++) {
		const int32_t *at = before + (lightest - o[j].weight);

		more = (uint32_t)key[j];
		RAISE(a, at, more);
		RAISE(b, at + LANES, more);
		RAISE(d, at + 2 * LANES, more);
		RAISE(e, at + 3 * LANES, more);
	}
	STORE(row, a);
	STORE(row + LANES, b);
	STORE(row + 2 * LANES, d);
	STORE(row + 3 * LANES, e);
}

/* Cells from .. width - 1. */
static inline __attribute__((always_inline)) void
fill_any(int32_t *restrict row, const int32_t *restrict before, size_t from,
	 size_t width, const struct slu_mckp_item *o, const int32_t *key,
	 size_t n)
{
	ptrdiff_t lightest = o[0].weight;
	size_t c = from;

	for (; c + TILE < width + LANES; c += TILE)
		fill_tile(row + c, before + c, o, key, n);
	for (; c < width; c += LANES) {
		uint32_t more = (uint32_t)key[0];
		int32_t a[LANES];

		START(a, before + c, more);
		for (size_t j = 1; j < n; j++) {
			const int32_t *at =
				before + c + (lightest - o[j].weight);

			more = (uint32_t)key[j];
			RAISE(a, at, more);
		}
		STORE(row + c, a);
	}
}

#define FILL(name, how)                                                        \
	how static void name(int32_t *row, const int32_t *before, size_t from, \
			     size_t width, const struct slu_mckp_item *o,      \
			     const int32_t *key, size_t n)                     \
	{                                                                      \
		fill_any(row, before, from, width, o, key, n);                 \
	}

#include "select_io/mckp/dp_fill.h"

/* Loading. */

/* Copies the items; false: they are too many, or their weights do not ascend.
 */
static bool copy(struct small *s, const struct slu_mckp_problem *p)
{
	s->n_items = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct slu_mckp_class *from = &p->class[i];
		struct slu_mckp_item *to = s->item + s->n_items;
		int64_t before = -1;

		if (from->n == 0 ||
		    from->n > SLU_MCKP_SMALL_ITEMS - s->n_items ||
		    (from->hold != SLU_MCKP_NONE && from->hold >= from->n))
			return false;
		for (uint32_t j = 0; j < from->n; j++) {
			if (from->item[j].weight <= before)
				return false;
			before = from->item[j].weight;
			to[j] = from->item[j];
		}
		s->class[i].first = (uint16_t)s->n_items;
		s->class[i].n = (uint16_t)from->n;
		s->class[i].hold = from->hold;
		s->any_held |= from->hold != SLU_MCKP_NONE;
		s->n_items += from->n;
		s->lightest += to[0].weight;
	}
	return true;
}

/* Keys of all items, without holds. Returns the bitwise OR of all: negative if
 * a value is too large, negative or NaN. Written so that compilers vectorise
 * it.
 */
static __attribute__((optimize("O3", "no-trapping-math"))) int32_t
make_keys(int32_t *restrict key, const struct slu_mckp_item *restrict item,
	  uint32_t n, int32_t mult)
{
	double limit = KEY_MAX / SCALE / mult;
	int32_t all = 0;

	for (uint32_t i = 0; i < n; i++) {
		double good = item[i].value >= 0 ? item[i].value : -1;

		good = good < limit ? good : -1;
		key[i] = (int32_t)(good * SCALE + 0.5) * mult;
		all |= key[i];
	}
	return all;
}

static void add_holds(struct small *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->class[i].hold != SLU_MCKP_NONE)
			s->key[s->class[i].first + s->class[i].hold]++;
}

/* The sum of the classes' greatest keys. */
static int64_t greatest_sum(const struct small *s)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const int32_t *key = s->key + s->class[i].first;
		int32_t most = key[0];

		for (uint32_t j = 1; j < s->class[i].n; j++)
			most = key[j] > most ? key[j] : most;
		sum += most;
	}
	return sum;
}

bool slu_mckp_small_load(struct small *s, const struct slu_mckp_problem *p)
{
	int32_t all;

	s->in = s->solved = s->any_held = false;
	if (p->n > SLU_MCKP_SMALL_CLASSES)
		return false;
	s->n = p->n;
	s->capacity = p->capacity;
	s->lightest = 0;
	if (!copy(s, p) || (s->capacity >= s->lightest &&
			    s->capacity - s->lightest >= SLU_MCKP_SMALL_WIDTH))
		return false;
	s->mult = s->any_held ? (int32_t)s->n + 1 : 1;
	all = make_keys(s->key, s->item, s->n_items, s->mult);
	if (s->any_held)
		add_holds(s);
	s->in = all >= 0 && ((int64_t)s->n * ((int64_t)all + 1) <= SUM_MAX ||
			     greatest_sum(s) <= SUM_MAX);
	return s->in;
}

/* Row i has the best sums of the first i classes, by the weight above that of
 * their lightest items; its cells from 1 on are whole vectors. */

static int32_t *row_of(struct small *s, uint32_t i)
{
	return s->row + (size_t)i * SLU_MCKP_SMALL_STRIDE +
	       SLU_MCKP_SMALL_WIDTH - 1;
}

/* The weight above the lightest item of the class. */
static uint32_t weight_of(const struct small *s, const struct small_class *c,
			  uint32_t j)
{
	return s->item[c->first + j].weight - s->item[c->first].weight;
}

/* The number of its items that fit. */
static uint32_t fitting(const struct small *s, const struct small_class *c,
			uint32_t room)
{
	uint32_t n = c->n;

	while (n > 1 && weight_of(s, c, n - 1) > room)
		n--;
	return n;
}

/* Cells of row i below need[i] cannot reach the capacity any more. */
static void find_needs(const struct small *s, uint32_t room, uint32_t *need)
{
	need[s->n] = room;
	for (uint32_t i = s->n; i-- > 0;) {
		const struct small_class *c = &s->class[i];
		uint32_t most = weight_of(s, c, fitting(s, c, room) - 1);

		need[i] = need[i + 1] > most ? need[i + 1] - most : 0;
	}
}

/* Backtracking: the lightest item of each class that yields the sum. */
static void walk_back(struct small *s, uint32_t room)
{
	uint32_t at = room;

	for (uint32_t i = s->n; i-- > 0;) {
		const struct small_class *c = &s->class[i];
		const int32_t *key = s->key + c->first, *before = row_of(s, i);
		int32_t sum = row_of(s, i + 1)[at];
		uint32_t j = 0, weight = 0;

		while (weight > at || before[at - weight] + key[j] != sum)
			weight = weight_of(s, c, ++j);
		s->choice[i] = j;
		at -= weight;
	}
}

static void find_best(struct small *s, uint32_t room)
{
	uint32_t need[SLU_MCKP_SMALL_CLASSES + 1];
	fill_f *fill = pick_fill();

	find_needs(s, room, need);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct small_class *c = &s->class[i];
		int32_t *row = row_of(s, i + 1), *before = row_of(s, i);
		uint32_t from = need[i + 1] ? need[i + 1] - 1 : 0;

		row[0] = before[0] + s->key[c->first];
		fill(row + 1, before + 1, from / LANES * LANES, room,
		     &s->item[c->first], &s->key[c->first],
		     fitting(s, c, room));
	}
	walk_back(s, room);
}

/* Initialises the padding in front of the rows, and the row before the first
 * class, which are the same for all problems. */
void slu_mckp_small_init(struct small *s)
{
	memset(s->row, 0, sizeof(s->row));
	for (uint32_t i = 0; i <= SLU_MCKP_SMALL_CLASSES; i++)
		for (uint32_t k = 1; k < SLU_MCKP_SMALL_WIDTH; k++)
			row_of(s, i)[-(ptrdiff_t)k] = NOT_REACHED;
}

bool slu_mckp_small_solve(struct small *s)
{
	if (s->capacity < s->lightest)
		return false;
	if (!s->solved)
		find_best(s, (uint32_t)(s->capacity - s->lightest));
	return true;
}
