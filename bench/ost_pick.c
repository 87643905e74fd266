/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who chooses the targets of new files. */
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

/* The target in a place of Lustre's order (lod_qos_calc_rr): each server's lie
 * as far from each other as they can. */
static uint32_t lustre_order(const struct world *w, uint32_t i)
{
	return i % w->servers * w->per_server + i / w->servers;
}

/* In that order. After a round that a stripe count divides it begins one
 * further (lod_ost_alloc_rr). */
static void pick_robin(struct world *w, uint32_t n, uint32_t *out)
{
	if (w->robin > w->m) {
		w->robin %= w->m;
		w->robin_offset += n > 1 && w->m % n != 1;
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = (w->robin + w->robin_offset) % w->m;

		out[k] = lustre_order(w, i);
		w->robin++;
	}
}

/* Neighbours by their numbers are mostly of one server. */
static void pick_numbers(struct world *w, uint32_t n, uint32_t *out)
{
	for (uint32_t k = 0; k < n; k++)
		out[k] = w->robin++ % w->m;
}

/* In a new order each round; what is shuffled are blocks of neighbours. */
static void pick_shuffled(struct world *w, uint32_t block, uint32_t n,
			  uint32_t *out)
{
	static uint32_t order[OST_TARGETS];

	for (uint32_t k = 0; k < n; k++) {
		uint32_t at = w->robin++ % w->m;

		for (uint32_t i = 0; at == 0 && i < w->m / block; i++) {
			uint32_t other = (uint32_t)slu_random(&w->dice, i + 1);

			order[i] = order[other];
			order[other] = i;
		}
		out[k] = order[at / block] * block + at % block;
	}
}

static void pick_servers(struct world *w, uint32_t n, uint32_t *out)
{
	pick_shuffled(w, w->per_server, n, out);
}

static void pick_targets(struct world *w, uint32_t n, uint32_t *out)
{
	pick_shuffled(w, 1, n, out);
}

#define PRIO_WIDE (24 / 256.0) /* qos_prio_free is 91 % */
#define MAX_AGE	  5.0	       /* qos_maxage, seconds */

/* A penalty halves with each MAX_AGE, and is none after 32 of them. */
static double aged(const struct penalty *p, double now)
{
	double age = (now - p->used) / 8;

	if (age > 32 * MAX_AGE)
		return 0;
	return age > MAX_AGE ? p->now / exp2(floor(age / MAX_AGE)) : p->now;
}

/* What one use costs (ltd_qos_penalties_calc), from the free space that the
 * statistics have said. */
static void set_penalties(struct world *w)
{
	double others = fmax(1, w->m - 1.0);

	if (w->qos_seen == w->seen_time)
		return;
	w->qos_seen = w->seen_time;
	for (uint32_t i = 0; i < w->servers; i++)
		w->server_penalty[i].each = 0;
	for (uint32_t j = 0; j < w->m; j++) {
		double room = MEGABYTES - w->seen_used[j];
		struct penalty *p = &w->penalty[j];
		struct penalty *s = &w->server_penalty[j / w->per_server];

		p->each = PRIO_WIDE * room / others / 2;
		p->now = aged(p, w->now);
		s->each += PRIO_WIDE * room / w->per_server /
			   fmax(1, w->servers - 1.0) / 2;
	}
	for (uint32_t i = 0; i < w->servers; i++)
		w->server_penalty[i].now = aged(&w->server_penalty[i], w->now);
}

static void lower(struct penalty *p)
{
	p->now = fmax(0, p->now - p->each);
}

/* This one was chosen: it and its server have got dearer, the others a little
 * less so (ltd_qos_update). */
static void use(struct world *w, uint32_t j)
{
	struct penalty *p = &w->penalty[j];
	struct penalty *s = &w->server_penalty[j / w->per_server];

	p->used = s->used = w->now;
	p->now = p->now / 2 + p->each * w->m;
	s->now = s->now / 2 + s->each * w->servers;
	for (uint32_t i = 0; i < w->m; i++)
		lower(&w->penalty[i]);
	for (uint32_t i = 0; i < w->servers; i++)
		lower(&w->server_penalty[i]);
}

static double qos_weight(const struct world *w, uint32_t j)
{
	return fmax(0, MEGABYTES - w->seen_used[j] - w->penalty[j].now -
			       w->server_penalty[j / w->per_server].now);
}

/* One at random, by weight; not one of weight 0 unless all are. */
static uint32_t draw(struct world *w, const double *weight)
{
	uint32_t last = 0, m = w->m;
	double sum = 0;

	for (uint32_t j = 0; j < m; j++)
		sum += weight[j];
	sum *= (double)slu_random(&w->dice, UINT64_C(1) << 53) * 0x1p-53;
	for (uint32_t j = 0; j < m; j++) {
		if (weight[j] <= 0)
			continue;
		last = j;
		sum -= weight[j];
		if (sum < 0)
			break;
	}
	return last;
}

/* Lustre: round-robin while the targets differ by less than 17 %; else at
 * random, weighted by free space less the penalties of what was just used. */
static void pick_qos(struct world *w, uint32_t n, uint32_t *out)
{
	static double weight[OST_TARGETS];
	double least = INFINITY, most = 0;

	for (uint32_t j = 0; j < w->m; j++) {
		least = fmin(least, MEGABYTES - w->seen_used[j]);
		most = fmax(most, MEGABYTES - w->seen_used[j]);
	}
	if ((most - least) / most < 0.17) {
		pick_robin(w, n, out);
		return;
	}
	set_penalties(w);
	for (uint32_t k = 0; k < n; k++) {
		for (uint32_t j = 0; j < w->m; j++)
			weight[j] = qos_weight(w, j);
		for (uint32_t i = 0; i < k; i++)
			weight[out[i]] = 0;
		out[k] = draw(w, weight);
		use(w, out[k]);
	}
}

/* By free space, of those with more than 0.4 of it. */
static void pick_random(struct world *w, uint32_t n, uint32_t *out)
{
	static double weight[OST_TARGETS];

	for (uint32_t j = 0; j < w->m; j++)
		weight[j] = w->seen_used[j] > 0.6 * MEGABYTES
				    ? 1e-6
				    : MEGABYTES - w->seen_used[j];
	for (uint32_t k = 0; k < n; k++) {
		out[k] = draw(w, weight);
		weight[out[k]] = 0;
	}
}

static double largest(const double *v, uint32_t n)
{
	double most = 1e-9;

	for (uint32_t i = 0; i < n; i++)
		most = fmax(most, v[i]);
	return most;
}

/* Each stripe counts 1 - age / SLU_RECENT_PLACEMENTS_SECONDS. */
static double recent(const struct world *w, uint32_t j)
{
	return w->count[j] - (w->now * w->count[j] - w->when[j]) /
				     SLU_RECENT_PLACEMENTS_SECONDS;
}

static double moved_cost(const struct world *w, uint32_t server)
{
	double peak = 0;

	if (!slu_ost_moved_known(&w->seen_moved[server]))
		return 0;
	for (uint32_t i = 0; i < w->servers; i++)
		peak = fmax(peak, w->seen_moved[i].peak);
	return slu_ost_balance(&slu_ost_choose_defaults,
			       1e6 * w->seen_moved[server].mean, 1e6 * peak);
}

/* The costs of choose.h; the paper's have neither a target's traffic nor its
 * use above the mean, nor what was placed a moment ago. A server's processor is
 * as busy as its network; memory is the same everywhere. */
static void fill_targets(const struct world *w, enum ost_who who,
			 struct slu_place_target *t)
{
	const struct slu_ost_choose_settings *s = &slu_ost_choose_defaults;
	double link = LINK * SPEED * w->per_server, mean = 0;
	double server = largest(w->seen_server_rate, w->servers);
	double target = largest(w->seen_rate, w->m);
	bool ours = who >= OURS;

	for (uint32_t j = 0; j < w->m; j++)
		mean += w->seen_used[j] / w->m / MEGABYTES;
	for (uint32_t j = 0; j < w->m; j++) {
		double rate = w->seen_server_rate[j / w->per_server];
		double used = w->seen_used[j] / MEGABYTES;

		t[j] = (struct slu_place_target){
			.cost = s->alpha * rate / link +
				(ours ? s->network : 1) * rate / server + used,
			.step = s->step,
			.room = 1u << 20,
		};
		if (who == FLOW_RAW)
			t[j].cost = s->alpha * 100 * rate / link + rate +
				    w->seen_used[j] * 1024;
		if (ours)
			t[j].cost += s->busy * w->seen_rate[j] / target +
				     slu_ost_excess(s, used, mean) +
				     moved_cost(w, j / w->per_server) +
				     s->step * recent(w, j);
	}
}

static void remember(struct world *w, uint32_t j)
{
	if (w->n_placed == PLACED)
		ost_die("too many stripes");
	w->placed[(w->placed_first + w->n_placed++) % PLACED] =
		(struct placed){j, w->now};
	w->when[j] += w->now;
	w->count[j]++;
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

static void solve(struct world *w, enum ost_who who, const struct request *r,
		  uint32_t n, uint32_t *chosen)
{
	static struct slu_place_target target[OST_TARGETS];
	static uint32_t stripes[REQUESTS];
	struct slu_place_problem p = {target, w->m, stripes, n, who == OURS};
	struct slu_place_solution s;
	struct slu_place *place;

	for (uint32_t i = 0; i < n; i++)
		stripes[i] = r[i].stripes;
	fill_targets(w, who, target);
	place = slu_place_setup(&p, NULL);
	if (!place)
		ost_die("no memory");
	slu_place_solve(place, &s);
	for (uint32_t i = 0; i < n; i++)
		memcpy(chosen + (size_t)i * MOST, s.chosen + s.first[i],
		       s.got[i] * sizeof(*chosen));
	slu_place_free(place);
}

#define CHEAPER 0.75 /* of the targets */

static int by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* What the last of so many costs, the cheapest first. */
static double nth_cost(const struct slu_place_target *t, uint32_t m, uint32_t n)
{
	static double cost[OST_TARGETS];

	for (uint32_t j = 0; j < m; j++)
		cost[j] = t[j].cost;
	qsort(cost, m, sizeof(*cost), by_number);
	return cost[n - 1];
}

/* The targets to be neighbours, in their order; returns how many. */
static uint32_t neighbours(const struct world *w, enum ost_who who,
			   const struct slu_place_target *t, uint32_t width,
			   uint32_t *list)
{
	double most = INFINITY;
	uint32_t n = 0;

	if (who == NEAR_CHEAPER)
		most = nth_cost(t, w->m, (uint32_t)fmax(width, CHEAPER * w->m));
	for (uint32_t i = 0; i < w->m; i++) {
		uint32_t j = who == NEAR_NUMBERS ? i : lustre_order(w, i);

		if (t[j].cost <= most)
			list[n++] = j;
	}
	return n;
}

/* Where the cheapest window of so many begins; a sliding sum is not exact. */
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

/* One file after the other, on as many neighbours as it has stripes. */
static void pick_near(struct world *w, enum ost_who who,
		      const struct request *r, uint32_t n, uint32_t *chosen)
{
	static struct slu_place_target t[OST_TARGETS];
	static uint32_t list[OST_TARGETS];

	fill_targets(w, who, t);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t width = r[i].stripes;
		uint32_t m = neighbours(w, who, t, width, list);
		uint32_t first = cheapest(t, list, m, width);

		for (uint32_t k = 0; k < width; k++) {
			uint32_t j = list[(first + k) % m];

			chosen[(size_t)i * MOST + k] = j;
			t[j].cost += t[j].step;
		}
	}
}

static double even = 1.03; /* times the mean */

void ost_take_even(double value)
{
	even = value;
}

/* What stripes shall go to the least of. */
static double weight_of(const struct world *w, enum ost_who who, uint32_t j,
			double mean)
{
	uint32_t s = j / w->per_server;
	double all = w->hour_moved[s], used = w->used[j] + w->growing[j];

	if (who == EMPTIEST)
		return used;
	for (uint32_t k = 0; k < w->per_server; k++)
		all += w->coming[s * w->per_server + k];
	all += 1e-6 * w->coming[j]; /* the idlest of its targets */
	return who == BOTH && used > even * mean ? 1e6 * used : all;
}

/* The index of the least; none of the n in `out`. */
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

/* One stripe after the other, of all files of this second. */
static void pick_least(struct world *w, enum ost_who who,
		       const struct request *r, uint32_t n, uint32_t *chosen)
{
	static double weight[OST_TARGETS];
	uint32_t together = who == EMPTIEST ? 1 : w->per_server;
	double mean = 0;

	for (uint32_t j = 0; j < w->m; j++)
		mean += (w->used[j] + w->growing[j]) / w->m;
	for (uint32_t j = 0; j < w->m; j++)
		weight[j] = weight_of(w, who, j, mean);
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

void ost_pick(struct world *w, enum ost_who who, const struct request *r,
	      uint32_t n, uint32_t *chosen)
{
	static void (*const simple[])(struct world *, uint32_t, uint32_t *) = {
		[ROUND_ROBIN] = pick_robin,
		[QOS] = pick_qos,
		[RANDOM] = pick_random,
		[ROBIN_NUMBERS] = pick_numbers,
		[ROBIN_SERVERS] = pick_servers,
		[ROBIN_TARGETS] = pick_targets,
		[KINDS] = NULL,
	};

	bool knows = who >= EMPTIEST && who <= BOTH;
	bool remembers = who >= OURS && !simple[who] && !knows;

	if (remembers)
		forget(w);
	if (knows)
		pick_least(w, who, r, n, chosen);
	else if (who >= NEAR_NUMBERS)
		pick_near(w, who, r, n, chosen);
	else if (!simple[who])
		solve(w, who, r, n, chosen);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *out = chosen + (size_t)i * MOST;

		if (simple[who])
			simple[who](w, r[i].stripes, out);
		for (uint32_t k = 0; remembers && k < r[i].stripes; k++)
			remember(w, out[k]);
	}
}
