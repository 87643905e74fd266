/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements the allocators in the simulation of bench/ost that minimise a cost
 * (that of Paul et al., ours, ours as sluiced answers), and bounds that know
 * each target's true load. ost_rivals.c has the others.
 */
#include "config.h"
#include "bench/ost_sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/ost/choose.h"
#include "select_io/ost/recent_placements.h"
#include "select_io/flow/min_cost_flow.h"
#include "tests/unit/random.h"

#define REQUESTS 2048
#define PLACED	 OST_PLACED

static double largest(const double *v, uint32_t n)
{
	double most = 1e-9;

	for (uint32_t i = 0; i < n; i++)
		most = fmax(most, v[i]);
	return most;
}

/* Weight of recent stripes: each counts 1 - age /
 * SLU_RECENT_PLACEMENTS_SECONDS. */
static double recent(const struct world *w, uint32_t j)
{
	return w->count[j] - (w->now * w->count[j] - w->when[j]) /
				     SLU_RECENT_PLACEMENTS_SECONDS;
}

/* MB/s */
static double most_moved(const struct world *w)
{
	double peak = 0;

	for (uint32_t i = 0; i < w->servers; i++)
		if (slu_ost_moved_known(&w->seen_moved[i]))
			peak = fmax(peak, w->seen_moved[i].peak);
	return peak;
}

static double mean_moved(const struct world *w)
{
	double sum = 0;

	for (uint32_t i = 0; i < w->servers; i++)
		sum += w->seen_moved[i].mean;
	return sum / w->servers;
}

static double moved_cost(const struct world *w, uint32_t server, double peak)
{
	if (!slu_ost_moved_known(&w->seen_moved[server]))
		return 0;
	return slu_ost_balance(&slu_ost_choose_defaults,
			       1e6 * w->seen_moved[server].mean, 1e6 * peak);
}

/* Each target is taken for as fast as its part of what a server has moved. */
static void drain(struct world *w)
{
	double rate = most_moved(w) / w->per_server;

	for (uint32_t j = 0; j < w->m; j++)
		w->queue[j] =
			fmax(0, w->queue[j] - rate * (w->now - w->queued));
	w->queued = w->now;
}

/* What ours adds, of the targets of one server. */
static void add_ours(const struct world *w, uint32_t server, double mean,
		     struct slu_place_target *t)
{
	const struct slu_ost_choose_settings *s = &slu_ost_choose_defaults;
	const uint32_t first = server * w->per_server;
	const double peak = most_moved(w), n = w->per_server;
	const double most = fmax(fmax(peak, 10), /* as QUIET there */
				 largest(w->seen_server_rate, w->servers));
	double used = 0, queue = 0, all, busy = s->busy;

	for (uint32_t j = first; j < first + w->per_server; j++) {
		used += w->seen_used[j] / MEGABYTES / n;
		queue += w->queue[j];
	}
	all = s->load * w->seen_server_rate[server] / most +
	      s->server_space * slu_ost_excess(s, used, mean) +
	      moved_cost(w, server, peak);
	if (peak > 0) {
		all += s->server_waits * queue / peak;
		busy = slu_ost_busy(s, 1e6 * mean_moved(w), 1e6 * peak);
	}
	for (uint32_t j = first; j < first + w->per_server; j++) {
		t[j].cost +=
			all + s->step * recent(w, j) +
			busy * w->seen_rate[j] / largest(w->seen_rate, w->m) +
			s->target_space *
				slu_ost_excess(s, w->seen_used[j] / MEGABYTES,
					       mean);
		if (peak > 0)
			t[j].cost += s->target_waits * w->queue[j] * n / peak;
	}
}

/* The costs of choose.h; those of Paul et al. know nothing of what was placed a
 * moment ago. A server's processor is as busy as its network; memory is the
 * same everywhere. */
static void fill_targets(const struct world *w, enum ost_allocator by,
			 struct slu_place_target *t)
{
	const struct slu_ost_choose_settings *s = &slu_ost_choose_defaults;
	double link = LINK * SPEED * w->per_server, mean = 0;
	double server = largest(w->seen_server_rate, w->servers);
	bool ours = by >= OURS;

	for (uint32_t j = 0; j < w->m; j++)
		mean += w->seen_used[j] / w->m / MEGABYTES;
	for (uint32_t j = 0; j < w->m; j++) {
		double rate = w->seen_server_rate[j / w->per_server];
		double used = w->seen_used[j] / MEGABYTES;

		t[j] = (struct slu_place_target){
			.cost = s->alpha * rate / link +
				(ours ? 0 : rate / server) + used,
			.step = s->step,
			.room = 1u << 20,
		};
		if (by == FLOW_RAW)
			t[j].cost = s->alpha * 100 * rate / link + rate +
				    w->seen_used[j] * 1024;
	}
	for (uint32_t i = 0; ours && i < w->servers; i++)
		add_ours(w, i, mean, t);
}

static void remember(struct world *w, uint32_t j, double megabytes)
{
	if (w->n_placed == PLACED)
		ost_die("too many stripes");
	w->placed[(w->placed_first + w->n_placed++) % PLACED] =
		(struct placed){j, w->now};
	w->when[j] += w->now;
	w->count[j]++;
	w->queue[j] += megabytes;
}

static void forget(struct world *w)
{
	struct placed *p;

	for (; w->n_placed > 0; w->n_placed--) {
		p = &w->placed[w->placed_first];
		if (p->when >= w->now - SLU_RECENT_PLACEMENTS_SECONDS)
			break;
		w->count[p->j]--;
		w->when[p->j] -= p->when;
		w->placed_first = (w->placed_first + 1) % PLACED;
	}
}

static void solve(struct world *w, enum ost_allocator by,
		  const struct request *r, uint32_t n, uint32_t *chosen)
{
	static struct slu_place_target target[OST_TARGETS];
	static uint32_t stripes[REQUESTS];
	struct slu_place_problem p = {target, w->m, stripes, n, by == OURS};
	struct slu_place_solution s;
	struct slu_flow_place *place;

	for (uint32_t i = 0; i < n; i++)
		stripes[i] = r[i].stripes;
	fill_targets(w, by, target);
	place = slu_place_setup(&p, NULL);
	if (!place)
		ost_die("no memory");
	slu_place_solve(place, &s);
	for (uint32_t i = 0; i < n; i++)
		memcpy(chosen + (size_t)i * MOST, s.chosen + s.first[i],
		       s.got[i] * sizeof(*chosen));
	slu_place_free(place);
}

#define CHEAPER 0.75 /* share of the targets */

static int by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The cost of the n-th cheapest target. */
static double nth_cost(const struct slu_place_target *t, uint32_t m, uint32_t n)
{
	static double cost[OST_TARGETS];

	for (uint32_t j = 0; j < m; j++)
		cost[j] = t[j].cost;
	qsort(cost, m, sizeof(*cost), by_number);
	return cost[n - 1];
}

/* Lists the targets in the strategy's order of adjacency; returns their number.
 */
static uint32_t neighbours(const struct world *w, enum ost_allocator by,
			   const struct slu_place_target *t, uint32_t width,
			   uint32_t *list)
{
	double most = INFINITY;
	uint32_t n = 0;

	if (by == NEAR_CHEAPER)
		most = nth_cost(t, w->m, (uint32_t)fmax(width, CHEAPER * w->m));
	for (uint32_t i = 0; i < w->m; i++) {
		uint32_t j = by == NEAR_NUMBERS ? i : ost_lustre_order(w, i);

		if (t[j].cost <= most)
			list[n++] = j;
	}
	return n;
}

/* Where the cheapest window begins; a sliding sum would accumulate errors. */
static uint32_t cheapest(const struct slu_place_target *t, const uint32_t *list,
			 uint32_t n, uint32_t width)
{
	double cost = 0, least = INFINITY;
	uint32_t best = 0;

	for (uint32_t k = 0; k < width; k++)
		cost += t[list[k]].cost;
	for (uint32_t i = 0; i < n; i++) {
		best = cost < least - 1e-9 ? i : best;
		least = fmin(cost, least);
		cost += t[list[(i + width) % n]].cost - t[list[i]].cost;
	}
	return best;
}

/* Places files one by one on adjacent targets. */
static void allocate_near(struct world *w, enum ost_allocator by,
			  const struct request *r, uint32_t n, uint32_t *chosen)
{
	static struct slu_place_target t[OST_TARGETS];
	static uint32_t list[OST_TARGETS];

	fill_targets(w, by, t);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t width = r[i].stripes;
		uint32_t m = neighbours(w, by, t, width, list);
		uint32_t first = cheapest(t, list, m, width);

		for (uint32_t k = 0; k < width; k++) {
			uint32_t j = list[(first + k) % m];

			chosen[(size_t)i * MOST + k] = j;
			t[j].cost += t[j].step;
		}
	}
}

/* As sluiced does: a query for each file. */
static void allocate_alike(struct world *w, enum ost_allocator by,
			   const struct request *r, uint32_t n,
			   uint32_t *chosen)
{
	static struct slu_place_target t[OST_TARGETS];
	static uint32_t server[OST_TARGETS];
	struct slu_place_alike p = {
		.target = t,
		.n_targets = w->m,
		.files = 1,
		.convex = true,
		.server = server,
		.n_servers = w->servers,
		.again = slu_ost_choose_defaults.same_server,
	};
	uint32_t got;
	double cost;

	for (uint32_t j = 0; j < w->m; j++)
		server[j] = j / w->per_server;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *out = chosen + (size_t)i * MOST;

		fill_targets(w, by, t);
		p.stripes = r[i].stripes;
		p.seed = 1 + slu_random(&w->dice, UINT32_MAX);
		if (slu_place_alike(&p, out, &got, &cost, NULL) ||
		    got < p.stripes)
			ost_die("no room");
		for (uint32_t k = 0; k < got; k++)
			remember(w, out[k], r[i].size / r[i].stripes);
	}
}

static double even = 1.03; /* times the mean */

void ost_take_even(double value)
{
	even = value;
}

/* Stripes go to the targets with the least weight. */
static double weight_of(const struct world *w, enum ost_allocator by,
			uint32_t j, double mean)
{
	uint32_t s = j / w->per_server;
	double all = w->hour_moved[s], used = w->used[j] + w->growing[j];

	if (by == EMPTIEST)
		return used;
	for (uint32_t k = 0; k < w->per_server; k++)
		all += w->coming[s * w->per_server + k];
	all += 1e-6 * w->coming[j]; /* ties: the idlest of its targets */
	return by == BOTH && used > even * mean ? 1e6 * used : all;
}

/* The index of the least weight, except the n in `out`. */
static uint32_t least_of(const double *weight, uint32_t m, const uint32_t *out,
			 uint32_t n)
{
	uint32_t best = m;

	for (uint32_t j = 0; j < m; j++) {
		bool taken = false;

		for (uint32_t k = 0; k < n; k++)
			taken = taken || out[k] == j;
		if (!taken && (best == m || weight[j] < weight[best]))
			best = j;
	}
	return best;
}

/* Places all files of this second stripe by stripe. */
static void allocate_least(struct world *w, enum ost_allocator by,
			   const struct request *r, uint32_t n,
			   uint32_t *chosen)
{
	static double weight[OST_TARGETS];
	uint32_t together = by == EMPTIEST ? 1 : w->per_server;
	double mean = 0;

	for (uint32_t j = 0; j < w->m; j++)
		mean += (w->used[j] + w->growing[j]) / w->m;
	for (uint32_t j = 0; j < w->m; j++)
		weight[j] = weight_of(w, by, j, mean);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *out = chosen + (size_t)i * MOST;

		for (uint32_t k = 0; k < r[i].stripes; k++) {
			out[k] = least_of(weight, w->m, out, k);
			for (uint32_t j = 0; j < together; j++)
				weight[out[k] / together * together + j] +=
					r[i].size / r[i].stripes;
		}
	}
}

void ost_allocate(struct world *w, enum ost_allocator by,
		  const struct request *r, uint32_t n, uint32_t *chosen)
{
	bool knows = by >= EMPTIEST && by <= BOTH;
	bool rival = ost_is_rival(by);
	bool remembers = by >= OURS && !rival && !knows;

	if (remembers) {
		forget(w);
		drain(w);
	}
	if (knows)
		allocate_least(w, by, r, n, chosen);
	else if (by >= SHIPPED)
		allocate_alike(w, by, r, n, chosen);
	else if (by >= NEAR_NUMBERS)
		allocate_near(w, by, r, n, chosen);
	else if (!rival)
		solve(w, by, r, n, chosen);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *out = chosen + (size_t)i * MOST;

		if (rival)
			ost_rival_allocate(w, by, r[i].stripes, out);
		for (uint32_t k = 0;
		     remembers && by < SHIPPED && k < r[i].stripes; k++)
			remember(w, out[k], r[i].size / r[i].stripes);
	}
}
