/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the number of stripes on each target when each stripe makes its target
 * dearer (min_cost_flow.h).
 *
 * slu_place_fill: water filling. At a level each target has all stripes with a
 * marginal cost up to that level; the secant method with bisection finds the
 * level at which their sum is the number to place. If the numbers satisfy the
 * Gale-Ryser condition, they are optimal. Otherwise the k targets that violate
 * it most have, in an optimal solution, together as much as fits on any k: they
 * and the others are two smaller problems of the same kind (Groenevelt's
 * decomposition, European Journal of Operational Research 54, 1991).
 */

/*
 * slu_place_greedy, in case of too many splits: one stripe at a time, on the
 * cheapest feasible target. With the targets in the order of falling numbers of
 * stripes, no prefix of k targets may have more than its bound (most[k]); a
 * target whose next stripe would be in a prefix that has reached it is
 * infeasible, and stays so. A segment tree over k has the slack of each prefix.
 */
#include "config.h"
#include "common/fast.h"
#include "select_io/flow/flow_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE  64  /* stripes between the levels: then sort them */
#define ROUNDS 200 /* enough for a double to be halved to 0 */
#define SPLITS 64  /* each takes another pass over its part */

/* A range of places whose targets share `goal` stripes; the prefix before it
 * has reached its bound. */
struct part {
	uint32_t from, n;
	uint64_t goal;
};

/* Stripes on each target of a part with a marginal cost up to the level. */
SLU_FAST static void set_level(const struct slu_flow_place *s,
			       const struct part *part, double level,
			       uint32_t *restrict stripes)
{
	const double *restrict cost = s->cost + part->from;
	const double *restrict per = s->per_step + part->from;
	const double *restrict rooms = s->rooms + part->from;

	stripes += part->from;
	for (uint32_t i = 0; i < part->n; i++) {
		double x = (level - cost[i]) * per[i];

		x = x < 0 ? 0 : x;
		x = x > rooms[i] ? rooms[i] : x;
		stripes[i] = (uint32_t)(int32_t)x;
	}
}

/* The sum of these. */
SLU_FAST static uint64_t sum_at(const struct slu_flow_place *s,
				const struct part *part, double level)
{
	const double *restrict cost = s->cost + part->from;
	const double *restrict per = s->per_step + part->from;
	const double *restrict rooms = s->rooms + part->from;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < part->n; i++) {
		double x = (level - cost[i]) * per[i];

		x = x < 0 ? 0 : x;
		x = x > rooms[i] ? rooms[i] : x;
		sum += (uint32_t)(int32_t)x;
	}
	return sum;
}

/* A bracket: at most `goal` stripes up to the lower level, at least as many up
 * to the upper. */
struct levels {
	double lo, hi;
	uint64_t below, above;
};

/* An evaluation: a level and the number of stripes up to it. */
struct look {
	double level, stripes;
};

/* Where the line through two evaluations reaches `aim`. */
static double secant(const struct look *a, const struct look *b, double aim)
{
	double rise = b->stripes - a->stripes;

	return rise == 0 ? -1
			 : b->level + (aim - b->stripes) *
					      (b->level - a->level) / rise;
}

/* One secant step through the last two evaluations, aimed a little beyond the
 * goal so that the far end moves too; bisection where that leaves the bracket,
 * and in every sixth step. */
static void narrow(const struct slu_flow_place *s, const struct part *part,
		   struct levels *l)
{
	struct look a = {l->lo, (double)l->below},
		    b = {l->hi, (double)l->above};
	double goal = (double)part->goal, aim = goal;

	for (int round = 0; round < ROUNDS && l->above - l->below > CLOSE;
	     round++) {
		double mid = secant(&a, &b, aim);
		uint64_t sum;

		if (!(mid > l->lo && mid < l->hi) || round % 6 == 5)
			mid = l->lo + (l->hi - l->lo) / 2;
		if (!(mid > l->lo && mid < l->hi))
			return; /* all between them have the same cost */
		sum = sum_at(s, part, mid);
		if (sum <= part->goal) {
			l->lo = mid;
			l->below = sum;
			aim = goal + CLOSE / 3;
		} else {
			l->hi = mid;
			l->above = sum;
			aim = goal - CLOSE / 3;
		}
		a = b;
		b = (struct look){mid, (double)sum};
	}
}

static bool before(const struct slu_place_key *a, const struct slu_place_key *b)
{
	return a->cost != b->cost ? a->cost < b->cost : a->j < b->j;
}

/* Of the few stripes between the levels, adds the `rest` cheapest; `upper` has
 * those up to the higher level. Places of a part are in the order of their
 * targets' numbers. */
static void take_cheapest(struct slu_flow_place *s, const struct part *part,
			  const uint32_t *upper, uint64_t rest)
{
	struct slu_place_key unit[CLOSE + 1];
	size_t n = 0;

	for (uint32_t i = part->from; i < part->from + part->n; i++)
		for (uint32_t x = s->level[i]; x < upper[i] && n < CLOSE;
		     x++, n++) {
			struct slu_place_key u = {
				s->cost[i] + s->step[i] * (x + 1), i};
			size_t at = n;

			for (; at > 0 && before(&u, &unit[at - 1]); at--)
				unit[at] = unit[at - 1];
			unit[at] = u;
		}
	for (size_t k = 0; k < rest && k < n; k++)
		s->level[unit[k].j]++;
}

/* All between the levels have the same cost: lower target numbers first. */
static void take_equal(struct slu_flow_place *s, const struct part *part,
		       const uint32_t *upper, uint64_t rest)
{
	for (uint32_t i = part->from; i < part->from + part->n && rest > 0;
	     i++) {
		uint64_t more = upper[i] - s->level[i];

		more = more < rest ? more : rest;
		s->level[i] += (uint32_t)more;
		rest -= more;
	}
}

/* Levels with none and with all stripes of a part. */
SLU_FAST static struct levels all_levels(const struct slu_flow_place *s,
					 const struct part *part)
{
	const double *restrict cost = s->cost + part->from;
	const double *restrict step = s->step + part->from;
	const double *restrict rooms = s->rooms + part->from;
	double lo = SLU_PLACE_MAX_COST, hi = 0;
	uint64_t all = 0;

	for (uint32_t i = 0; i < part->n; i++) {
		double last = cost[i] + step[i] * (rooms[i] + 1.0);

		all += (uint32_t)(int32_t)rooms[i];
		lo = cost[i] < lo ? cost[i] : lo;
		hi = last > hi ? last : hi;
	}
	return (struct levels){.lo = lo, .hi = hi, .above = all};
}

/* Water filling of a part with no constraint but its sum. */
static void fill(struct slu_flow_place *s, const struct part *part)
{
	struct levels l = all_levels(s, part);
	uint32_t *upper = s->count; /* not in use yet */

	if (l.above > part->goal)
		narrow(s, part, &l);
	else
		l.lo = l.hi, l.below = l.above;
	set_level(s, part, l.lo, s->level);
	set_level(s, part, l.hi, upper);
	if (l.above - l.below <= CLOSE)
		take_cheapest(s, part, upper, part->goal - l.below);
	else
		take_equal(s, part, upper, part->goal - l.below);
}

/* The Gale-Ryser condition: the k fullest targets of a part may have no more
 * than fits on any k of it. Returns the k with the largest violation; 0: none.
 * *least: the number on the last of these. All targets with that number are
 * among them, as the bound is concave in k. */
static uint32_t too_full(struct slu_flow_place *s, const struct part *part,
			 uint32_t *least)
{
	const uint64_t *most = s->most + part->from;
	const uint32_t *level = s->level + part->from;
	uint32_t top = 0, k = 0, worst = 0;
	uint64_t sum = 0, by = 0;

	for (uint32_t i = 0; i < part->n; i++)
		top = level[i] > top ? level[i] : top;
	memset(s->at_least, 0, (top + 1) * sizeof(*s->at_least));
	for (uint32_t i = 0; i < part->n; i++)
		s->at_least[level[i]]++;
	for (uint32_t v = top; v > 0; v--) {
		uint64_t fit;

		k += s->at_least[v];
		sum += (uint64_t)v * s->at_least[v];
		fit = most[k] - most[0];
		if (sum > fit && sum - fit > by) {
			by = sum - fit;
			worst = k;
			*least = v;
		}
	}
	return worst;
}

static void copy_place(struct slu_flow_place *s, uint32_t to, uint32_t from)
{
	s->cost[to] = s->cost[from];
	s->step[to] = s->step[from];
	s->per_step[to] = s->per_step[from];
	s->rooms[to] = s->rooms[from];
	s->id[to] = s->id[from];
}

/* Moves the k fullest targets of a part to its front; both halves keep their
 * order. */
static void split(struct slu_flow_place *s, const struct part *part, uint32_t k,
		  uint32_t least)
{
	uint32_t spare = s->p.n_targets, front = part->from, back = spare;

	for (uint32_t i = part->from; i < part->from + part->n; i++)
		copy_place(s, s->level[i] >= least ? front++ : back++, i);
	for (uint32_t i = spare; i < back; i++)
		copy_place(s, part->from + k + i - spare, i);
}

/* The largest number that can be placed: the minimum over k of what fits on any
 * k targets plus the space on the others, which are those with the least space
 * (a minimum cut). It is not between targets with equal space, as the bound is
 * concave in k. */
static uint64_t all_that_fits(struct slu_flow_place *s)
{
	uint32_t m = s->p.n_targets, k = 0;
	uint64_t room = 0, fits;

	memset(s->at_least, 0, (s->active + 1) * sizeof(*s->at_least));
	for (uint32_t j = 0; j < m; j++) {
		s->at_least[s->room[j]]++;
		room += s->room[j];
	}
	fits = room;
	for (uint32_t v = s->active; v + 1 > 0; v--) {
		k += s->at_least[v];
		room -= (uint64_t)v * s->at_least[v];
		if (s->most[k] + room < fits)
			fits = s->most[k] + room;
	}
	return fits;
}

bool slu_place_fill(struct slu_flow_place *s)
{
	struct part todo[SPLITS + 1] = {{0, s->p.n_targets, all_that_fits(s)}};
	uint32_t n = 1, splits = 0, k, least = 0;

	while (n > 0) {
		struct part part = todo[--n], front = part, back = part;

		fill(s, &part);
		k = too_full(s, &part, &least);
		if (k == 0)
			continue;
		if (++splits > SPLITS)
			return false;
		split(s, &part, k, least);
		front.n = k;
		front.goal = s->most[part.from + k] - s->most[part.from];
		back.from += k;
		back.n -= k;
		back.goal -= front.goal;
		todo[n++] = front;
		if (back.n > 0)
			todo[n++] = back;
	}
	for (uint32_t i = 0; i < s->p.n_targets; i++)
		s->count[s->id[i]] = s->level[i];
	return true;
}

/* The slack of the prefixes of k = 1 .. n targets: a segment tree of minima
 * with lazy addition. */
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

/* Takes one from the slack of all prefixes from the k-th on. */
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

/* The longest prefix without slack; 0: there is none. */
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

static size_t make_heap(const struct slu_flow_place *s,
			struct slu_place_key *heap)
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

void slu_place_greedy(struct slu_flow_place *s)
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
