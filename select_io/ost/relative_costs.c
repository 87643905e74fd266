/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds to the cost of each target what it costs compared with the others: how
 * busy its server is beside the busiest, and how much fuller than the mean
 * target and server are.
 */
#include "config.h"
#include "select_io/ost/target_costs.h"

#include <math.h>
#include <stdlib.h>

#define QUIET 1e7 /* bytes a second of a server */

static double used(const struct slu_ost *o)
{
	return 1 - o->available / o->total;
}

/* The mean over targets that are not left out. */
static double mean_used(const struct slu_osts *list)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (!list->ost[i].left_out) {
			sum += used(&list->ost[i]);
			n++;
		}
	return n > 0 ? sum / (double)n : 1;
}

/* The mean over targets whose server reports it. */
static double mean_moved(const struct slu_osts *list)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->ost[i].moved >= 0) {
			sum += list->ost[i].moved;
			n++;
		}
	return n > 0 ? sum / (double)n : 0;
}

double slu_ost_excess(const struct slu_ost_choose_settings *s, double used,
		      double mean)
{
	double above = fmax(0, used - (1 + s->even) * mean);

	if (above == 0)
		return 0;
	return s->excess * above +
	       fmin(s->uneven_most, s->uneven * above / mean);
}

double slu_ost_balance(const struct slu_ost_choose_settings *s, double moved,
		       double peak)
{
	return s->balance * fmin(1, moved / fmax(peak, QUIET));
}

double slu_ost_busy(const struct slu_ost_choose_settings *s, double moved,
		    double peak)
{
	double load = fmin(1, moved / fmax(peak, QUIET));

	return s->busy + s->busier * load * load;
}

/* The highest of each kind. */
struct highest {
	double network, traffic, peak;
};

static struct highest find_highest(const struct slu_osts *list)
{
	struct highest h = {0};

	for (size_t i = 0; i < list->n; i++) {
		const struct slu_ost *o = &list->ost[i];

		h.network = fmax(h.network, o->network);
		/* An older server does not say its peak. */
		h.peak = fmax(h.peak, fmax(o->peak, o->moved));
		h.traffic = fmax(h.traffic, o->traffic);
	}
	return h;
}

/* The mean of what a server's targets have. */
struct server {
	double used, waiting;
	uint32_t usable, targets;
};

static struct server *find_servers(const struct slu_osts *list)
{
	struct server *all = calloc(list->n_hosts + 1, sizeof(*all));

	for (size_t i = 0; all && i < list->n; i++) {
		const struct slu_ost *o = &list->ost[i];
		struct server *s = &all[o->host];

		s->waiting += (o->waiting - s->waiting) / ++s->targets;
		if (!o->left_out)
			s->used += (used(o) - s->used) / ++s->usable;
	}
	return all;
}

/* What the paper's cost does not have. */
static double added_cost(const struct slu_ost_choose_settings *s,
			 const struct slu_ost *o, const struct server *server,
			 const struct highest *h, double mean, double moved)
{
	const double most = fmax(fmax(h->peak, h->network), QUIET);

	return s->load * o->network / most +
	       (h->traffic > 0 ? slu_ost_busy(s, moved, h->peak) * o->traffic /
					 h->traffic
			       : 0) +
	       s->target_space * slu_ost_excess(s, used(o), mean) +
	       s->server_space * slu_ost_excess(s, server->used, mean) +
	       slu_ost_balance(s, o->moved >= 0 ? o->moved : moved, h->peak) +
	       s->target_waits * o->waiting + s->server_waits * server->waiting;
}

static void compare_convex(const struct slu_ost_choose_settings *s,
			   struct slu_osts *list, const struct server *server)
{
	const struct highest h = find_highest(list);
	const double mean = mean_used(list), moved = mean_moved(list);

	for (size_t i = 0; i < list->n; i++) {
		struct slu_ost *o = &list->ost[i];

		o->cost += added_cost(s, o, &server[o->host], &h, mean, moved);
	}
}

int slu_osts_compare(const struct slu_ost_choose_settings *s,
		     struct slu_osts *list, struct slu_err *err)
{
	const double network = find_highest(list).network;
	struct server *server;

	if (s->cost == SLU_OST_CONVEX) {
		server = find_servers(list);
		if (!server)
			return slu_err(err, SLU_NOMEM, "%u servers",
				       list->n_hosts);
		compare_convex(s, list, server);
		free(server);
	}
	for (size_t i = 0; s->cost == SLU_OST_LINEAR && i < list->n; i++)
		if (network > 0)
			list->ost[i].cost += list->ost[i].network / network;
	return 0;
}
