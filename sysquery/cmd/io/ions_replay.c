/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery ions --replay: simulates recorded jobs with other policies and
 * numbers of I/O nodes (select_io/ion/evaluation/recorded.h). Like backtest it
 * reads the database itself, as it takes minutes.
 */
#include "config.h"
#include "sysquery/cmd/io/ions_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include "common/conf.h"
#include "common/jsonx.h"
#include "job_submit/history/job_history.h"
#include "select_io/ion/evaluation/recorded.h"
#include "sysquery/page/page.h"

#define DAYS 30
#define MOST 4096 /* I/O nodes that are simulated at most */

struct replay {
	struct slu_conf *conf;
	struct slu_recorded *jobs;
	struct slu_recorded_facts facts;
	uint32_t compute;
	int64_t since;
	double before; /* node hours with the present configuration */
};

/* The site's configuration, or the defaults. */
static struct slu_conf *load_conf(struct slu_err *err)
{
	char *path = slu_conf_path();
	struct slu_conf *conf = slu_conf_absent()
					? slu_conf_parse("#\n", "defaults", err)
					: slu_conf_load(path, err);

	free(path);
	return conf;
}

static int take_row(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	return slu_recorded_add(arg, row, err);
}

static int load_jobs(const struct slu_ask *ask, struct replay *r,
		     struct slu_err *err)
{
	struct slu_history_query all = {
		.uid = SLU_NO_ID, .last = (uint64_t)r->conf->history_replay};
	struct slu_db *db = slu_db_open(
		ask->file ? ask->file : r->conf->database, SLU_DB_READ, err);
	int rc = db ? slu_history_each(db, &all, take_row, r->jobs, err) : -1;

	slu_db_close(db);
	if (rc < 0 || slu_recorded_prepare(r->jobs, r->since,
					   r->conf->direct_access, err) < 0)
		return -1;
	r->facts = slu_recorded_facts(r->jobs);
	if (!r->compute)
		r->compute = r->facts.nodes;
	if (!r->facts.known)
		return slu_err(err, SLU_NOTFOUND,
			       "no job since then is of an application whose "
			       "bandwidth with I/O nodes is known");
	return 0;
}

static int read_policy(const char *name, enum slu_ion_policy *policy,
		       struct slu_err *err)
{
	for (int i = 0; slu_ion_policy_names[i]; i++)
		if (strcasecmp(name, slu_ion_policy_names[i]) == 0) {
			*policy = (enum slu_ion_policy)i;
			return 0;
		}
	return slu_err(err, SLU_INVALID, "there is no policy \"%.40s\"", name);
}

static int run(const struct replay *r, enum slu_ion_policy policy,
	       uint32_t pool, struct slu_replayed *out, struct slu_err *err)
{
	struct slu_conf conf = *r->conf;
	char text[32];
	int rc;

	conf.ion_policy = policy;
	conf.explore = 0;
	conf.io_nodes = (struct slu_hosts){0};
	snprintf(text, sizeof(text), "ion[1-%u]", pool);
	if (pool && slu_hosts_parse(text, &conf.io_nodes, err) < 0)
		return -1;
	rc = slu_recorded_replay(r->jobs, &conf, r->compute, out, err);
	slu_hosts_free(&conf.io_nodes);
	return rc;
}

static int add_row(struct replay *r, struct json_object *list,
		   enum slu_ion_policy policy, uint32_t pool,
		   struct slu_err *err)
{
	struct json_object *row;
	struct slu_replayed o;

	if (run(r, policy, pool, &o, err) < 0)
		return -1;
	row = json_object_new_object();
	slu_json_set_str(row, "policy", slu_ion_policy_names[policy]);
	slu_json_set_u64(row, "pool", pool);
	slu_json_set_double(row, "run_hours", o.io_hours);
	slu_json_set_double(row, "node_hours", o.node_hours);
	slu_json_set_double(row, "saved", r->before - o.node_hours);
	slu_json_set_double(row, "bandwidth",
			    o.io_hours > 0 ? o.mb / (o.io_hours * 3600) : 0);
	json_object_array_add(list, row);
	return 0;
}

/* Simulates pools in steps of an eighth of the present one, up to twice it. */
static struct json_object *pools(struct replay *r, enum slu_ion_policy policy,
				 uint32_t now, struct slu_err *err)
{
	struct json_object *list = json_object_new_array();
	uint32_t last = 0;

	for (uint32_t k = 1; k <= 16; k += k < 8 ? 1 : 2) {
		uint32_t pool = (now * k + 4) / 8;

		if (pool == last || pool > MOST)
			continue;
		last = pool;
		if (add_row(r, list, policy, pool, err) < 0) {
			json_object_put(list);
			return NULL;
		}
	}
	return list;
}

/* The largest pool in which each further I/O node saves more node hours than it
 * costs. */
static uint64_t worth(struct json_object *list, double hours)
{
	uint64_t best = 0;
	double before = 0, pool_before = 0;

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *row = json_object_array_get_idx(list, i);
		double pool = slu_json_number_at(row, "pool");
		double node_hours = slu_json_number_at(row, "node_hours");

		if (i == 0 ||
		    (before - node_hours) / (pool - pool_before) > hours)
			best = (uint64_t)pool;
		else
			break;
		before = node_hours;
		pool_before = pool;
	}
	return best;
}

static struct json_object *policies(struct replay *r, const char *only,
				    uint32_t pool, struct slu_err *err)
{
	struct json_object *list = json_object_new_array();
	enum slu_ion_policy policy = SLU_ION_STATIC;
	int rc = only ? read_policy(only, &policy, err) : 0;

	if (rc == 0 && only)
		rc = add_row(r, list, policy, pool, err);
	for (int p = 0; rc == 0 && !only && p < SLU_ION_POLICIES; p++)
		if ((p != SLU_ION_ZERO || r->conf->direct_access))
			rc = add_row(r, list, (enum slu_ion_policy)p, pool,
				     err);
	if (rc == 0)
		return list;
	json_object_put(list);
	return NULL;
}

static int fill(struct replay *r, const char *policy, uint32_t pool,
		bool one_pool, struct json_object *out, struct slu_err *err)
{
	enum slu_ion_policy p = r->conf->ion_policy;
	uint32_t now = (uint32_t)r->conf->io_nodes.n;
	struct json_object *list;
	struct slu_replayed o;

	if (run(r, p, now ? now : pool, &o, err) < 0)
		return -1;
	r->before = o.node_hours;
	slu_json_set_i64(out, "since", r->since);
	slu_json_set_u64(out, "jobs", r->facts.jobs);
	slu_json_set_u64(out, "known", r->facts.known);
	slu_json_set_u64(out, "compute", r->compute);
	slu_json_set_double(out, "seconds", r->facts.seconds);
	list = policies(r, policy, pool, err);
	if (!list)
		return -1;
	json_object_object_add(out, "policies", list);
	if (one_pool)
		return 0;
	if (policy && read_policy(policy, &p, err) < 0)
		return -1;
	list = pools(r, p, pool, err);
	if (!list)
		return -1;
	json_object_object_add(out, "pools", list);
	slu_json_set_u64(out, "worth", worth(list, r->facts.seconds / 3600));
	return 0;
}

static int answer(const struct slu_ask *ask, struct replay *r,
		  struct json_object *out, struct slu_err *err)
{
	uint64_t pool = r->conf->io_nodes.n, compute = 0;
	const char *policy = NULL;

	r->since = time(NULL) - DAYS * 86400;
	if (slu_json_i64_opt(ask->args, "since", &r->since, err) < 0 ||
	    slu_json_u64_opt(ask->args, "pool", &pool, err) < 0 ||
	    slu_json_u64_opt(ask->args, "machine", &compute, err) < 0 ||
	    slu_json_str_opt(ask->args, "policy", &policy, err) < 0)
		return -1;
	if (pool == 0 || pool > MOST)
		return slu_err(err, SLU_INVALID,
			       "how many I/O nodes? IONodes is not in "
			       "sluice.conf: --ions N, from 1 to %d",
			       MOST);
	r->compute = (uint32_t)compute;
	if (load_jobs(ask, r, err) < 0)
		return -1;
	return fill(r, policy, (uint32_t)pool, slu_ask_given(ask, SLU_OPT_IONS),
		    out, err);
}

struct json_object *slu_ions_replay(const struct slu_ask *ask,
				    struct slu_err *err)
{
	struct replay r = {.conf = load_conf(err)};
	struct json_object *whole = json_object_new_object();
	struct json_object *out = json_object_new_object();
	int rc = -1;

	json_object_object_add(whole, "replay", out);
	r.jobs = r.conf ? slu_recorded_new(err) : NULL;
	if (r.jobs)
		rc = answer(ask, &r, out, err);
	if (rc == 0)
		rc = slu_ask_plot(ask, slu_page_replay, out, err);
	slu_recorded_free(r.jobs);
	slu_conf_free(r.conf);
	if (rc == 0)
		return whole;
	json_object_put(whole);
	return NULL;
}
