/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Costs, exclusions, and the placement of one file. */
#include "config.h"
#include "select_io/ost/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "select_io/ost/place.h"

#define STRIPES_MAX 2000 /* of a file in Lustre */
#define FILES_MAX   100000

const struct slu_ost_choose_settings slu_ost_choose_defaults = {
	.alpha = 0.5,
	.beta = 0.5,
	.step = 0.1,
	.min_free = 0.05,
	.slow = 3,
	.silent = 30,
};

struct ost {
	const char *name, *server, *state;
	uint64_t index;
	double total, available, io_ms; /* KiB; ms, < 0 unknown */
	double cost, network;
	double age;
	const char *left_out;
};

struct osts {
	struct ost *ost;
	size_t n, cap;
};

static int add(struct osts *list, const struct ost *ost, struct slu_err *err)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? 2 * list->cap : 64;
		struct ost *more = realloc(list->ost, cap * sizeof(*more));

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

/* One target of a server; false when it makes no sense. */
static bool take(struct json_object *obj, struct ost *ost)
{
	double index = number(obj, "index", -1);

	ost->name = NULL;
	ost->state = NULL;
	slu_json_str_opt(obj, "name", &ost->name, NULL);
	slu_json_str_opt(obj, "state", &ost->state, NULL);
	ost->total = number(obj, "total", 0);
	ost->available = number(obj, "available", -1);
	ost->io_ms = number(obj, "io_ms", -1);
	if (!ost->name || !(index >= 0 && index <= 65535) ||
	    !(ost->total > 0 && ost->available >= 0 &&
	      ost->available <= ost->total))
		return false;
	ost->index = (uint64_t)index;
	return true;
}

static double percent(struct json_object *obj, const char *key)
{
	double v = number(obj, key, 0);

	return v < 0 ? 0 : v > 100 ? 1 : v / 100;
}

/* The server's part of the cost, without the network. */
static int take_server(const struct slu_ost_choose_settings *s,
		       struct osts *list, const char *name,
		       struct json_object *obj, struct slu_err *err)
{
	struct json_object *targets = NULL;
	struct ost ost = {.server = name};
	double load = s->alpha * percent(obj, "cpu") +
		      s->beta * percent(obj, "memory");

	if (!json_object_is_type(obj, json_type_object) ||
	    !json_object_object_get_ex(obj, "osts", &targets) ||
	    !json_object_is_type(targets, json_type_array))
		return 0;
	ost.network = fmax(0, number(obj, "network", 0));
	ost.age = number(obj, "age", 0);
	for (size_t i = 0; i < json_object_array_length(targets); i++) {
		if (!take(json_object_array_get_idx(targets, i), &ost))
			continue;
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

/* Of those that know it; 0: nobody does. */
static double median_io(const struct osts *list)
{
	double *v = malloc((list->n + 1) * sizeof(*v)), m = 0;
	size_t n = 0;

	for (size_t i = 0; v && i < list->n; i++)
		if (list->ost[i].io_ms >= 0)
			v[n++] = list->ost[i].io_ms;
	if (v && n > 0) {
		qsort(v, n, sizeof(*v), by_number);
		m = v[n / 2];
	}
	free(v);
	return m;
}

static int by_index(const void *a, const void *b)
{
	const struct ost *x = a, *y = b;

	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->age < y->age ? -1 : x->age > y->age;
}

static const char *reason(const struct slu_ost_choose_settings *s,
			  const struct ost *o, double median, double kib)
{
	if (o->age > s->silent)
		return "its server is silent";
	if (o->state)
		return o->state;
	if (o->available < kib || o->available < s->min_free * o->total)
		return "full";
	if (median > 0 && o->io_ms > s->slow * median)
		return "slow";
	return NULL;
}

/* A target that was moved to another server is said by two: the last to speak
 * is right. */
static void finish(const struct slu_ost_choose_settings *s, struct osts *list,
		   double kib)
{
	double median = median_io(list), busiest = 0;
	size_t n = 0;

	if (list->n == 0)
		return;
	qsort(list->ost, list->n, sizeof(*list->ost), by_index);
	for (size_t i = 0; i < list->n; i++)
		if (n == 0 || list->ost[n - 1].index != list->ost[i].index)
			list->ost[n++] = list->ost[i];
	list->n = n;
	for (size_t i = 0; i < n; i++)
		busiest = fmax(busiest, list->ost[i].network);
	for (size_t i = 0; i < n; i++) {
		struct ost *o = &list->ost[i];

		if (busiest > 0)
			o->cost += o->network / busiest;
		o->left_out = reason(s, o, median, kib);
	}
}

static struct json_object *ost_json(const struct ost *o)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "name", o->name);
	slu_json_set_u64(obj, "index", o->index);
	slu_json_set_str(obj, "server", o->server);
	slu_json_set_double(obj, "cost", rint(o->cost * 1000) / 1000);
	slu_json_set_u64(obj, "total", (uint64_t)o->total * 1024);
	slu_json_set_u64(obj, "available", (uint64_t)o->available * 1024);
	slu_json_set_str(obj, "left_out", o->left_out);
	return obj;
}

/* "lfs setstripe -c 3 -o 0,2,5" */
static void add_file(const struct osts *list, const uint32_t *chosen,
		     uint32_t n, struct json_object *files,
		     struct json_object *commands)
{
	struct json_object *indexes = json_object_new_array();
	struct slu_buf text = {0};

	slu_buf_printf(&text, "lfs setstripe -c %u -o ", n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t index = list->ost[chosen[i]].index;

		json_object_array_add(indexes, json_object_new_int((int)index));
		slu_buf_printf(&text, "%s%lu", i ? "," : "", index);
	}
	json_object_array_add(files, indexes);
	if (n > 0)
		json_object_array_add(commands,
				      json_object_new_string(text.data));
	slu_buf_free(&text);
}

/* Stripes that fit on a target. */
static uint32_t room(const struct ost *o, double kib, uint32_t files)
{
	double fit = kib > 0 ? floor(o->available / kib) : files;

	if (o->left_out)
		return 0;
	return fit < files ? (uint32_t)fit : files;
}

static int solve(const struct osts *list, const struct slu_place_problem *p,
		 struct json_object *out, struct slu_err *err)
{
	struct json_object *files = json_object_new_array();
	struct json_object *commands = json_object_new_array();
	struct slu_place *place = slu_place_setup(p, err);
	struct slu_place_solution s = {0};

	if (place)
		slu_place_solve(place, &s);
	for (uint32_t i = 0; place && i < p->n_requests; i++)
		add_file(list, s.chosen + s.first[i], s.got[i], files,
			 commands);
	json_object_object_add(out, "files", files);
	json_object_object_add(out, "commands", commands);
	slu_json_set_u64(out, "missing", s.wanted - s.placed);
	slu_place_free(place);
	return place ? 0 : -1;
}

static int place(const struct slu_ost_choose_settings *s,
		 const struct osts *list,
		 const struct slu_ost_choose_request *r, double kib,
		 struct json_object *out, struct slu_err *err)
{
	uint32_t files = r->files ? r->files : 1;
	struct slu_place_target *target = calloc(list->n + 1, sizeof(*target));
	uint32_t *stripes = calloc(files, sizeof(*stripes));
	struct slu_place_problem p = {
		.target = target,
		.n_targets = (uint32_t)list->n,
		.stripes = stripes,
		.n_requests = files,
		.convex = true,
	};
	int ret = target && stripes ? 0 : slu_err(err, SLU_NOMEM, "targets");

	for (size_t i = 0; ret == 0 && i < list->n; i++)
		target[i] = (struct slu_place_target){
			.cost = list->ost[i].cost,
			.step = s->step,
			.room = room(&list->ost[i], kib, files),
		};
	for (uint32_t i = 0; ret == 0 && i < files; i++)
		stripes[i] = r->stripes;
	if (ret == 0)
		ret = solve(list, &p, out, err);
	free(target);
	free(stripes);
	return ret;
}

static int take_all(const struct slu_ost_choose_settings *s, struct osts *list,
		    struct json_object *servers, struct slu_err *err)
{
	json_object_object_foreach(
		servers, name,
		server) if (take_server(s, list, name, server, err)) return -1;
	return 0;
}

int slu_ost_choose(const struct slu_ost_choose_settings *s,
		   struct json_object *servers,
		   const struct slu_ost_choose_request *r,
		   struct json_object **out, struct slu_err *err)
{
	double kib = r->stripes ? ceil((double)r->size / r->stripes / 1024) : 0;
	struct json_object *answer, *rows;
	struct osts list = {0};
	int ret;

	if (r->stripes > STRIPES_MAX || r->files > FILES_MAX)
		return slu_err(err, SLU_INVALID,
			       "at most %d files of %d stripes at once",
			       FILES_MAX, STRIPES_MAX);
	ret = take_all(s, &list, servers, err);
	answer = json_object_new_object();
	rows = json_object_new_array();
	json_object_object_add(answer, "osts", rows);
	if (ret == 0)
		finish(s, &list, kib);
	for (size_t i = 0; ret == 0 && i < list.n; i++)
		json_object_array_add(rows, ost_json(&list.ost[i]));
	if (ret == 0 && r->stripes > 0)
		ret = place(s, &list, r, kib, answer, err);
	free(list.ost);
	if (ret)
		json_object_put(answer);
	else
		*out = answer;
	return ret;
}
