/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers `sysquery stripe`: reads the request, plans the layout and explains
 * it.
 */
#include "config.h"
#include "select_io/stripe/composite_layout.h"

#include <math.h>
#include <string.h>
#include "common/jsonx.h"
#include "select_io/ost/choose.h"

static uint32_t small(uint64_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static int take_access(const char *access, struct slu_stripe_request *r,
		       struct slu_err *err)
{
	if (strcmp(access, "sequential") == 0)
		r->access = SLU_STRIPE_SEQUENTIAL;
	else if (strcmp(access, "random") == 0)
		r->access = SLU_STRIPE_RANDOM;
	else
		return slu_err(err, SLU_INVALID,
			       "access is sequential or random, not \"%.40s\"",
			       access);
	return 0;
}

/* A name as lfs takes it. */
static int take_pool(const char *pool, struct slu_stripe_request *r,
		     struct slu_err *err)
{
	if (!slu_stripe_pool_is_valid(pool))
		return slu_err(err, SLU_INVALID,
			       "\"%.40s\" is no name of a pool: want 1 to %d "
			       "letters, digits, \"_\", \"-\" or \".\"",
			       pool, SLU_STRIPE_POOL);
	r->pool = pool;
	r->room = NULL;
	return 0;
}

static int take_request(struct json_object *args, struct slu_stripe_request *r,
			struct slu_err *err)
{
	uint64_t readers = 0, targets = 0, tasks = 0, rate = 0;
	const char *access = "sequential", *version = NULL, *pool = NULL;

	if (slu_json_u64_opt(args, "size", &r->size, err) ||
	    slu_json_u64_opt(args, "readers", &readers, err) ||
	    slu_json_u64_opt(args, "tasks", &tasks, err) ||
	    slu_json_u64_opt(args, "targets", &targets, err) ||
	    slu_json_u64_opt(args, "target_rate", &rate, err) ||
	    slu_json_u64_opt(args, "mdt", &r->mdt, err) ||
	    slu_json_str_opt(args, "pool", &pool, err) ||
	    slu_json_str_opt(args, "lustre", &version, err) ||
	    slu_json_str_opt(args, "access", &access, err) ||
	    take_access(access, r, err) || (pool && take_pool(pool, r, err)))
		return -1;
	if (version) {
		r->lustre = slu_ost_version(version);
		if (r->lustre == 0)
			return slu_err(err, SLU_INVALID,
				       "\"%.40s\" is no version", version);
	}
	if (targets == 0 && json_object_object_get_ex(args, "targets", NULL))
		return slu_err(err, SLU_INVALID, "targets: want at least 1");
	if (rate == 0 && json_object_object_get_ex(args, "target_rate", NULL))
		return slu_err(err, SLU_INVALID,
			       "target-rate: want bytes a second");
	if (r->mdt % SLU_STRIPE_MDT_UNIT || r->mdt > SLU_STRIPE_MDT_MAX)
		return slu_err(err, SLU_INVALID,
			       "mdt: want a multiple of 64KiB up to 1GiB");
	if (tasks > 0 && readers > 0)
		return slu_err(err, SLU_INVALID,
			       "readers each read all of the file, tasks a "
			       "part of their own: want one of them");
	if (tasks > 0 && r->size == 0)
		return slu_err(err, SLU_INVALID,
			       "tasks: say the file's size, too");
	r->readers = small(readers);
	r->tasks = small(tasks);
	if (targets > 0) { /* not one of the servers' file systems */
		r->targets = small(targets);
		r->room = NULL;
		r->target_rate = 0;
		r->mdt_told = false;
	}
	if (rate > 0)
		r->target_rate = (double)rate;
	return 0;
}

/* How many targets each server has, by its name. Caller puts it. */
static struct json_object *count_by_server(struct json_object *osts)
{
	struct json_object *counts = json_object_new_object(), *n;
	struct json_object *list = slu_json_list_at(osts, "osts");

	for (size_t i = 0; i < slu_json_length(list); i++) {
		const char *server = slu_json_str_at(
			json_object_array_get_idx(list, i), "server");

		if (!server)
			continue;
		if (json_object_object_get_ex(counts, server, &n))
			json_object_int_inc(n, 1);
		else
			json_object_object_add(counts, server,
					       json_object_new_int64(1));
	}
	return counts;
}

double slu_stripe_measured_rate(struct json_object *osts)
{
	struct json_object *servers = slu_json_at(osts, "servers");
	struct json_object *counts;
	double best = 0;

	if (!servers)
		return 0;
	counts = count_by_server(osts);
	json_object_object_foreach(servers, name, server)
	{
		uint64_t n = slu_json_u64_at(counts, name);

		if (n > 0)
			best = fmax(best, slu_json_number_at(server, "peak") /
						  (double)n);
	}
	json_object_put(counts);
	return best > SLU_STRIPE_DISK ? best : 0;
}

int slu_stripe_take(struct json_object *args,
		    const struct slu_stripe_request *known,
		    struct slu_stripe_request *out, struct slu_err *err)
{
	*out = *known;
	return take_request(args, out, err);
}

/* A preset is fixed: other arguments do not change it. */
static int take_preset(struct json_object *args, const char *name,
		       struct slu_stripe_layout *out, struct slu_err *err)
{
	static const char *const others[] = {"size",  "access",	 "readers",
					     "tasks", "targets", "target_rate",
					     "mdt"};
	struct slu_stripe_request r = {0};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (json_object_object_get_ex(args, others[i], NULL))
			return slu_err(err, SLU_INVALID,
				       "a preset says all: it takes no %s",
				       others[i]);
	if (take_request(args, &r, err) || slu_stripe_preset(name, out, err))
		return -1;
	out->pool = r.pool;
	if (r.lustre && r.lustre < SLU_STRIPE_COMPOSITE && out->n > 1)
		return slu_err(err, SLU_INVALID,
			       "%s is a composite layout, of which there are "
			       "none before 2.10",
			       name);
	return 0;
}

int slu_stripe_explain(struct json_object *args,
		       const struct slu_stripe_request *known,
		       struct json_object **out, struct slu_err *err)
{
	struct slu_stripe_request r = *known;
	struct slu_stripe_layout layout;
	const char *preset = NULL;

	if (slu_json_str_opt(args, "preset", &preset, err))
		return -1;
	if (preset ? take_preset(args, preset, &layout, err)
		   : take_request(args, &r, err) ||
			     slu_stripe_plan(&r, &layout, err))
		return -1;
	*out = slu_stripe_json(&layout);
	return 0;
}
