/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements the baseline allocators in the simulation of bench/ost, which know
 * nothing of load: Lustre's round-robin and QOS, as far as they matter here (no
 * random restart), variants of round-robin, and weighted random choice.
 */
#include "config.h"
#include "bench/ost_sim.h"

#include <math.h>
#include "tests/unit/random.h"

uint32_t ost_lustre_order(const struct world *w, uint32_t i)
{
	return i % w->servers * w->per_server + i / w->servers;
}

/* Lustre's order. After a round it begins one target later, unless the stripes
 * do that by themselves (lod_ost_alloc_rr). */
static void pick_robin(struct world *w, uint32_t n, uint32_t *out)
{
	if (w->robin > w->m) {
		w->robin %= w->m;
		w->robin_offset += n > 1 && w->m % n != 1;
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = (w->robin + w->robin_offset) % w->m;

		out[k] = ost_lustre_order(w, i);
		w->robin++;
	}
}

/* By target numbers: adjacent ones are mostly on one server. */
static void pick_numbers(struct world *w, uint32_t n, uint32_t *out)
{
	for (uint32_t k = 0; k < n; k++)
		out[k] = w->robin++ % w->m;
}

/* Shuffles blocks of adjacent targets in each round. */
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

/* A penalty halves every MAX_AGE, and is dropped after 32 of them. */
static double aged(const struct penalty *p, double now)
{
	double age = (now - p->used) / 8;

	if (age > 32 * MAX_AGE)
		return 0;
	return age > MAX_AGE ? p->now / exp2(floor(age / MAX_AGE)) : p->now;
}

/* The penalty of one use (ltd_qos_penalties_calc), from the free space of the
 * last statistics. */
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

/* Updates penalties after a choice: those of the target and its server grow,
 * the others' shrink a little (ltd_qos_update). */
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

/* Weighted random choice; weight 0 only if all weights are 0. */
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

/* Lustre: round-robin while free space differs by less than 17 %; else at
 * random, weighted by free space less penalties for recent use. */
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

/* Weighted by free space, among targets with more than 0.4 of it. */
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

static void (*const rivals[KINDS])(struct world *, uint32_t, uint32_t *) = {
	[ROUND_ROBIN] = pick_robin,	[QOS] = pick_qos,
	[RANDOM] = pick_random,		[ROBIN_NUMBERS] = pick_numbers,
	[ROBIN_SERVERS] = pick_servers, [ROBIN_TARGETS] = pick_targets,
};

bool ost_is_rival(enum ost_allocator by)
{
	return rivals[by];
}

void ost_rival_allocate(struct world *w, enum ost_allocator by, uint32_t n,
			uint32_t *out)
{
	rivals[by](w, n, out);
}
