/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small problem that was loaded as a whole is solved by dynamic programming
 * at once, without hulls and orders: rows of 32-bit keys that stay in the
 * nearest cache, options that cost more and are worth no more left out, and of
 * every row only the cells from which the capacity can still be reached. The
 * choice is found again on the way back.
 *
 * The problem is copied; when a class comes or goes, or what was chosen is to
 * be kept, it is loaded as any other, with the choices made so far.
 */
#include <string.h>
#include "select_io/ion/mckp_private.h"

#define SCALE	    1000.0 /* keys in a MB/s: 1 kB/s is the finest unit */
#define SUM_MAX	    0x1p30
#define NOT_REACHED INT32_MIN / 2
#define TILE	    48 /* cells: three vectors of LANES */

typedef void fill_f(int32_t *row, const int32_t *before, size_t from,
		    size_t width, const struct small_option *o, size_t n);

/* The better of what there is and of what lies `weight` before it. Cells that
 * are not needed are made of what happens to lie there: their sums may
 * overflow, so they are unsigned. */
#define LANES 16
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

static inline __attribute__((always_inline)) void
fill_any(int32_t *restrict row, const int32_t *restrict before, size_t from,
	 size_t width, const struct small_option *o, size_t n)
{
	for (size_t c = from; c < width; c += TILE) {
		const int32_t *at = before + c;
		uint32_t key = (uint32_t)o[0].key;
		int32_t a[LANES], b[LANES], d[LANES];

		START(a, at, key);
		START(b, at + LANES, key);
		START(d, at + 2 * LANES, key);
		for (size_t j = 1; j < n; j++) {
			at = before + c - o[j].weight;
			key = (uint32_t)o[j].key;
			RAISE(a, at, key);
			RAISE(b, at + LANES, key);
			RAISE(d, at + 2 * LANES, key);
		}
		for (size_t k = 0; k < LANES; k++) {
			row[c + k] = a[k];
			row[c + LANES + k] = b[k];
			row[c + 2 * LANES + k] = d[k];
		}
	}
}

#define FILL(name, how)                                                        \
	how static void name(int32_t *row, const int32_t *before, size_t from, \
			     size_t width, const struct small_option *o,       \
			     size_t n)                                         \
	{                                                                      \
		fill_any(row, before, from, width, o, n);                      \
	}

#include "select_io/ion/fill.h"

/* Loading. */

static bool any_held(const struct slu_mckp_problem *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->class[i].hold != SLU_MCKP_NONE)
			return true;
	return false;
}

/* The options of a class that may be in a best solution; false: it is not for
 * here. */
static bool take(struct small *s, const struct slu_mckp_class *from)
{
	struct small_class *c = &s->class[s->n];
	const struct slu_mckp_item *item = from->item;
	double limit = SUM_MAX / SCALE / s->mult;
	int32_t most = -1;

	if (from->n == 0 || from->n > SMALL_ITEMS - s->n_items ||
	    (from->hold != SLU_MCKP_NONE && from->hold >= from->n))
		return false;
	*c = (struct small_class){
		.first = (uint16_t)s->n_items,
		.items = (uint16_t)from->n,
		.hold = from->hold,
		.lightest = item[0].weight,
	};
	for (uint32_t j = 0; j < from->n; j++) {
		struct small_option *o = &s->option[s->n_items + c->n];

		if (!(item[j].value >= 0 && item[j].value < limit) ||
		    (j && item[j].weight < item[j - 1].weight))
			return false;
		o->key = (int32_t)(item[j].value * SCALE + 0.5) * s->mult +
			 (j == from->hold);
		if (o->key <= most)
			continue;
		if (c->n && item[j].weight == item[o[-1].item].weight) {
			o[-1].key = o->key;
			o[-1].item = (uint16_t)j;
			most = o->key;
			continue;
		}
		most = o->key;
		o->weight = item[j].weight - c->lightest;
		o->item = (uint16_t)j;
		c->n++;
	}
	memcpy(&s->item[s->n_items], item, from->n * sizeof(*item));
	s->n_items += from->n;
	s->n++;
	s->lightest += c->lightest;
	s->sum += most;
	return true;
}

bool slu_mckp_small_load(struct small *s, const struct slu_mckp_problem *p)
{
	s->in = false;
	if (p->n > SMALL_CLASSES)
		return false;
	s->n = s->n_items = 0;
	s->lightest = 0;
	s->sum = 0;
	s->capacity = p->capacity;
	s->mult = any_held(p) ? 2 * SMALL_CLASSES : 1;
	for (uint32_t i = 0; i < p->n; i++)
		if (!take(s, &p->class[i]))
			return false;
	s->in = s->sum < SUM_MAX && (s->capacity < s->lightest ||
				     s->capacity - s->lightest < SMALL_WIDTH);
	s->solved = false;
	return s->in;
}

/* Solving. */

static int32_t *row_of(struct small *s, uint32_t i)
{
	return s->row + (size_t)i * SMALL_STRIDE + SMALL_WIDTH;
}

/* Without what does not fit at all. */
static size_t fitting(const struct small *s, const struct small_class *c,
		      uint32_t room)
{
	size_t n = c->n;

	while (n > 1 && s->option[c->first + n - 1].weight > room)
		n--;
	return n;
}

/* Cells of row i below this one cannot come to the capacity any more. */
static void find_needs(const struct small *s, uint32_t room, uint32_t *need)
{
	need[s->n] = room;
	for (uint32_t i = s->n; i-- > 0;) {
		const struct small_class *c = &s->class[i];
		uint32_t most =
			s->option[c->first + fitting(s, c, room) - 1].weight;

		need[i] = need[i + 1] > most ? need[i + 1] - most : 0;
	}
}

static void walk_back(struct small *s, uint32_t room)
{
	uint32_t c = room;

	for (uint32_t i = s->n; i-- > 0;) {
		const struct small_option *o = &s->option[s->class[i].first];
		const int32_t *before = row_of(s, i);
		int32_t sum = row_of(s, i + 1)[c];

		while (o->weight > c || before[c - o->weight] + o->key != sum)
			o++;
		s->choice[i] = o->item;
		c -= o->weight;
	}
}

static void find_best(struct small *s, uint32_t room)
{
	uint32_t need[SMALL_CLASSES + 1];
	fill_f *fill = pick_fill();
	int32_t *first = row_of(s, 0);

	find_needs(s, room, need);
	memset(first, 0, (room / TILE + 1) * TILE * sizeof(*first));
	for (uint32_t i = 0; i < s->n; i++) {
		const struct small_class *c = &s->class[i];

		fill(row_of(s, i + 1), row_of(s, i), need[i + 1] / TILE * TILE,
		     room + 1, &s->option[c->first], fitting(s, c, room));
	}
	walk_back(s, room);
}

/* What stands in front of every row, once for all problems. */
void slu_mckp_small_init(struct small *s)
{
	for (uint32_t i = 0; i <= SMALL_CLASSES; i++)
		for (uint32_t k = 1; k <= SMALL_WIDTH; k++)
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
