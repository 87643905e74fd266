/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the placement of stripes on targets against GLPK's out-of-kilter
 * algorithm on the graph of the paper, with an arc for each stripe of a convex
 * cost; skipped if built without GLPK.
 */
#include "config.h"
#include "tests/unit/harness.h"

#ifdef HAVE_GLPK_H
#include <glpk.h>
#include <math.h>
#include <stdlib.h>
#include "select_io/flow/min_cost_flow.h"
#include "tests/unit/random.h"

struct arc {
	double low, cap, cost, x;
};
struct vertex {
	double rhs;
};

static void add_arc(glp_graph *g, int from, int to, double cap, double cost)
{
	struct arc *a = glp_add_arc(g, from, to)->data;

	*a = (struct arc){0, cap, cost, 0};
}

/* From 1, the source, over requests and targets to the last, the sink. What
 * does not fit goes past all of them, dearer than anything. */
static double solve(const struct slu_place_problem *p, uint64_t *placed)
{
	glp_graph *g =
		glp_create_graph(sizeof(struct vertex), sizeof(struct arc));
	int r = (int)p->n_requests, m = (int)p->n_targets, sink = r + m + 2;
	double wanted = 0, past = 1e7, cost = 0;
	struct arc *last;

	glp_add_vertices(g, sink);
	for (int i = 0; i < r; i++) {
		add_arc(g, 1, i + 2, p->stripes[i], 0);
		wanted += p->stripes[i];
		for (int j = 0; j < m; j++)
			add_arc(g, i + 2, r + j + 2, 1, 0);
	}
	for (int j = 0; j < m; j++) {
		const struct slu_place_target *t = &p->target[j];
		uint32_t room =
			t->room < p->n_requests ? t->room : p->n_requests;

		for (uint32_t x = 1; x <= room; x++)
			add_arc(g, r + j + 2, sink, 1,
				t->cost + (p->convex ? t->step * x : 0));
	}
	last = glp_add_arc(g, 1, sink)->data;
	*last = (struct arc){0, wanted, past, 0};
	((struct vertex *)g->v[1]->data)->rhs = wanted;
	((struct vertex *)g->v[sink]->data)->rhs = -wanted;
	ck_assert_int_eq(glp_mincost_okalg(g, offsetof(struct vertex, rhs),
					   offsetof(struct arc, low),
					   offsetof(struct arc, cap),
					   offsetof(struct arc, cost), &cost,
					   offsetof(struct arc, x), -1),
			 0);
	*placed = (uint64_t)(wanted - last->x);
	cost -= past * last->x;
	glp_delete_graph(g);
	return cost;
}

/* A few targets are much cheaper, so that the requests' own limits bind. */
static void compare(uint64_t seed, uint32_t m, uint32_t r, bool convex,
		    bool roomy)
{
	struct slu_place_target target[100];
	uint32_t stripes[60];
	const struct slu_place_problem p = {target, m, stripes, r, convex};
	uint32_t most = 1 + (uint32_t)slu_random(&seed, r);
	struct slu_place_solution s;
	struct slu_flow_place *place;
	struct slu_err err;
	uint64_t placed;
	double cost;

	for (uint32_t j = 0; j < m; j++)
		target[j] = (struct slu_place_target){
			.cost = (double)slu_random(&seed, j % 7 ? 1000 : 10),
			.step = (double)(1 +
					 slu_random(&seed, j % 5 ? 200 : 2)),
			.room = roomy && j % 9
					? r
					: (uint32_t)slu_random(&seed, most + 1),
		};
	for (uint32_t i = 0; i < r; i++)
		stripes[i] = 1u << slu_random(&seed, 7);
	place = slu_place_setup(&p, &err);
	expect(place, "%s", err.text);
	slu_place_solve(place, &s);
	cost = solve(&p, &placed);
	expect(s.placed == placed && fabs(s.cost - cost) < 1e-6,
	       "%u targets, %u requests: %lu for %.0f, GLPK %lu for %.0f", m, r,
	       s.placed, s.cost, placed, cost);
	slu_place_free(place);
}

START_TEST(test_glpk)
{
	glp_term_out(GLP_OFF);
	for (uint64_t k = 1; k <= 40; k++)
		compare(k * 104729, 20 + (uint32_t)(k * 2), 10 + (uint32_t)k,
			k & 1, k % 3 == 0);
}
END_TEST

TEST_MAIN("min_cost_flow_glpk", test_glpk)
#else
int main(void)
{
	puts("built without GLPK");
	return 77;
}
#endif
