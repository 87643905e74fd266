/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places files on targets: solves the minimum-cost flow with the costs of
 * target_costs.h, or, when the request has a ranking, takes the targets in that
 * order without solving. choose_answer.h formats the result.
 */
#include "config.h"
#include "select_io/ost/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "select_io/flow/min_cost_flow.h"
#include "select_io/ost/choose_answer.h"
#include "select_io/ost/target_costs.h"

#define STRIPES_MAX  2000   /* of a file in Lustre */
#define FILES_MAX    65536  /* and stripes of all of them */
#define STRIPE_BYTES 0x1p30 /* where no size is said */

const struct slu_ost_choose_settings slu_ost_choose_defaults = {
	.alpha = 0.5,
	.beta = 0.5,
	.load = 3,
	.busy = 0.1,
	.busier = 1,
	.excess = 16,
	.uneven = 64,
	.uneven_most = 2,
	.even = 0.015,
	.target_space = 0.3,
	.server_space = 1,
	.balance = 15,
	.step = 0.3,
	.target_waits = 0.3,
	.server_waits = 3,
	.same_server = 5,
	.same_domain = 2.5,
	.min_free = 0.05,
	.slow = 3,
	.silent = 30,
};

/* Stripes of `kib` that fit on a target. */
static double fitting(const struct slu_ost *o, double kib)
{
	return o->left_out ? 0 : floor(o->available / kib);
}

/* Stripes of one request on a target: at most one for each of `most` files, so
 * more space than that makes no difference. */
static uint32_t room(const struct slu_ost *o, double kib, uint32_t most)
{
	double fit = kib > 0 ? fitting(o, kib) : o->left_out ? 0 : most;

	return fit < most ? (uint32_t)fit : most;
}

/* One problem: for the solver, or for the ranking. */
struct task {
	const struct slu_ost_choose_settings *s;
	const struct slu_ost_choose_request *r;
	const struct slu_osts *list;
	double kib;    /* of a stripe */
	uint32_t each; /* stripes of a file */
	uint32_t files, n;
	uint32_t whole; /* files for which all stripes can be placed */
	struct slu_place_target *target;
	uint32_t *stripes, *ahead, *chosen;
	bool *left_out;
	bool *too_far, *wide; /* predicted, see add_predicted() */
	uint32_t usable;
	struct json_object *obj_files, *commands; /* the last may be NULL */
	uint32_t *count; /* stripes of current files by target; or NULL */
};

static void task_free(struct task *t)
{
	free(t->target);
	free(t->stripes);
	free(t->ahead);
	free(t->chosen);
	free(t->left_out);
	free(t->too_far);
	free(t->wide);
}

/* The largest number of files for which all stripes can be placed, since a file
 * with fewer would be too small: by bisection with the Gale-Ryser condition
 * (min_cost_flow.h). */
static uint32_t whole_files(const struct task *t)
{
	uint32_t lo = 0, hi = t->files;

	if (t->kib <= 0)
		return hi;
	while (lo < hi) {
		uint32_t n = hi - (hi - lo) / 2;
		uint64_t sum = 0;

		for (size_t i = 0; i < t->list->n; i++)
			sum += t->target[i].room < n ? t->target[i].room : n;
		if (sum >= (uint64_t)n * t->each)
			lo = n;
		else
			hi = n - 1;
	}
	return lo;
}

/* The size of a stripe; an assumed one if none is given. */
static double unit_kib(const struct task *t)
{
	return t->kib > 0 ? t->kib : STRIPE_BYTES / 1024;
}

static void set_rooms(struct task *t, double kib)
{
	for (size_t i = 0; i < t->list->n; i++)
		t->target[i] = (struct slu_place_target){
			.cost = t->list->ost[i].cost,
			.step = t->s->step,
			.room = room(&t->list->ost[i], kib, t->n),
		};
}

/*
 * A predicted request that is wider than the file system has several stripes on
 * a target: it is not passed to the solver, as it fits anywhere if it fits at
 * all. It must fit together with all requests before it; after the first one
 * that does not, all are too far away.
 */
static void add_predicted(struct task *t, uint32_t whole)
{
	double kib = unit_kib(t), left = -(double)whole * t->each;

	for (size_t i = 0; i < t->list->n; i++)
		left += fitting(&t->list->ost[i], kib);
	for (uint32_t i = t->files; i < t->n; i++) {
		double bytes = fmax(0, t->r->predicted[i - t->files]);
		double units = ceil(bytes / 1024 / kib);

		left = units <= left ? left - units : -1;
		t->ahead[i] = i - t->files + 1;
		t->too_far[i] = left < 0;
		t->wide[i] = units > t->usable;
		t->stripes[i] =
			t->too_far[i] || t->wide[i] ? 0 : (uint32_t)units;
	}
}

/* Current files first, then predicted ones. */
static int task_init(struct task *t, struct slu_err *err)
{
	t->files = t->r->files ? t->r->files : 1;
	t->n = t->files + (uint32_t)t->r->n_predicted;
	t->target = calloc(t->list->n + 1, sizeof(*t->target));
	t->stripes = calloc(t->n, sizeof(*t->stripes));
	t->ahead = calloc(t->n, sizeof(*t->ahead));
	t->chosen = calloc(t->list->n + 1, sizeof(*t->chosen));
	t->left_out = calloc(t->n, sizeof(*t->left_out));
	t->too_far = calloc(t->n, sizeof(*t->too_far));
	t->wide = calloc(t->n, sizeof(*t->wide));
	if (!t->target || !t->stripes || !t->ahead || !t->chosen ||
	    !t->left_out || !t->too_far || !t->wide)
		return slu_err(err, SLU_NOMEM, "targets");
	set_rooms(t, t->r->n_predicted > 0 ? unit_kib(t) : t->kib);
	for (size_t i = 0; i < t->list->n; i++)
		t->usable += !t->list->ost[i].left_out;
	t->whole = whole_files(t);
	for (uint32_t i = 0; i < t->whole; i++)
		t->stripes[i] = t->each;
	add_predicted(t, t->whole);
	return 0;
}

static struct json_object *predicted_json(const struct task *t)
{
	struct json_object *all = json_object_new_array();

	for (uint32_t i = t->files; i < t->n; i++) {
		struct json_object *one = json_object_new_object();

		slu_json_set_u64(one, "ahead", t->ahead[i]);
		slu_json_set_double(one, "bytes",
				    t->r->predicted[i - t->files]);
		slu_json_set_u64(one, "stripes",
				 t->wide[i] ? t->usable : t->stripes[i]);
		slu_json_set_bool(one, "fits",
				  !t->left_out[i] && !t->too_far[i]);
		json_object_array_add(all, one);
	}
	return all;
}

static void add_file(struct task *t, const uint32_t *chosen, uint32_t n)
{
	slu_ost_answer_file(t->list, chosen, n, t->obj_files, t->commands);
	for (uint32_t k = 0; t->count && k < n; k++)
		t->count[chosen[k]]++;
}

/* Only the first `most` files get stripes; "missing" counts the rest. */
static void add_files(struct task *t, const uint32_t *chosen,
		      const uint32_t *first, const uint32_t *got, uint32_t most,
		      struct json_object *out)
{
	uint64_t missing = 0;

	for (uint32_t i = 0; i < t->files; i++) {
		uint32_t n = i < most ? got[i] : 0;
		size_t at = first ? first[i] : (size_t)i * t->each;

		add_file(t, chosen + (n ? at : 0), n);
		missing += t->r->stripes - n;
	}
	slu_json_set_u64(out, "missing", missing);
}

/* Distributes the complete files, which are equal, over servers and failure
 * domains. */
static int spread(struct task *t, struct json_object *out, struct slu_err *err)
{
	uint32_t files = t->whole ? t->whole : 1, hosts = t->list->n_hosts;
	size_t m = t->list->n;
	uint32_t *server =
		calloc(m + hosts + files + (size_t)files * t->each + 1,
		       sizeof(*server));
	uint32_t *domain = server + m, *got = domain + hosts;
	const struct slu_place_alike p = {
		.target = t->target,
		.n_targets = (uint32_t)m,
		.files = files,
		.stripes = t->whole ? t->each : 0,
		.convex = true,
		.server = server,
		.rack = server && slu_osts_find_domains(t->list, domain)
				? domain
				: NULL,
		.n_servers = hosts,
		.n_racks = hosts,
		.again = t->s->same_server,
		.rack_again = t->s->same_domain,
		.seed = t->r->seed,
	};
	double cost;
	int rc;

	if (!server)
		return slu_err(err, SLU_NOMEM, "targets");
	for (size_t i = 0; i < m; i++)
		server[i] = t->list->ost[i].host;
	rc = slu_place_alike(&p, got + files, got, &cost, err);
	if (rc == 0)
		add_files(t, got + files, NULL, got, t->whole, out);
	free(server);
	return rc;
}

/* Reserves the stripes of predicted requests on their targets. */
static void keep_predicted(struct task *t, const struct slu_place_solution *s)
{
	for (uint32_t i = t->files; i < t->n; i++)
		for (uint32_t k = 0; k < s->got[i]; k++) {
			struct slu_place_target *target =
				&t->target[s->chosen[s->first[i] + k]];

			target->room--;
			target->cost += t->s->step;
		}
}

static int solve(struct task *t, struct json_object *out, struct slu_err *err)
{
	const struct slu_place_problem p = {
		.target = t->target,
		.n_targets = (uint32_t)t->list->n,
		.stripes = t->stripes,
		.n_requests = t->n,
		.convex = t->s->cost == SLU_OST_CONVEX,
	};
	struct slu_place_solution s;
	struct slu_flow_place *place;
	int rc;

	if (p.convex && t->r->n_predicted == 0) {
		json_object_object_add(out, "predicted", predicted_json(t));
		return spread(t, out, err);
	}
	if (slu_place_predicted(&p, t->ahead, t->left_out, &place, &s, err))
		return -1;
	if (t->kib <= 0 && t->r->n_predicted > 0 && s.placed < s.wanted) {
		/* files without a size may be small: again with as many as are
		 * asked for, and nothing predicted */
		slu_place_free(place);
		set_rooms(t, 0);
		for (uint32_t i = t->files; i < t->n; i++) {
			t->too_far[i] = true;
			t->stripes[i] = 0;
		}
		if (slu_place_predicted(&p, t->ahead, t->left_out, &place, &s,
					err))
			return -1;
	}
	if (p.convex)
		keep_predicted(t, &s);
	else
		add_files(t, s.chosen, s.first, s.got, t->files, out);
	slu_place_free(place);
	rc = p.convex ? spread(t, out, err) : 0;
	json_object_object_add(out, "predicted", predicted_json(t));
	return rc;
}

/* Costs become positions in the ranking; targets not in it come last. */
static void rank(struct task *t)
{
	struct json_object *at = json_object_new_object(), *v;
	size_t n = json_object_array_length(t->r->ranking), ranked = 0;

	for (size_t i = 0; i < t->list->n; i++) {
		t->target[i].cost = -1;
		json_object_object_add(at, t->list->ost[i].name,
				       json_object_new_int64((int64_t)i));
	}
	for (size_t i = 0; i < n; i++)
		if (json_object_object_get_ex(
			    at,
			    json_object_get_string(json_object_array_get_idx(
				    t->r->ranking, i)),
			    &v))
			t->target[json_object_get_int64(v)].cost =
				(double)ranked++;
	for (size_t i = 0; i < t->list->n; i++) {
		double place = t->target[i].cost;

		place = place < 0 ? (double)ranked : place;
		t->target[i].cost = place / (ranked ? (double)ranked : 1) +
				    t->s->step * t->list->ost[i].recent;
	}
	json_object_put(at);
}

/* Greedy: one file after the other, on the cheapest targets. For a single file
 * this is the solver's result. */
static void take_cheapest(struct task *t, struct json_object *out)
{
	const bool convex = t->s->cost == SLU_OST_CONVEX || t->r->ranking;
	uint64_t missing = 0;

	for (uint32_t i = 0; i < t->files; i++) {
		uint32_t got = slu_place_one(t->target, (uint32_t)t->list->n,
					     t->each, convex, t->chosen);

		if (t->kib > 0 && got < t->each)
			got = 0; /* the file would not fit */
		add_file(t, t->chosen, got);
		missing += t->r->stripes - got;
		for (uint32_t k = 0; k < got; k++) {
			if (convex)
				t->target[t->chosen[k]].cost += t->s->step;
			t->target[t->chosen[k]].room--;
		}
	}
	slu_json_set_u64(out, "missing", missing);
}

static double stripe_kib(const struct slu_ost_choose_request *r, uint32_t n)
{
	return ceil((double)r->size / n / 1024);
}

/* The stripes of a file: with fewer targets than asked for, each stripe is
 * larger, for which again fewer targets have space. */
static uint32_t settle(const struct slu_ost_choose_settings *s,
		       struct slu_osts *list,
		       const struct slu_ost_choose_request *r)
{
	uint32_t n = r->stripes, usable;

	do {
		usable = slu_osts_leave_out(s, list,
					    n > 0 ? stripe_kib(r, n) : 0);
		if (usable >= n)
			break;
		n = usable;
	} while (n > 0);
	return n;
}

static int place(const struct slu_ost_choose_settings *s,
		 const struct slu_osts *list,
		 const struct slu_ost_choose_request *r, uint32_t each,
		 uint32_t *count, bool brief, struct json_object *out,
		 struct slu_err *err)
{
	double kib = stripe_kib(r, each ? each : 1);
	struct task t = {
		.s = s,
		.r = r,
		.list = list,
		.kib = kib,
		.each = each,
		.obj_files = json_object_new_array(),
		.commands = brief ? NULL : json_object_new_array(),
		.count = count,
	};
	int ret;

	json_object_object_add(out, "files", t.obj_files);
	if (!brief)
		json_object_object_add(out, "commands", t.commands);
	slu_json_set_double(out, "stripe_bytes", kib * 1024);
	ret = task_init(&t, err);
	if (ret == 0 && r->ranking) {
		rank(&t);
		take_cheapest(&t, out);
		slu_json_set_bool(out, "ranked", true);
	} else if (ret == 0 && t.n == 1) {
		if (s->cost == SLU_OST_CONVEX)
			ret = spread(&t, out, err);
		else
			take_cheapest(&t, out);
	} else if (ret == 0) {
		ret = solve(&t, out, err);
	}
	task_free(&t);
	return ret;
}

static int check(const struct slu_ost_choose_request *r, struct slu_err *err)
{
	if (r->stripes > STRIPES_MAX || r->n_predicted > FILES_MAX)
		return slu_err(err, SLU_INVALID, "at most %d stripes of a file",
			       STRIPES_MAX);
	if (r->files > FILES_MAX || (uint64_t)r->files * r->stripes > FILES_MAX)
		return slu_err(err, SLU_INVALID,
			       "at most %d stripes of all files at once",
			       FILES_MAX);
	return 0;
}

int slu_ost_choose_among(const struct slu_ost_choose_settings *s,
			 struct slu_osts *list, size_t systems,
			 const struct slu_ost_choose_request *r, bool brief,
			 uint32_t *count, struct json_object **out,
			 struct slu_err *err)
{
	struct json_object *answer;
	uint32_t each;

	if (check(r, err))
		return -1;
	if (r->stripes > 0 && systems > 1)
		return slu_err(err, SLU_NOTFOUND,
			       "there are targets of several file systems: say "
			       "which is meant (fsname)");
	slu_osts_leave_out_asked(list, r->without);
	slu_osts_apply_recent(s, list);
	each = settle(s, list, r);
	if (slu_osts_compare(s, list, err))
		return -1;
	answer = json_object_new_object();
	if (!brief)
		slu_ost_answer_targets(list, answer);
	slu_json_set_u64(answer, "filesystems", systems);
	if (r->stripes > 0 &&
	    place(s, list, r, each, count, brief, answer, err)) {
		json_object_put(answer);
		return -1;
	}
	*out = answer;
	return 0;
}

int slu_ost_choose(const struct slu_ost_choose_settings *s,
		   struct json_object *servers,
		   const struct slu_ost_choose_request *r,
		   struct json_object **out, struct slu_err *err)
{
	struct slu_osts list = {0};
	size_t systems;
	int ret = slu_osts_take(s, &list, servers, err);

	if (ret == 0) {
		systems = slu_osts_keep(&list, r->fsname);
		slu_osts_sort(&list);
		ret = slu_ost_choose_among(s, &list, systems, r, false, NULL,
					   out, err);
	}
	free(list.ost);
	return ret;
}
