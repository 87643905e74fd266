/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many stripes each target gets when each makes it dearer.
 *
 * slu_place_fill: the water level. At a level every target has all stripes
 * that cost no more than it; the level at which these are as many as are wanted
 * is searched, by secants and halving. When the numbers satisfy Gale and
 * Ryser's condition nothing can be better.
 *
 * slu_place_greedy: one stripe at a time, the cheapest that is possible. It is
 * when its target would not come to lie, among the targets by falling numbers,
 * in a beginning that is full already (most[k] == the sum of the first k); a
 * target for which it is impossible once is out for good. A tree over k holds
 * what is left of each beginning.
 */
#include "config.h"
#include "common/fast.h"
#include "select_io/ost/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE  64  /* stripes between the levels: then they are sorted */
#define ROUNDS 200 /* halving a double to nothing takes fewer */

/* Stripes on target j that cost no more than the level. */
SLU_INLINE int32_t at_level(const struct slu_place *s, uint32_t j, double level)
{
	double x = (level - s->cost[j]) * s->per_step[j];

	x = x < 0 ? 0 : x;
	x = x > s->rooms[j] ? s->rooms[j] : x;
	return (int32_t)x;
}

SLU_FAST static uint64_t sum_at(const struct slu_place *s, double level)
{
	const double *restrict cost = s->cost, *restrict per = s->per_step;
	const double *restrict rooms = s->rooms;
	uint64_t sum = 0;

	for (uint32_t j = 0; j < s->p.n_targets; j++) {
		double x = (level - cost[j]) * per[j];

		x = x < 0 ? 0 : x;
		x = x > rooms[j] ? rooms[j] : x;
		sum += (uint32_t)(int32_t)x;
	}
	return sum;
}

/* Two levels, with no more than `goal` stripes up to the lower and no fewer up
 * to the upper. */
struct levels {
	double lo, hi;
	uint64_t below, above;
};

static void narrow(const struct slu_place *s, struct levels *l, uint64_t goal)
{
	for (int round = 0; round < ROUNDS && l->above - l->below > CLOSE;
	     round++) {
		double part = (double)(goal - l->below) /
			      (double)(l->above - l->below);
		double mid =
			l->lo + (l->hi - l->lo) * (round % 3 == 2 ? 0.5 : part);
		uint64_t sum;

		if (!(mid > l->lo && mid < l->hi))
			mid = l->lo + (l->hi - l->lo) / 2;
		if (!(mid > l->lo && mid < l->hi))
			return; /* all between them cost the same */
		sum = sum_at(s, mid);
		if (sum <= goal) {
			l->lo = mid;
			l->below = sum;
		} else {
			l->hi = mid;
			l->above = sum;
		}
	}
}

static bool before(const struct slu_place_key *a, const struct slu_place_key *b)
{
	return a->cost != b->cost ? a->cost < b->cost : a->j < b->j;
}

/* The cheapest `rest` of the few stripes between the levels. */
static void take_cheapest(struct slu_place *s, const struct levels *l,
			  uint64_t rest)
{
	struct slu_place_key unit[CLOSE + 1];
	size_t n = 0;

	for (uint32_t j = 0; j < s->p.n_targets; j++) {
		uint32_t to = at_level(s, j, l->hi);

		for (uint32_t x = s->count[j]; x < to && n < CLOSE; x++, n++) {
			struct slu_place_key u = {
				s->cost[j] + s->step[j] * (x + 1), j};
			size_t at = n;

			for (; at > 0 && before(&u, &unit[at - 1]); at--)
				unit[at] = unit[at - 1];
			unit[at] = u;
		}
	}
	for (size_t k = 0; k < rest && k < n; k++)
		s->count[unit[k].j]++;
}

/* Between the levels all cost the same: lower numbers first. */
static void take_equal(struct slu_place *s, const struct levels *l,
		       uint64_t rest)
{
	for (uint32_t j = 0; j < s->p.n_targets && rest > 0; j++) {
		uint64_t more = (uint32_t)at_level(s, j, l->hi) - s->count[j];

		more = more < rest ? more : rest;
		s->count[j] += (uint32_t)more;
		rest -= more;
	}
}

/* Gale and Ryser: the k fullest targets hold no more than fits on any k. */
static bool possible(struct slu_place *s)
{
	uint32_t m = s->p.n_targets, top = 0, k = 0;
	uint64_t sum = 0;

	for (uint32_t j = 0; j < m; j++)
		top = s->count[j] > top ? s->count[j] : top;
	memset(s->at_least, 0, (top + 1) * sizeof(*s->at_least));
	for (uint32_t j = 0; j < m; j++)
		s->at_least[s->count[j]]++;
	for (uint32_t v = top; v > 0; v--)
		for (uint32_t i = 0; i < s->at_least[v]; i++) {
			sum += v;
			if (sum > s->most[++k])
				return false;
		}
	return true;
}

bool slu_place_fill(struct slu_place *s)
{
	uint64_t wanted = 0, room = 0, goal;
	struct levels l = {.lo = SLU_PLACE_MAX_COST};

	for (uint32_t k = 0; k < s->active; k++)
		wanted += s->want[k];
	for (uint32_t j = 0; j < s->p.n_targets; j++) {
		double last = s->cost[j] + s->step[j] * (s->room[j] + 1.0);

		room += s->room[j];
		l.lo = s->cost[j] < l.lo ? s->cost[j] : l.lo;
		l.hi = last > l.hi ? last : l.hi;
	}
	goal = wanted < room ? wanted : room;
	l.above = room;
	if (room > goal)
		narrow(s, &l, goal);
	else
		l.lo = l.hi, l.below = room;
	for (uint32_t j = 0; j < s->p.n_targets; j++)
		s->count[j] = at_level(s, j, l.lo);
	if (l.above - l.below <= CLOSE)
		take_cheapest(s, &l, goal - l.below);
	else
		take_equal(s, &l, goal - l.below);
	return possible(s);
}

/* What is left of the beginning of k targets, k = 1 .. n: a tree of minima
 * with additions that hold for all below. */
struct left {
	int64_t *least, *add;
	size_t leaves;
};

static void build(struct left *t, const uint64_t *most, uint32_t m)
{
	for (size_t i = 0; i < t->leaves; i++)
		t->least[t->leaves + i] =
			i < m ? (int64_t)most[i + 1] : INT64_MAX / 2;
	for (size_t i = t->leaves - 1; i > 0; i--)
		t->least[i] = t->least[2 * i] < t->least[2 * i + 1]
				      ? t->least[2 * i]
				      : t->least[2 * i + 1];
	memset(t->add, 0, 2 * t->leaves * sizeof(*t->add));
}

/* One less of all beginnings from the k-th on. */
static void use_from(struct left *t, size_t k)
{
	size_t i = t->leaves + k - 1;

	t->least[i]--;
	for (; i > 1; i /= 2) {
		size_t up = i / 2, a = 2 * up, b = a + 1;

		if (i == a) {
			t->least[b]--;
			t->add[b]--;
		}
		t->least[up] = (t->least[a] < t->least[b] ? t->least[a]
							  : t->least[b]) +
			       t->add[up];
	}
}

/* The longest beginning of which nothing is left; 0: there is none. */
static size_t longest_full(const struct left *t)
{
	int64_t above = 0;
	size_t i = 1;

	if (t->least[1] > 0)
		return 0;
	while (i < t->leaves) {
		above += t->add[i];
		i = 2 * i + 1;
		if (t->least[i] + above > 0)
			i--;
	}
	return i - t->leaves + 1;
}

static void sink(struct slu_place_key *heap, size_t n, size_t at)
{
	struct slu_place_key u = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &u))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = u;
}

static size_t make_heap(const struct slu_place *s, struct slu_place_key *heap)
{
	size_t n = 0;

	for (uint32_t j = 0; j < s->p.n_targets; j++)
		if (s->room[j] > 0)
			heap[n++] = (struct slu_place_key){
				s->cost[j] + s->step[j], j};
	for (size_t i = n / 2; i-- > 0;)
		sink(heap, n, i);
	return n;
}

void slu_place_greedy(struct slu_place *s)
{
	struct left left = {s->least, s->add, s->leaves};
	struct slu_place_key *heap = s->keys;
	size_t n = make_heap(s, heap), full = 0, place;

	memset(s->count, 0, s->p.n_targets * sizeof(*s->count));
	memset(s->at_least, 0, (s->active + 2) * sizeof(*s->at_least));
	build(&left, s->most, s->p.n_targets);
	while (n > 0) {
		uint32_t j = heap[0].j, x = s->count[j];

		place = s->at_least[x + 1] + 1;
		if (place > full) {
			s->count[j] = ++x;
			s->at_least[x]++;
			use_from(&left, place);
			full = longest_full(&left);
			heap[0].cost = s->cost[j] + s->step[j] * (x + 1);
		}
		if (place <= full || x == s->room[j])
			heap[0] = heap[--n];
		sink(heap, n, 0);
	}
}
