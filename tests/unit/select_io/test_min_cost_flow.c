/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the placement of stripes on targets against every possible placement,
 * and against successive shortest paths on the graph of the paper. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/flow/min_cost_flow.h"

#define MAX_M 40
#define MANY  2000
#define MAX_R 40

struct instance {
	struct slu_place_target target[MAX_M];
	uint32_t stripes[MAX_R];
	struct slu_place_problem p;
};

/* Small whole numbers, so that costs tie and add up exactly. */
static void invent(struct instance *t, uint64_t *seed, uint32_t m, uint32_t r,
		   bool convex)
{
	uint32_t most = 1 + (uint32_t)slu_random(seed, m + 2);
	uint32_t room = 1 + (uint32_t)slu_random(seed, r + 1);
	uint32_t costs = 1 + (uint32_t)slu_random(seed, 20);

	t->p = (struct slu_place_problem){
		.target = t->target,
		.n_targets = m,
		.stripes = t->stripes,
		.n_requests = r,
		.convex = convex,
	};
	for (uint32_t j = 0; j < m; j++)
		t->target[j] = (struct slu_place_target){
			.cost = (double)slu_random(seed, costs),
			.step = (double)(1 + slu_random(seed, 5)),
			.room = (uint32_t)slu_random(seed, room + 1),
		};
	for (uint32_t i = 0; i < r; i++)
		t->stripes[i] = (uint32_t)slu_random(seed, most + 1);
}

static double cost_of(const struct slu_place_problem *p, const uint32_t *count)
{
	double all = 0;

	for (uint32_t j = 0; j < p->n_targets; j++) {
		double x = count[j];

		all += x * p->target[j].cost;
		if (p->convex)
			all += p->target[j].step * x * (x + 1) / 2;
	}
	return all;
}

/* Checks that it is a placement, with the reported cost. */
static void check(const struct slu_place_problem *p,
		  const struct slu_place_solution *s)
{
	uint32_t count[MAX_M] = {0};
	uint64_t placed = 0, wanted = 0;

	for (uint32_t i = 0; i < p->n_requests; i++) {
		bool seen[MAX_M] = {false};

		wanted += p->stripes[i];
		ck_assert_uint_le(s->got[i], p->stripes[i]);
		for (uint32_t k = 0; k < s->got[i]; k++) {
			uint32_t j = s->chosen[s->first[i] + k];

			ck_assert(j < p->n_targets && !seen[j]);
			seen[j] = true;
			count[j]++;
			placed++;
		}
	}
	for (uint32_t j = 0; j < p->n_targets; j++)
		ck_assert(count[j] == s->count[j] &&
			  count[j] <= p->target[j].room);
	ck_assert(placed == s->placed && wanted == s->wanted);
	ck_assert(fabs(s->cost - cost_of(p, count)) < 1e-6);
}

/* Every placement of requests i.. onwards. */
struct best {
	uint64_t placed;
	double cost;
};

static void all_of(const struct slu_place_problem *p, uint32_t i,
		   uint32_t *count, uint64_t placed, struct best *best)
{
	if (i == p->n_requests) {
		double cost = cost_of(p, count);

		if (placed > best->placed ||
		    (placed == best->placed && cost < best->cost))
			*best = (struct best){placed, cost};
		return;
	}
	for (uint32_t set = 0; set < 1u << p->n_targets; set++) {
		bool fits = (uint32_t)__builtin_popcount(set) <= p->stripes[i];

		for (uint32_t j = 0; j < p->n_targets; j++)
			if (set >> j & 1)
				fits &= ++count[j] <= p->target[j].room;
		if (fits)
			all_of(p, i + 1, count,
			       placed + (uint32_t)__builtin_popcount(set),
			       best);
		for (uint32_t j = 0; j < p->n_targets; j++)
			count[j] -= set >> j & 1;
	}
}

static struct slu_place_solution solve(const struct slu_place_problem *p,
				       struct slu_flow_place **s)
{
	struct slu_place_solution out;
	struct slu_err err;

	*s = slu_place_setup(p, &err);
	ck_assert_msg(*s != NULL, "%s", err.text);
	slu_place_solve(*s, &out);
	check(p, &out);
	return out;
}

START_TEST(test_every_placement)
{
	for (uint64_t k = 1; k <= 3000; k++) {
		uint64_t seed = k * 7919;
		uint32_t m = 1 + (uint32_t)slu_random(&seed, 4);
		uint32_t r = 1 + (uint32_t)slu_random(&seed, 4);
		uint32_t count[MAX_M] = {0};
		struct best best = {0, INFINITY};
		struct slu_place_solution out;
		struct slu_flow_place *s;
		struct instance t;

		invent(&t, &seed, m, r, k & 1);
		all_of(&t.p, 0, count, 0, &best);
		out = solve(&t.p, &s);
		expect(out.placed == best.placed && out.cost == best.cost,
		       "case %lu: %lu stripes for %g, not %lu for %g", k,
		       out.placed, out.cost, best.placed, best.cost);
		slu_place_free(s);
	}
}
END_TEST

/* The graph: source, requests, targets, sink. One unit at a time along the
 * cheapest path (Bellman and Ford). */
struct flow {
	uint32_t m, r;
	uint32_t rest[MAX_R]; /* source -> request */
	bool on[MAX_R][MAX_M];
	uint32_t count[MAX_M];
};

static double next_cost(const struct slu_place_problem *p, const struct flow *f,
			uint32_t j)
{
	if (f->count[j] >= p->target[j].room)
		return INFINITY;
	return p->target[j].cost +
	       (p->convex ? p->target[j].step * (f->count[j] + 1) : 0);
}

/* Which target can be reached from each request by moving stripes; costs are
 * only at targets, so a path costs what its last target costs, and that is all
 * that has to be compared. */
static bool augment(const struct slu_place_problem *p, struct flow *f)
{
	uint32_t from[MAX_M], queue[MAX_M], head = 0, tail = 0;
	uint32_t via[MAX_M], best = UINT32_MAX;
	bool seen[MAX_M] = {false};

	for (uint32_t i = 0; i < f->r; i++)
		for (uint32_t j = 0; f->rest[i] && j < f->m; j++)
			if (!f->on[i][j] && !seen[j]) {
				seen[j] = true;
				from[j] = UINT32_MAX;
				via[j] = i;
				queue[tail++] = j;
			}
	for (; head < tail; head++) /* take i off `a`, put it on `b` */
		for (uint32_t i = 0, a = queue[head]; i < f->r; i++)
			for (uint32_t b = 0; f->on[i][a] && b < f->m; b++)
				if (!f->on[i][b] && !seen[b]) {
					seen[b] = true;
					from[b] = a;
					via[b] = i;
					queue[tail++] = b;
				}
	for (uint32_t j = 0; j < f->m; j++)
		if (seen[j] && next_cost(p, f, j) < INFINITY &&
		    (best == UINT32_MAX ||
		     next_cost(p, f, j) < next_cost(p, f, best)))
			best = j;
	if (best == UINT32_MAX)
		return false;
	f->count[best]++;
	for (uint32_t j = best; j != UINT32_MAX; j = from[j]) {
		f->on[via[j]][j] = true;
		if (from[j] == UINT32_MAX)
			f->rest[via[j]]--;
		else
			f->on[via[j]][from[j]] = false;
	}
	return true;
}

static struct best by_flow(const struct slu_place_problem *p)
{
	static struct flow f;
	struct best best = {0};

	f = (struct flow){.m = p->n_targets, .r = p->n_requests};
	for (uint32_t i = 0; i < p->n_requests; i++)
		f.rest[i] = p->stripes[i];
	while (augment(p, &f))
		best.placed++;
	best.cost = cost_of(p, f.count);
	return best;
}

START_TEST(test_flow)
{
	for (uint64_t k = 1; k <= 600; k++) {
		uint64_t seed = k * 104729;
		uint32_t m = 1 + (uint32_t)slu_random(&seed, MAX_M);
		uint32_t r = 1 + (uint32_t)slu_random(&seed, MAX_R);
		struct slu_place_solution out;
		struct slu_flow_place *s;
		struct instance t;
		struct best best;

		invent(&t, &seed, m, r, k & 1);
		best = by_flow(&t.p);
		out = solve(&t.p, &s);
		expect(out.placed == best.placed && out.cost == best.cost,
		       "case %lu, %u x %u: %lu stripes for %g, not %lu for %g",
		       k, m, r, out.placed, out.cost, best.placed, best.cost);
		slu_place_free(s);
	}
}
END_TEST

/* Costs of any size, not only whole numbers. */
START_TEST(test_any_cost)
{
	for (uint64_t k = 1; k <= 400; k++) {
		uint64_t seed = k * 15485863;
		struct slu_place_solution out;
		struct slu_flow_place *s;
		struct instance t;
		struct best best;

		invent(&t, &seed, MAX_M, 1 + (uint32_t)slu_random(&seed, 20),
		       k & 1);
		for (uint32_t j = 0; j < MAX_M; j++) {
			t.target[j].cost = (double)slu_random(&seed, 1000000) /
					   (double)(1 + slu_random(&seed, 999));
			t.target[j].step =
				ldexp(1, (int)slu_random(&seed, 20) - 10);
		}
		if (k % 8 == 0)
			t.target[0].cost = -0.0;
		for (uint32_t j = 0; j < MAX_M && k % 16 < 2; j++)
			t.target[j].cost = j % 3 * 1e-310;
		out = solve(&t.p, &s);
		best = by_flow(&t.p);
		expect(out.placed == best.placed &&
			       fabs(best.cost - out.cost) <= 1e-9 * best.cost,
		       "case %lu: %.17g, not %.17g", k, out.cost, best.cost);
		slu_place_free(s);
	}
}
END_TEST

START_TEST(test_refused)
{
	struct slu_place_target target[2] = {{1, 1, 1}, {1, 1, 1}};
	uint32_t stripes[1] = {1};
	struct slu_place_problem p = {target, 2, stripes, 1, true};
	static const double bad[] = {-1, NAN, INFINITY, 1e13};
	struct slu_err err;

	for (size_t k = 0; k < 4; k++) {
		target[1] = (struct slu_place_target){bad[k], 1, 1};
		ck_assert_ptr_null(slu_place_setup(&p, &err));
		expect_err(err, SLU_INVALID, "target 1: its cost");
		target[1] = (struct slu_place_target){1, bad[k], 1};
		ck_assert_ptr_null(slu_place_setup(&p, &err));
		expect_err(err, SLU_INVALID, "target 1: its step");
	}
	target[1].step = 0;
	ck_assert_ptr_null(slu_place_setup(&p, &err));
}
END_TEST

/* Linear costs pile up, convex ones spread. */
START_TEST(test_spread)
{
	struct slu_place_target target[8];
	uint32_t stripes[4] = {2, 2, 2, 2};
	struct slu_place_problem p = {target, 8, stripes, 4, false};
	struct slu_place_solution out;
	struct slu_flow_place *s;

	for (uint32_t j = 0; j < 8; j++)
		target[j] = (struct slu_place_target){1 + 0.001 * j, 1, 100};
	out = solve(&p, &s);
	ck_assert(out.count[0] == 4 && out.count[1] == 4);
	slu_place_free(s);
	p.convex = true;
	out = solve(&p, &s);
	for (uint32_t j = 0; j < 8; j++)
		ck_assert_uint_eq(out.count[j], 1);
	slu_place_free(s);
}
END_TEST

/* As the paper has it: one after the other goes, the farthest first. */
START_TEST(test_predicted)
{
	for (uint64_t k = 1; k <= 500; k++) {
		uint64_t seed = k * 32452843;
		uint32_t m = 1 + (uint32_t)slu_random(&seed, 12);
		uint32_t r = 1 + (uint32_t)slu_random(&seed, 12);
		uint32_t ahead[MAX_R], less[MAX_R];
		bool out_a[MAX_R] = {false}, out_b[MAX_R];
		struct slu_place_solution a, b;
		struct slu_flow_place *s;
		struct instance t;
		struct slu_err err;

		invent(&t, &seed, m, r, k & 1);
		for (uint32_t i = 0; i < r; i++)
			ahead[i] = (uint32_t)slu_random(&seed, 4);
		memcpy(less, t.stripes, sizeof(less));
		for (;;) {
			struct slu_place_problem p = t.p;
			uint32_t far = UINT32_MAX;

			p.stripes = less;
			a = solve(&p, &s);
			for (uint32_t i = 0; i < r; i++)
				if (ahead[i] > 0 && !out_a[i] &&
				    (far == UINT32_MAX ||
				     ahead[i] >= ahead[far]))
					far = i;
			if (a.placed == a.wanted || far == UINT32_MAX)
				break;
			out_a[far] = true;
			less[far] = 0;
			slu_place_free(s);
		}
		slu_place_free(s);
		expect_ok(slu_place_predicted(&t.p, ahead, out_b, &s, &b, &err),
			  err);
		expect(memcmp(out_a, out_b, r) == 0 && a.placed == b.placed &&
			       a.wanted == b.wanted && a.cost == b.cost,
		       "case %lu", k);
		slu_place_free(s);
	}
}
END_TEST

START_TEST(test_random_against_search)
{
	for (uint64_t k = 1; k <= 2000; k++) {
		uint64_t seed = k * 49979687;
		uint32_t m = 1 + (uint32_t)slu_random(&seed, MAX_M), n;
		uint32_t chosen[MAX_M], one[1];
		struct slu_place_solution out;
		struct slu_flow_place *s;
		struct instance t;

		invent(&t, &seed, m, 1, k & 1);
		one[0] = t.stripes[0];
		out = solve(&t.p, &s);
		n = slu_place_one(t.target, m, one[0], k & 1, chosen);
		ck_assert_uint_eq(n, out.got[0]);
		for (uint32_t i = 0; i < n && !(k & 1); i++)
			ck_assert_uint_eq(chosen[i], out.chosen[i]);
		slu_place_free(s);
	}
}
END_TEST

/* Many cost the same; or they come by falling costs, so that each is cheaper
 * than all before; or a few of 256 that are spread evenly cost nothing, more of
 * them than of all. */
static double one_of_many(uint64_t kind, uint64_t *seed, uint64_t m, uint64_t j)
{
	if (kind == 0)
		return (double)(m - j);
	if (kind == 1 && j < m / 8 && (m - j * 256 % m) % m < 256)
		return 0;
	return (double)(1 + slu_random(seed, 50));
}

/* Beside one search of the least after the other. */
START_TEST(test_one_of_many)
{
	static struct slu_place_target target[MANY];
	static uint32_t chosen[MANY];
	static bool used[MANY];

	for (uint64_t k = 1; k <= 60; k++) {
		uint64_t seed = k * 86028121;
		uint32_t m = 1 + (uint32_t)slu_random(&seed, MANY), n;
		uint32_t stripes = (uint32_t)slu_random(&seed, 100);

		for (uint32_t j = 0; j < m; j++)
			target[j] = (struct slu_place_target){
				.cost = one_of_many(k % 3, &seed, m, j),
				.step = 1,
				.room = (uint32_t)slu_random(&seed, 4)};
		memset(used, 0, sizeof(used));
		n = slu_place_one(target, m, stripes, k & 1, chosen);
		for (uint32_t i = 0, best; i <= n; i++) {
			best = m;
			for (uint32_t j = 0; j < m; j++)
				if (target[j].room > 0 && !used[j] &&
				    (best == m ||
				     target[j].cost < target[best].cost))
					best = j;
			if (i == n) {
				ck_assert(n == stripes || best == m);
				break;
			}
			ck_assert_uint_eq(chosen[i], best);
			used[best] = true;
		}
	}
}
END_TEST

/* Spread; whole numbers; all but one in a small part of the range; that too,
 * and alike in their upper bits; all the same. */
static double cost_to_order(uint64_t kind, uint64_t *seed, uint32_t j)
{
	if (kind > 1 && j == 7)
		return SLU_PLACE_MAX_COST;
	if (kind == 3)
		return 1 + ldexp((double)slu_random(seed, MANY), -40);
	if (kind == 4)
		return 5;
	return (double)slu_random(seed, kind == 1 ? 50 : 1000000) / 7;
}

/* One request that wants every target has them in the order of their costs. */
START_TEST(test_order)
{
	static struct slu_place_target target[5 * MANY];
	static bool used[5 * MANY];

	for (uint64_t k = 0; k < 40; k++) {
		uint64_t seed = 1 + k * 67867967;
		uint32_t m = 8 + (uint32_t)slu_random(&seed, 5 * MANY - 8);
		struct slu_place_problem p = {target, m, &m, 1, false};
		struct slu_place_solution out;
		struct slu_flow_place *s = NULL;

		for (uint32_t j = 0; j < m; j++)
			target[j] = (struct slu_place_target){
				.cost = cost_to_order(k % 5, &seed, j),
				.room = 1};
		memset(used, 0, sizeof(used));
		s = slu_place_setup(&p, NULL);
		ck_assert_ptr_nonnull(s);
		slu_place_solve(s, &out);
		ck_assert_uint_eq(out.got[0], m);
		for (uint32_t i = 0; i < m; i++) {
			uint32_t j = out.chosen[i];
			uint32_t b = i ? out.chosen[i - 1] : 0;

			ck_assert(!used[j]);
			used[j] = true;
			expect(i == 0 || target[b].cost < target[j].cost ||
				       (target[b].cost == target[j].cost &&
					b < j),
			       "case %lu, %u of %u", k, i, m);
		}
		slu_place_free(s);
	}
}
END_TEST

TEST_MAIN("min_cost_flow", test_every_placement, test_flow, test_any_cost,
	  test_refused, test_spread, test_predicted, test_random_against_search,
	  test_one_of_many, test_order)
