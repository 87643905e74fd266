/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who chooses the targets of new files. */
#include "config.h"
#include "bench/ost_sim.h"

#include <math.h>
#include <string.h>
#include "select_io/ost/choose.h"
#include "select_io/ost/memory.h"
#include "select_io/ost/place.h"

#define REQUESTS 2048
#define PLACED	 OST_PLACED

static void pick_robin(struct world *w, uint32_t n, uint32_t *out)
{
	for (uint32_t k = 0; k < n; k++)
		out[k] = w->robin++ % w->m;
}

/* Lustre: round-robin while the targets differ by less than 17 %; else at
 * random, weighted by free space, with a penalty for what was just used. */
static void pick_qos(struct world *w, uint32_t n, uint32_t *out)
{
	static double weight[OST_TARGETS];
	double least = INFINITY, most = 0, sum = 0;

	for (uint32_t j = 0; j < w->m; j++) {
		weight[j] = MEGABYTES - w->seen_used[j];
		least = fmin(least, weight[j]);
		most = fmax(most, weight[j]);
		sum += weight[j];
	}
	if ((most - least) / most < 0.17) {
		pick_robin(w, n, out);
		return;
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t j = 0;

		for (double at = ost_uniform() * sum; j + 1 < w->m; j++) {
			at -= weight[j];
			if (at < 0 && weight[j] > 0)
				break;
		}
		out[k] = j;
		sum -= weight[j];
		weight[j] = 0;
	}
}

static bool taken(const uint32_t *out, uint32_t k, uint32_t j)
{
	while (k-- > 0)
		if (out[k] == j)
			return true;
	return false;
}

static void pick_random(struct world *w, uint32_t n, uint32_t *out)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t j, tries = 0;

		do
			j = (uint32_t)ost_below(w->m);
		while ((taken(out, k, j) ||
			w->seen_used[j] > 0.6 * MEGABYTES) &&
		       tries++ < 1000);
		out[k] = j;
	}
}

static double largest(const double *v, uint32_t n)
{
	double most = 1e-9;

	for (uint32_t i = 0; i < n; i++)
		most = fmax(most, v[i]);
	return most;
}

/* Each stripe counts 1 - age / SLU_OST_MEMORY_SECONDS. */
static double recent(const struct world *w, uint32_t j)
{
	return w->count[j] -
	       (w->now * w->count[j] - w->when[j]) / SLU_OST_MEMORY_SECONDS;
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
static void fill_targets(const struct world *w, bool ours,
			 struct slu_place_target *t)
{
	const struct slu_ost_choose_settings *s = &slu_ost_choose_defaults;
	double link = LINK * SPEED * w->per_server, mean = 0;
	double server = largest(w->seen_server_rate, w->servers);
	double target = largest(w->seen_rate, w->m);

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
		if (p->when >= w->now - SLU_OST_MEMORY_SECONDS)
			break;
		w->count[p->j]--;
		w->when[p->j] -= p->when;
		w->placed_first = (w->placed_first + 1) % PLACED;
	}
}

static void solve(struct world *w, bool ours, const struct request *r,
		  uint32_t n, uint32_t *chosen)
{
	static struct slu_place_target target[OST_TARGETS];
	static uint32_t stripes[REQUESTS];
	struct slu_place_problem p = {target, w->m, stripes, n, ours};
	struct slu_place_solution s;
	struct slu_place *place;

	for (uint32_t i = 0; i < n; i++)
		stripes[i] = r[i].stripes;
	fill_targets(w, ours, target);
	place = slu_place_setup(&p, NULL);
	if (!place)
		ost_die("no memory");
	slu_place_solve(place, &s);
	for (uint32_t i = 0; i < n; i++)
		memcpy(chosen + (size_t)i * MOST, s.chosen + s.first[i],
		       s.got[i] * sizeof(*chosen));
	slu_place_free(place);
}

void ost_pick(struct world *w, enum ost_who who, const struct request *r,
	      uint32_t n, uint32_t *chosen)
{
	static void (*const simple[])(struct world *, uint32_t, uint32_t *) = {
		[ROUND_ROBIN] = pick_robin,
		[QOS] = pick_qos,
		[RANDOM] = pick_random,
	};

	forget(w);
	if (who >= FLOW)
		solve(w, who == OURS, r, n, chosen);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *out = chosen + (size_t)i * MOST;

		if (who < FLOW)
			simple[who](w, r[i].stripes, out);
		for (uint32_t k = 0; k < r[i].stripes; k++)
			remember(w, out[k]);
	}
}
