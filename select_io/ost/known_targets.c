/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maintains the list of targets sorted by index; strings are borrowed from the
 * servers' documents. If a server reports the same targets as before, its rows
 * are replaced; any other change invalidates the list, and the next query
 * rebuilds it. So does the expiry of a metadata server's report that closes
 * targets.
 */
#include "config.h"
#include "select_io/ost/known_targets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "select_io/ost/target_costs.h"

struct slu_known_targets {
	struct slu_ost_choose_settings set;
	struct slu_osts list;	   /* recent and promised are 0 here */
	struct json_object *hosts; /* {NAME: number} */
	struct host {
		double came;
		uint32_t n;  /* its targets */
		size_t said; /* the same, with those that another said later */
		bool closes; /* those of others: a metadata server */
	} * host;
	size_t systems;
	double believed; /* expiry of the reports that close targets */
	bool stale, median_stale;
};

struct slu_known_targets *slu_known_targets_new(void)
{
	struct slu_known_targets *k = calloc(1, sizeof(*k));

	if (k)
		k->stale = true;
	return k;
}

static void clear(struct slu_known_targets *k)
{
	free(k->list.ost);
	free(k->host);
	json_object_put(k->hosts);
	*k = (struct slu_known_targets){.stale = true};
}

void slu_known_targets_free(struct slu_known_targets *k)
{
	if (k)
		clear(k);
	free(k);
}

static double came(struct json_object *document)
{
	double when = 0;

	slu_json_double_opt(document, "came", &when, NULL);
	return when;
}

static size_t said_targets(struct json_object *document)
{
	struct json_object *list = NULL;

	json_object_object_get_ex(document, "osts", &list);
	return json_object_is_type(list, json_type_array)
		       ? json_object_array_length(list)
		       : 0;
}

static bool closes(struct json_object *document)
{
	return json_object_object_get_ex(document, "closed", NULL);
}

static void number_hosts(struct slu_known_targets *k,
			 struct json_object *servers, double now)
{
	struct json_object_iter at;
	uint32_t n = 0;

	json_object_object_foreachC(servers, at)
	{
		k->host[n].came = came(at.val);
		k->host[n].closes = closes(at.val);
		k->host[n].said = said_targets(at.val);
		if (k->host[n].closes && now - k->host[n].came <= k->set.silent)
			k->believed = fmin(k->believed,
					   k->host[n].came + k->set.silent);
		slu_json_set_double(at.val, "age", now - k->host[n].came);
		json_object_object_add(k->hosts, at.key,
				       json_object_new_int64(n++));
	}
}

static int build(struct slu_known_targets *k,
		 const struct slu_ost_choose_settings *set,
		 struct json_object *servers,
		 struct slu_recent_placements *recent, double now,
		 struct slu_err *err)
{
	size_t n = (size_t)json_object_object_length(servers);

	clear(k);
	k->set = *set;
	k->believed = INFINITY;
	k->hosts = json_object_new_object();
	k->host = calloc(n + 1, sizeof(*k->host));
	if (!k->host || !k->hosts)
		return slu_err(err, SLU_NOMEM, "%zu servers", n);
	number_hosts(k, servers, now);
	if (slu_osts_take(set, &k->list, servers, err))
		return -1;
	slu_osts_sort(&k->list);
	k->systems = slu_osts_keep(&k->list, NULL);
	for (size_t i = 0; i < k->list.n; i++) {
		struct slu_ost *o = &k->list.ost[i];

		k->host[o->host].n++;
		/* as the recent placements say each time */
		o->recent = o->promised = o->waiting = 0;
		o->number = slu_recent_placements_number(recent, o->name);
	}
	k->stale = false;
	return 0;
}

/* The row of the same target and server; NULL: none. */
static struct slu_ost *row_of(const struct slu_known_targets *k,
			      const struct slu_ost *ost)
{
	size_t lo = 0, hi = k->list.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct slu_ost *row = &k->list.ost[mid];
		int order = slu_ost_order(ost, row);

		if (order == 0)
			return row->host == ost->host ? row : NULL;
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

/* False: the server has other targets than before. */
static bool replace(struct slu_known_targets *k, uint32_t host,
		    const struct slu_osts *fresh)
{
	struct slu_ost *row;

	for (size_t i = 0; i < fresh->n; i++) {
		struct slu_ost o = fresh->ost[i];

		row = row_of(k, &o);
		if (!row)
			return false;
		o.recent = o.promised = o.waiting = 0;
		o.number = row->number;
		o.server = row->server;
		o.closed = row->closed;
		*row = o;
	}
	k->median_stale = true;
	return fresh->n == k->host[host].n;
}

void slu_known_targets_said(struct slu_known_targets *k, const char *server,
			    struct json_object *document)
{
	struct slu_osts fresh = {0};
	struct json_object *v = NULL;
	uint32_t host;

	if (k->stale || !server ||
	    !json_object_object_get_ex(k->hosts, server, &v)) {
		k->stale = true;
		return;
	}
	host = (uint32_t)json_object_get_int64(v);
	fresh.n_hosts = host;
	k->stale =
		k->host[host].closes || closes(document) ||
		slu_osts_take_server(&k->set, &fresh, server, document, NULL) ||
		!replace(k, host, &fresh);
	k->host[host].came = came(document);
	k->host[host].said = said_targets(document);
	free(fresh.ost);
}

static bool same_settings(const struct slu_ost_choose_settings *a,
			  const struct slu_ost_choose_settings *b)
{
	return a->cost == b->cost && a->alpha == b->alpha && a->beta == b->beta;
}

/* How fast a target is, bytes a second. */
static double rate_of(const struct slu_known_targets *k)
{
	size_t servers = 0, targets = 0;
	double peak = 0;

	for (size_t i = 0; i < k->list.n; i++)
		peak = fmax(peak, k->list.ost[i].peak);
	for (uint32_t h = 0; h < k->list.n_hosts; h++) {
		servers += k->host[h].said > 0;
		targets += k->host[h].said;
	}
	return slu_recent_placements_rate(peak, servers, targets);
}

/* A copy of the list as it is now, whose costs can be changed. */
static int copy(struct slu_known_targets *k,
		struct slu_recent_placements *recent, double now,
		struct slu_osts *list, struct slu_err *err)
{
	const double rate = rate_of(k);

	if (k->median_stale)
		k->list.median_io = slu_osts_median_io(&k->list);
	k->median_stale = false;
	*list = k->list;
	list->ost = malloc((list->n + 1) * sizeof(*list->ost));
	if (!list->ost)
		return slu_err(err, SLU_NOMEM, "%zu targets", list->n);
	for (size_t i = 0; i < list->n; i++) {
		struct slu_ost *o = &list->ost[i];

		*o = k->list.ost[i];
		o->age = now - k->host[o->host].came;
		if (o->number == SLU_RECENT_NONE)
			continue;
		slu_recent_placements_of(recent, o->number, now, &o->recent,
					 &o->promised);
		o->waiting = slu_recent_placements_waits(recent, o->number, now,
							 rate);
	}
	return 0;
}

/* Keeps only the targets of one file system, if there are several or another
 * one is asked for. */
static size_t keep(const struct slu_known_targets *k, struct slu_osts *list,
		   const char *fsname)
{
	size_t systems;

	if (!fsname)
		return k->systems;
	systems = slu_osts_keep(list, fsname);
	if (list->n < k->list.n)
		list->median_io = slu_osts_median_io(list);
	return systems;
}

static void tell(const struct slu_osts *list, const uint32_t *count,
		 struct json_object *answer,
		 struct slu_recent_placements *recent, uint32_t uid, double now)
{
	uint32_t *number = calloc(2 * list->n + 1, sizeof(*number));
	struct slu_placed_stripes placed = {.number = number,
					    .stripes = number + list->n};
	double bytes = 0;

	if (!number)
		return;
	slu_json_double_opt(answer, "stripe_bytes", &bytes, NULL);
	placed.kib = bytes / 1024;
	for (size_t i = 0; i < list->n; i++) {
		placed.available += list->ost[i].available;
		if (count[i] == 0)
			continue;
		number[placed.n] = list->ost[i].number;
		number[list->n + placed.n++] = count[i];
	}
	slu_recent_placements_placed(recent, &placed, uid, now);
	free(number);
}

int slu_known_targets_place(struct slu_known_targets *k,
			    struct json_object *servers,
			    struct slu_recent_placements *recent,
			    const struct slu_known_ask *ask, double now,
			    struct json_object **out, struct slu_err *err)
{
	struct slu_osts list = {0};
	uint32_t *count = NULL;
	size_t systems;
	int rc;

	if ((k->stale || now > k->believed ||
	     !same_settings(&k->set, ask->settings)) &&
	    build(k, ask->settings, servers, recent, now, err))
		return -1;
	slu_recent_placements_forget(recent, now);
	if (copy(k, recent, now, &list, err))
		return -1;
	systems = keep(k, &list, ask->request->fsname);
	count = calloc(list.n + 1, sizeof(*count));
	rc = count ? slu_ost_choose_among(ask->settings, &list, systems,
					  ask->request, true, count, out, err)
		   : slu_err(err, SLU_NOMEM, "%zu targets", list.n);
	if (rc == 0 && !ask->dry)
		tell(&list, count, *out, recent, ask->uid, now);
	free(count);
	free(list.ost);
	return rc;
}
