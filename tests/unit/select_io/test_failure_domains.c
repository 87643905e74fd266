/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the placement of files over servers and racks against every possible
 * placement, and against the minimum-cost flow with a node for each file's part
 * of a server.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/flow/min_cost_flow.h"

#define MAX_M	40
#define MAX_F	12
#define MAX_ALL (MAX_M * MAX_F)

struct instance {
	struct slu_place_target target[MAX_M];
	uint32_t server[MAX_M], rack[MAX_M];
	struct slu_place_alike p;
};

/* Small whole numbers, so that costs tie and add up exactly. */
static void invent(struct instance *t, uint64_t *seed, uint32_t m, uint32_t f)
{
	uint32_t room = 1 + (uint32_t)slu_random(seed, f + 2);
	uint32_t costs = 1 + (uint32_t)slu_random(seed, 12);
	uint32_t servers = 1 + (uint32_t)slu_random(seed, m);
	uint32_t racks = 1 + (uint32_t)slu_random(seed, servers);

	t->p = (struct slu_place_alike){
		.target = t->target,
		.n_targets = m,
		.files = f,
		.stripes = (uint32_t)slu_random(seed, m + 2),
		.convex = slu_random(seed, 4) > 0,
		.server = t->server,
		.rack = slu_random(seed, 2) ? t->rack : NULL,
		.n_servers = servers,
		.n_racks = racks,
		.again = (double)slu_random(seed, 6),
		.rack_again = (double)slu_random(seed, 4),
		.seed = slu_random(seed, 3),
	};
	for (uint32_t j = 0; j < m; j++) {
		t->target[j] = (struct slu_place_target){
			.cost = (double)slu_random(seed, costs),
			.step = (double)(1 + slu_random(seed, 5)),
			.room = (uint32_t)slu_random(seed, room + 1),
		};
		t->server[j] = (uint32_t)slu_random(seed, servers);
	}
	for (uint32_t s = 0; s < servers; s++)
		t->rack[s] = (uint32_t)slu_random(seed, racks);
}

static double pairs(double price, double n)
{
	return price * n * (n - 1) / 2;
}

static double of_targets(const struct slu_place_alike *p, const uint32_t *count)
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

/* Of one file that is on these targets. */
static double of_domains(const struct slu_place_alike *p,
			 const uint32_t *chosen, uint32_t n)
{
	double on_server[MAX_M] = {0}, in_rack[MAX_M] = {0}, all = 0;

	for (uint32_t k = 0; k < n; k++) {
		uint32_t s = p->server[chosen[k]];

		on_server[s]++;
		if (p->rack)
			in_rack[p->rack[s]]++;
	}
	for (uint32_t s = 0; s < MAX_M; s++)
		all += pairs(p->again, on_server[s]) +
		       pairs(p->rack_again, in_rack[s]);
	return all;
}

struct answer {
	uint64_t placed;
	double cost;
};

/* Solve, and see that it is a placement and costs what is said. */
static struct answer solve(const struct slu_place_alike *p)
{
	static uint32_t chosen[MAX_F * (MAX_M + 1)], got[MAX_F];
	uint32_t count[MAX_M] = {0};
	struct answer a = {0};
	double cost = 0;
	struct slu_err err;

	expect_ok(slu_place_alike(p, chosen, got, &a.cost, &err), err);
	for (uint32_t i = 0; i < p->files; i++) {
		const uint32_t *own = chosen + i * p->stripes;
		bool seen[MAX_M] = {false};

		ck_assert_uint_le(got[i], p->stripes);
		for (uint32_t k = 0; k < got[i]; k++) {
			ck_assert(own[k] < p->n_targets && !seen[own[k]]);
			seen[own[k]] = true;
			count[own[k]]++;
			ck_assert(k == 0 || p->target[own[k - 1]].cost <=
						    p->target[own[k]].cost);
		}
		a.placed += got[i];
		cost += of_domains(p, own, got[i]);
	}
	for (uint32_t j = 0; j < p->n_targets; j++)
		ck_assert_uint_le(count[j], p->target[j].room);
	cost += of_targets(p, count);
	ck_assert_double_eq(a.cost, cost);
	return a;
}

/* Every placement of files i.. onwards. */
static void all_of(const struct slu_place_alike *p, uint32_t i, uint32_t *count,
		   uint64_t placed, double domains, struct answer *best)
{
	if (i == p->files) {
		double cost = of_targets(p, count) + domains;

		if (placed > best->placed ||
		    (placed == best->placed && cost < best->cost))
			*best = (struct answer){placed, cost};
		return;
	}
	for (uint32_t set = 0; set < 1u << p->n_targets; set++) {
		uint32_t own[MAX_M], n = 0;
		bool fits = true;

		for (uint32_t j = 0; j < p->n_targets; j++)
			if (set >> j & 1) {
				own[n++] = j;
				fits &= ++count[j] <= p->target[j].room;
			}
		if (fits && n <= p->stripes)
			all_of(p, i + 1, count, placed + n,
			       domains + of_domains(p, own, n), best);
		for (uint32_t k = 0; k < n; k++)
			count[own[k]]--;
	}
}

START_TEST(test_every_placement)
{
	for (uint64_t k = 1; k <= 1500; k++) {
		uint64_t seed = k * 104729;
		uint32_t m = 1 + (uint32_t)slu_random(&seed, 5);
		uint32_t f = 1 + (uint32_t)slu_random(&seed, m > 4 ? 2 : 3);
		uint32_t count[MAX_M] = {0};
		struct answer best = {0, INFINITY}, a;
		struct instance t;

		invent(&t, &seed, m, f);
		all_of(&t.p, 0, count, 0, 0, &best);
		a = solve(&t.p);
		expect(a.placed == best.placed && a.cost == best.cost,
		       "%llu: %llu for %g, not %llu for %g",
		       (unsigned long long)k, (unsigned long long)a.placed,
		       a.cost, (unsigned long long)best.placed, best.cost);
	}
}
END_TEST

/* A graph with costs; each arc has its reverse beside it. */
#define NODES (2 + MAX_F + 2 * MAX_ALL + MAX_M)
#define ARCS  (2 * (MAX_F + 3 * MAX_ALL * 8 + MAX_ALL))

static struct arc {
	uint32_t from, to;
	int left;
	double cost;
} arc[ARCS];
static uint32_t n_arcs;

static void link_nodes(uint32_t from, uint32_t to, int room, double cost)
{
	ck_assert_uint_le(n_arcs + 2, ARCS);
	arc[n_arcs++] = (struct arc){from, to, room, cost};
	arc[n_arcs++] = (struct arc){to, from, 0, -cost};
}

/* The k-th unit of flow costs (k - 1) * price. */
static void link_dearer(uint32_t from, uint32_t to, uint32_t most, double price)
{
	for (uint32_t k = 0; k < most; k++)
		link_nodes(from, to, 1, price * k);
}

/* source 0, sink 1, files, files' racks, files' servers, targets */
static uint32_t build(const struct slu_place_alike *p)
{
	uint32_t files = 2, racks = files + p->files, n_racks = p->n_racks;
	uint32_t servers = racks + p->files * n_racks;
	uint32_t targets = servers + p->files * p->n_servers;
	uint32_t on[MAX_M] = {0}, in[MAX_M] = {0};

	n_arcs = 0;
	for (uint32_t j = 0; j < p->n_targets; j++) {
		uint32_t s = p->server[j];

		on[s]++;
		in[p->rack ? p->rack[s] : 0]++;
	}
	for (uint32_t i = 0; i < p->files; i++) {
		link_nodes(0, files + i, (int)p->stripes, 0);
		for (uint32_t r = 0; r < n_racks; r++)
			link_dearer(files + i, racks + i * n_racks + r, in[r],
				    p->rack ? p->rack_again : 0);
		for (uint32_t s = 0; s < p->n_servers; s++)
			link_dearer(racks + i * n_racks +
					    (p->rack ? p->rack[s] : 0),
				    servers + i * p->n_servers + s, on[s],
				    p->again);
		for (uint32_t j = 0; j < p->n_targets; j++)
			link_nodes(servers + i * p->n_servers + p->server[j],
				   targets + j, 1, 0);
	}
	for (uint32_t j = 0; j < p->n_targets; j++)
		for (uint32_t x = 0; x < p->target[j].room && x < p->files; x++)
			link_nodes(targets + j, 1, 1,
				   p->target[j].cost +
					   (p->convex ? p->target[j].step *
								(x + 1.0)
						      : 0));
	return targets + p->n_targets;
}

/* Successive shortest paths by Bellman and Ford. */
static struct answer flow(const struct slu_place_alike *p)
{
	static double far[NODES];
	static uint32_t by[NODES];
	uint32_t n = build(p);
	struct answer a = {0};

	ck_assert_uint_le(n, NODES);
	for (;;) {
		bool moved = true;

		for (uint32_t v = 0; v < n; v++)
			far[v] = v == 0 ? 0 : INFINITY;
		while (moved) {
			moved = false;
			for (uint32_t e = 0; e < n_arcs; e++)
				if (arc[e].left > 0 &&
				    far[arc[e].from] + arc[e].cost <
					    far[arc[e].to]) {
					far[arc[e].to] =
						far[arc[e].from] + arc[e].cost;
					by[arc[e].to] = e;
					moved = true;
				}
		}
		if (far[1] == INFINITY)
			return a;
		a.placed++;
		a.cost += far[1];
		for (uint32_t v = 1; v != 0; v = arc[by[v]].from) {
			arc[by[v]].left--;
			arc[by[v] ^ 1].left++;
		}
	}
}

START_TEST(test_flow)
{
	for (uint64_t k = 1; k <= 1000; k++) {
		uint64_t seed = k * 7907;
		uint32_t m = 1 + (uint32_t)slu_random(&seed, 20);
		uint32_t f = 1 + (uint32_t)slu_random(&seed, 8);
		struct instance t;
		struct answer want, a;

		invent(&t, &seed, m, f);
		if (!t.p.rack)
			t.p.n_racks = 1;
		want = flow(&t.p);
		a = solve(&t.p);
		expect(a.placed == want.placed && a.cost == want.cost,
		       "%llu: %llu for %g, not %llu for %g",
		       (unsigned long long)k, (unsigned long long)a.placed,
		       a.cost, (unsigned long long)want.placed, want.cost);
	}
}
END_TEST

/* Where all targets tie, files begin everywhere, each is on all servers, and
 * one seed says always the same. */
START_TEST(test_ties)
{
	static uint32_t chosen[2][4], got[1];
	uint32_t begins[16] = {0};
	struct slu_place_target target[16];
	uint32_t server[16];
	struct slu_place_alike p = {
		.target = target,
		.n_targets = 16,
		.files = 1,
		.stripes = 4,
		.convex = true,
		.server = server,
		.n_servers = 4,
		.again = 1,
	};
	double cost;

	for (uint32_t j = 0; j < 16; j++) {
		target[j] = (struct slu_place_target){0, 1, 1};
		server[j] = j / 4;
	}
	for (p.seed = 1; p.seed <= 1600; p.seed++) {
		uint32_t on[4] = {0};

		for (int i = 0; i < 2; i++)
			ck_assert_int_eq(slu_place_alike(&p, chosen[i], got,
							 &cost, NULL),
					 0);
		ck_assert_mem_eq(chosen[0], chosen[1], sizeof(chosen[0]));
		for (uint32_t k = 0; k < 4; k++)
			on[server[chosen[0][k]]]++;
		for (uint32_t s = 0; s < 4; s++)
			ck_assert_uint_eq(on[s], 1);
		begins[chosen[0][0]]++;
	}
	for (uint32_t j = 0; j < 16; j++) /* 100 each, five sigmas */
		ck_assert(begins[j] > 50 && begins[j] < 150);
}
END_TEST

START_TEST(test_refused)
{
	struct slu_place_target target = {1, 1, 1};
	uint32_t server = 0, rack = 0, chosen, got;
	const struct slu_place_alike good = {
		.target = &target,
		.n_targets = 1,
		.files = 1,
		.stripes = 1,
		.convex = true,
		.server = &server,
		.rack = &rack,
		.n_servers = 1,
		.n_racks = 1,
	};
	struct slu_place_alike p[6];
	struct slu_err err;
	double cost;

	for (int i = 0; i < 6; i++)
		p[i] = good;
	p[0].files = 0;
	p[1].n_servers = 0;
	p[2].n_racks = 0;
	p[3].again = NAN;
	p[4].rack_again = -1;
	p[5].files = p[5].stripes = 1u << 20;
	each(bad, p)
		expect_fail(slu_place_alike(bad, &chosen, &got, &cost, &err),
			    err, SLU_INVALID, "out of range");
	target.cost = NAN;
	expect_fail(slu_place_alike(&good, &chosen, &got, &cost, &err), err,
		    SLU_INVALID, "out of range");
	target = (struct slu_place_target){1, 0, 1};
	expect_fail(slu_place_alike(&good, &chosen, &got, &cost, &err), err,
		    SLU_INVALID, "out of range");
}
END_TEST

/* The same files one after the other, each beside those before it. */
static struct answer one_by_one(const struct slu_place_alike *all)
{
	struct slu_place_target target[MAX_M];
	uint32_t count[MAX_M] = {0}, chosen[MAX_M + 1], got;
	struct slu_place_alike p = *all;
	struct answer a = {0};
	struct slu_err err;
	double cost;

	memcpy(target, all->target, sizeof(target));
	p.target = target;
	p.files = 1;
	for (uint32_t i = 0; i < all->files; i++) {
		expect_ok(slu_place_alike(&p, chosen, &got, &cost, &err), err);
		a.placed += got;
		a.cost += of_domains(all, chosen, got);
		for (uint32_t k = 0; k < got; k++) {
			struct slu_place_target *t = &target[chosen[k]];

			count[chosen[k]]++;
			t->room--;
			t->cost += p.convex ? t->step : 0;
		}
	}
	a.cost += of_targets(all, count);
	return a;
}

/* A question for many files costs what as many questions cost, each of which is
 * answered at its best, or less: never more, nor does it place fewer. Where
 * stripes of a file may be neighbours for nothing and no room ends, each stripe
 * of both goes to the cheapest target, and it is the same. */
START_TEST(test_batch)
{
	uint64_t seed = 7;
	unsigned less = 0;

	for (int i = 0; i < 3000; i++) {
		struct instance t;
		struct answer batch, ones;
		uint32_t m = 1 + (uint32_t)slu_random(&seed, MAX_M);

		invent(&t, &seed, m, 1 + (uint32_t)slu_random(&seed, MAX_F));
		if (t.p.stripes > m)
			t.p.stripes = m;
		for (uint32_t j = 0; j < m && i % 2; j++) {
			t.target[j].room = MAX_F;
			t.target[j].step = 2;
		}
		if (i % 4 == 1)
			t.p.again = t.p.rack_again = 0;
		batch = solve(&t.p);
		ones = one_by_one(&t.p);
		expect(batch.placed >= ones.placed, "%d: %lu, not %lu", i,
		       batch.placed, ones.placed);
		if (batch.placed > ones.placed)
			continue;
		expect(batch.cost <= ones.cost, "%d: %g, not %g", i, batch.cost,
		       ones.cost);
		expect(i % 4 != 1 || batch.cost == ones.cost, "%d: %g, not %g",
		       i, batch.cost, ones.cost);
		less += batch.cost < ones.cost;
	}
	ck_assert_uint_gt(less, 0);
}
END_TEST

TEST_MAIN("failure_domains", test_batch, test_every_placement, test_flow,
	  test_ties, test_refused)
