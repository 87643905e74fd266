/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the targets from the servers' reports, each with the cost that it has
 * by itself, and decides which are left out. What a target costs compared with
 * the others is added in relative_costs.c.
 */
#include "config.h"
#include "select_io/ost/target_costs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "select_io/ost/recent_placements.h"

/* Larger values are implausible: KiB of a target, bytes a second. */
#define KIB_MAX	 0x1p53
#define RATE_MAX 0x1p63

static int add(struct slu_osts *list, const struct slu_ost *ost,
	       struct slu_err *err)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		struct slu_ost *more = realloc(list->ost, cap * sizeof(*more));

		if (!more)
			return slu_err(err, SLU_NOMEM, "%zu targets", cap);
		list->ost = more;
		list->cap = cap;
	}
	list->ost[list->n++] = *ost;
	return 0;
}

static double number(struct json_object *obj, const char *key, double otherwise)
{
	slu_json_double_opt(obj, key, &otherwise, NULL);
	return otherwise;
}

/* false: not a number, or too large. */
static bool bounded(double v, double most)
{
	return v <= most;
}

/* One target of a server's report; false if it is implausible. */
static bool take(struct json_object *obj, struct slu_ost *ost)
{
	double index = number(obj, "index", -1);

	ost->name = NULL;
	ost->state = NULL;
	slu_json_str_opt(obj, "name", &ost->name, NULL);
	slu_json_str_opt(obj, "state", &ost->state, NULL);
	ost->total = number(obj, "total", 0);
	ost->available = number(obj, "available", -1);
	ost->io_ms = number(obj, "io_ms", -1);
	ost->recent = fmax(0, number(obj, "recent", 0));
	ost->promised = fmax(0, number(obj, "promised", 0));
	ost->waiting = fmax(0, number(obj, "waiting", 0));
	ost->traffic = fmax(0, number(obj, "read", 0)) +
		       fmax(0, number(obj, "write", 0));
	if (!ost->name || !(index >= 0 && index <= 65535) ||
	    !(ost->total > 0 && ost->available >= 0 &&
	      ost->available <= ost->total) ||
	    !bounded(ost->total, KIB_MAX) || !bounded(ost->promised, KIB_MAX) ||
	    !bounded(ost->recent, SLU_OST_RECENT_MAX) ||
	    !bounded(ost->waiting, SLU_RECENT_PLACEMENTS_SECONDS) ||
	    !bounded(ost->traffic, RATE_MAX) || !bounded(ost->io_ms, RATE_MAX))
		return false;
	ost->index = (uint64_t)index;
	return true;
}

uint32_t slu_ost_version(const char *text)
{
	unsigned major, minor;

	return sscanf(text, "%3u.%3u", &major, &minor) == 2
		       ? major * 1000 + minor
		       : 0;
}

static double percent(struct json_object *obj, const char *key)
{
	double v = number(obj, key, 0);

	return !(v > 0) ? 0 : v > 100 ? 1 : v / 100;
}

int slu_osts_take_server(const struct slu_ost_choose_settings *s,
			 struct slu_osts *list, const char *name,
			 struct json_object *obj, struct slu_err *err)
{
	struct json_object *targets = NULL;
	struct slu_ost ost = {.server = name, .host = list->n_hosts++};
	const char *version = "";
	double load = s->alpha * percent(obj, "cpu") +
		      s->beta * percent(obj, "memory");

	if (!json_object_is_type(obj, json_type_object) ||
	    !json_object_object_get_ex(obj, "osts", &targets) ||
	    !json_object_is_type(targets, json_type_array))
		return 0;
	slu_json_str_opt(obj, "lustre", &version, NULL);
	slu_json_str_opt(obj, "domain", &ost.domain, NULL);
	ost.version = slu_ost_version(version);
	ost.network = fmax(0, number(obj, "network", 0));
	ost.moved = number(obj, "moved", -1);
	ost.peak = number(obj, "peak", 0);
	ost.age = number(obj, "age", 0);
	if (!bounded(ost.network, RATE_MAX) || !bounded(ost.moved, RATE_MAX) ||
	    !bounded(ost.peak, RATE_MAX))
		return 0;
	for (size_t i = 0; i < json_object_array_length(targets); i++) {
		if (!take(json_object_array_get_idx(targets, i), &ost))
			continue;
		if (s->cost == SLU_OST_RAW)
			ost.cost = 100 * load + ost.network + ost.total -
				   ost.available;
		else
			ost.cost = load + 1 - ost.available / ost.total;
		if (add(list, &ost, err))
			return -1;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double slu_osts_median_io(const struct slu_osts *list)
{
	double *v = malloc((list->n + 1) * sizeof(*v)), m = 0;
	size_t n = 0;

	for (size_t i = 0; v && i < list->n; i++)
		if (list->ost[i].io_ms >= 0)
			v[n++] = list->ost[i].io_ms;
	if (v && n > 0) {
		qsort(v, n, sizeof(*v), by_number);
		m = v[(n - 1) / 2];
	}
	free(v);
	return m;
}

int slu_ost_order(const struct slu_ost *x, const struct slu_ost *y)
{
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_index(const void *a, const void *b)
{
	const struct slu_ost *x = a, *y = b;
	int same = slu_ost_order(x, y);

	if (same)
		return same;
	return x->age < y->age ? -1 : x->age > y->age;
}

static const char *reason(const struct slu_ost_choose_settings *s,
			  const struct slu_ost *o, double median, double kib)
{
	if (o->age > s->silent)
		return "its server has not reported";
	if (o->state)
		return o->state;
	if (o->closed)
		return o->closed;
	if (o->available < kib || o->available < s->min_free * o->total)
		return "full";
	if (median > 0 && o->io_ms > s->slow * median)
		return "slow";
	return NULL;
}

/* Collects the targets that a metadata server has closed. An outdated report is
 * ignored, since another one may serve the targets by now. */
static void add_closed(const struct slu_ost_choose_settings *s,
		       struct json_object *server, struct json_object *closed)
{
	struct json_object *list = NULL, *one;
	const char *name, *why;

	if (!json_object_is_type(server, json_type_object) ||
	    number(server, "age", 0) > s->silent ||
	    !json_object_object_get_ex(server, "closed", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		name = why = NULL;
		one = json_object_array_get_idx(list, i);
		slu_json_str_opt(one, "name", &name, NULL);
		slu_json_str_opt(one, "why", &why, NULL);
		if (name && why)
			json_object_object_add(
				closed, name,
				json_object_get(
					json_object_object_get(one, "why")));
	}
}

static void close_targets(const struct slu_ost_choose_settings *s,
			  struct slu_osts *list, struct json_object *servers)
{
	struct json_object *closed = json_object_new_object(), *why;
	struct json_object_iter at;

	json_object_object_foreachC(servers, at)
	{
		add_closed(s, at.val, closed);
	}
	for (size_t i = 0; i < list->n; i++)
		if (json_object_object_get_ex(closed, list->ost[i].name, &why))
			list->ost[i].closed = json_object_get_string(why);
	json_object_put(closed);
}

void slu_osts_apply_recent(const struct slu_ost_choose_settings *s,
			   struct slu_osts *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct slu_ost *o = &list->ost[i];

		if (s->cost == SLU_OST_CONVEX)
			o->cost += s->step * o->recent;
		o->available = fmax(0, o->available - o->promised);
	}
}

int slu_osts_take(const struct slu_ost_choose_settings *s,
		  struct slu_osts *list, struct json_object *servers,
		  struct slu_err *err)
{
	struct json_object_iter at;

	json_object_object_foreachC(servers, at)
	{
		if (slu_osts_take_server(s, list, at.key, at.val, err))
			return -1;
	}
	close_targets(s, list, servers);
	return 0;
}

/* The length of "scratch" in "scratch-OST0001". */
static size_t fsname_len(const struct slu_ost *o)
{
	const char *end = strstr(o->name, "-OST");

	return end ? (size_t)(end - o->name) : strlen(o->name);
}

size_t slu_osts_keep(struct slu_osts *list, const char *fsname)
{
	size_t kept = 0, others = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct slu_ost *o = &list->ost[i], *first = list->ost;
		size_t len = fsname_len(o);

		if (fsname &&
		    (strlen(fsname) != len || strncmp(o->name, fsname, len)))
			continue;
		others += !fsname && (fsname_len(first) != len ||
				      strncmp(first->name, o->name, len));
		list->ost[kept++] = *o;
	}
	list->n = kept;
	return others ? 2 : kept > 0;
}

void slu_osts_sort(struct slu_osts *list)
{
	size_t n = 0;

	if (list->n == 0)
		return;
	list->median_io = slu_osts_median_io(list);
	qsort(list->ost, list->n, sizeof(*list->ost), by_index);
	for (size_t i = 0; i < list->n; i++)
		if (n == 0 || strcmp(list->ost[n - 1].name, list->ost[i].name))
			list->ost[n++] = list->ost[i];
	list->n = n;
}

uint32_t slu_osts_leave_out(const struct slu_ost_choose_settings *s,
			    struct slu_osts *list, double kib)
{
	uint32_t usable = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct slu_ost *o = &list->ost[i];

		o->left_out = reason(s, o, list->median_io, kib);
		usable += !o->left_out;
	}
	return usable;
}

void slu_osts_leave_out_asked(struct slu_osts *list,
			      struct json_object *without)
{
	size_t n = json_object_is_type(without, json_type_array)
			   ? json_object_array_length(without)
			   : 0;

	for (size_t k = 0; k < n; k++) {
		int64_t index = json_object_get_int64(
			json_object_array_get_idx(without, k));

		for (size_t i = 0; i < list->n; i++)
			if ((int64_t)list->ost[i].index == index)
				list->ost[i].state = "the client cannot use "
						     "it";
	}
}

bool slu_osts_find_domains(const struct slu_osts *list, uint32_t *domain)
{
	struct json_object *known = json_object_new_object(), *v;
	bool any;

	for (uint32_t h = 0; h < list->n_hosts; h++)
		domain[h] = UINT32_MAX;
	for (size_t i = 0; i < list->n; i++) {
		const struct slu_ost *o = &list->ost[i];

		if (domain[o->host] != UINT32_MAX)
			continue;
		domain[o->host] = o->host;
		if (!o->domain)
			continue;
		if (json_object_object_get_ex(known, o->domain, &v))
			domain[o->host] = (uint32_t)json_object_get_int64(v);
		else
			json_object_object_add(known, o->domain,
					       json_object_new_int64(o->host));
	}
	for (uint32_t h = 0; h < list->n_hosts; h++)
		if (domain[h] == UINT32_MAX)
			domain[h] = h;
	any = json_object_object_length(known) > 0;
	json_object_put(known);
	return any;
}
