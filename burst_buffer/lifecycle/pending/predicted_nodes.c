/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which nodes prefetch a waiting job's inputs into their stage caches
 * (PrestageTo), by predictions of where the job will run. A node begins when
 * its probability has been high enough for long enough without interruption.
 * When it falls, the node begins nothing new but keeps what it has as long as
 * it is among the predicted nodes: else data would be read again with each
 * change. The plan is made as if the job had all its predicted nodes, so that
 * each node reads what it would read then. Where the nodes share a file system,
 * its data is divided among all of them, so the whole set has to be probable
 * enough.
 */
#include "config.h"
#include "burst_buffer/lifecycle/pending/predicted_nodes.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/pending/early_stage_in.h"
#include "burst_buffer/lifecycle/reconcile/room_shares.h"
#include "burst_buffer/request/request.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/hostlist.h"
#include "common/jsonx.h"

#define MOST   1000  /* jobs */
#define AWAY   2     /* predictions without the job until it counts as gone */
#define SETTLE 180.0 /* s after our start until all waiting jobs have asked */

struct node {
	char *name;
	double since;	 /* when it became probable enough; 0: it is not */
	bool prefetches; /* it has been for long enough: it reads the inputs */
	struct slu_prefetch_report has;
};

struct slu_predicted {
	struct slu_predicted *next;
	struct slu_job *job; /* from slurmctld */
	unsigned away;
	double sure; /* probability of exactly these nodes */
	struct node *node;
	size_t n_node;
	bool ever;    /* some node has got the plan at some time */
	bool through; /* a run has staged in; until it waits again */
	bool planned;
	struct slu_plan plan;
	char *wrong; /* why there is no plan */
};

static void forget_nodes(struct slu_predicted *p)
{
	for (size_t i = 0; i < p->n_node; i++)
		free(p->node[i].name);
	free(p->node);
	p->node = NULL;
	p->n_node = 0;
}

static void forget_plan(struct slu_predicted *p)
{
	if (p->planned)
		slu_msg_clear(&slu_plan_desc, &p->plan);
	p->planned = false;
	free(p->wrong);
	p->wrong = NULL;
}

static void free_one(struct slu_predicted *p)
{
	forget_plan(p);
	forget_nodes(p);
	if (p->job)
		slu_msg_clear(&slu_job_desc, p->job);
	free(p->job);
	free(p);
}

static struct slu_predicted **find(struct slu_buffers *b, uint32_t job_id)
{
	struct slu_predicted **p = &b->predicted;

	while (*p && (*p)->job->job_id != job_id)
		p = &(*p)->next;
	return p;
}

static bool is_known(const struct slu_buffers *b, uint32_t job_id)
{
	const struct slu_predicted *p = b->predicted;

	while (p && p->job->job_id != job_id)
		p = p->next;
	return p;
}

void slu_predicted_end(struct slu_buffers *b, uint32_t job_id)
{
	struct slu_predicted **p = find(b, job_id), *gone = *p;

	if (!gone)
		return;
	*p = gone->next;
	b->n_predicted--;
	if (gone->ever)
		b->unpredicted[b->n_unpredicted++ % SLU_UNPREDICTED] = job_id;
	free_one(gone);
}

void slu_predicted_free(struct slu_buffers *b)
{
	while (b->predicted)
		slu_predicted_end(b, b->predicted->job->job_id);
}

static struct slu_job *copy_job(const struct slu_job *job)
{
	char *text = slu_encode_text(&slu_job_desc, job);
	struct slu_job *copy = calloc(1, sizeof(*copy));

	if (!text || !copy ||
	    slu_decode_text(&slu_job_desc, text, strlen(text), copy, NULL)) {
		free(copy);
		copy = NULL;
	}
	free(text);
	return copy;
}

void slu_predicted_wait(struct slu_buffers *b, const struct slu_job *job)
{
	struct slu_predicted *p = *find(b, job->job_id);

	if (p) {
		p->away = 0;
		p->through = false;
		return;
	}
	if (b->n_predicted >= MOST)
		return;
	p = calloc(1, sizeof(*p));
	if (p)
		p->job = copy_job(job);
	if (!p || !p->job) {
		free(p);
		return;
	}
	p->next = b->predicted;
	b->predicted = p;
	b->n_predicted++;
}

/* The job's present run; NULL: it has none. */
static const struct slu_bb *run_of(const struct slu_buffers *b,
				   const struct slu_predicted *p)
{
	const struct slu_bb *bb = slu_bb_of(b, p->job->job_id);

	return bb && bb->end.at <= 0 && !bb->plan.persistent ? bb : NULL;
}

/* Is the run's stage-in over, or will there be none? */
static bool is_through(const struct slu_bb *run)
{
	return run && (run->state >= SLU_BB_RUNNING || run->failure.text);
}

struct json_object *slu_buffers_to_predict(struct slu_buffers *b)
{
	struct json_object *list = json_object_new_array();
	struct slu_predicted *p, *next;

	for (p = b->predicted; p; p = next) {
		const struct slu_bb *run = run_of(b, p);

		next = p->next;
		if (!b->conf->prestage || is_through(run) || p->through ||
		    (!run && p->away >= AWAY))
			slu_predicted_end(b, p->job->job_id);
		else if (!run)
			json_object_array_add(
				list, json_object_new_int64(p->job->job_id));
	}
	if (json_object_array_length(list))
		return list;
	json_object_put(list);
	return NULL;
}

/* Predictions, as slu_buffers_predicted() gets them: for each job that still
 * waits {job_id, sure, node [{node, share}]}. */

/* Finds a node from *at on, and sets *at to the one behind it, which is
 * probably wanted next: all predictions list nodes in the same order, and a job
 * may have thousands. */
static struct node *next_node(struct slu_predicted *p, const char *name,
			      size_t *at)
{
	for (size_t i = 0; i < p->n_node; i++) {
		struct node *n = &p->node[(*at + i) % p->n_node];

		if (!slu_eq(n->name, name))
			continue;
		*at += i + 1;
		return n;
	}
	return NULL;
}

static struct node *node_of(struct slu_predicted *p, const char *name)
{
	return next_node(p, name, &(size_t){0});
}

static bool same_nodes(struct slu_predicted *p, struct json_object *list)
{
	size_t n = slu_json_length(list), at = 0;
	bool same = n == p->n_node;

	for (size_t i = 0; same && i < n; i++)
		same = next_node(
			p,
			json_object_get_string(json_object_object_get(
				json_object_array_get_idx(list, i), "node")),
			&at);
	return same;
}

/* A node that is in the earlier prediction as well keeps its state. */
static bool take_nodes(struct slu_predicted *p, struct json_object *list)
{
	size_t n = slu_json_length(list), at = 0;
	struct node *node = calloc(n + 1, sizeof(*node)), *was;
	const char *name;

	for (size_t i = 0; node && i < n; i++) {
		name = json_object_get_string(json_object_object_get(
			json_object_array_get_idx(list, i), "node"));
		was = name ? next_node(p, name, &at) : NULL;
		if (was)
			node[i] = *was;
		node[i].name = strdup(name ? name : "");
		if (!node[i].name) {
			while (i-- > 0)
				free(node[i].name);
			free(node);
			node = NULL;
		}
	}
	if (!node)
		return false;
	forget_nodes(p);
	p->node = node;
	p->n_node = n;
	return true;
}

static bool is_shared(const struct slu_predicted *p)
{
	const struct slu_fstype *type =
		p->planned ? slu_fstype_find(p->plan.driver) : NULL;

	return type && type->shared;
}

static char *hosts_of(const struct slu_predicted *p)
{
	struct slu_hosts hosts = {0};
	char *text;

	for (size_t i = 0; i < p->n_node; i++)
		slu_hosts_append(&hosts, p->node[i].name);
	text = slu_hosts_text(&hosts);
	slu_hosts_free(&hosts);
	return text;
}

static void make_plan(struct slu_buffers *b, struct slu_predicted *p)
{
	const struct slu_plan_site site = slu_bb_waiting_site(b);
	struct slu_job as = *p->job;
	struct slu_err err;

	forget_plan(p);
	as.nodes = hosts_of(p);
	if (!as.nodes)
		return;
	p->planned = !slu_plan_make(&as, &site, &p->plan, &err);
	free(as.nodes);
	if (p->planned)
		slu_plan_keep_stage_ins(&p->plan);
	else
		p->wrong = strdup(err.text);
}

static void judge(struct slu_buffers *b, struct slu_predicted *p,
		  struct json_object *list, double now)
{
	const double enough = b->conf->prestage_sure;
	bool all = true;

	for (size_t i = 0; i < p->n_node; i++) {
		struct node *n = &p->node[i];
		double share = slu_json_number_at(
			json_object_array_get_idx(list, i), "share");

		if (is_shared(p) && p->sure < share)
			share = p->sure;
		if (share < enough)
			n->since = 0;
		else if (n->since <= 0)
			n->since = now;
		n->prefetches =
			n->since > 0 &&
			now >= n->since + (double)b->conf->prestage_after;
		all &= n->prefetches;
		p->ever |= n->prefetches;
	}
	for (size_t i = 0; is_shared(p) && i < p->n_node; i++)
		p->node[i].prefetches = all;
}

static void take_one(struct slu_buffers *b, struct json_object *is, double now)
{
	struct json_object *list = NULL;
	struct slu_predicted *p;
	bool same;

	p = *find(b, (uint32_t)slu_json_u64_at(is, "job_id"));
	if (!p)
		return;
	p->away = 0;
	if (run_of(b, p)) /* it has started meanwhile */
		return;
	json_object_object_get_ex(is, "node", &list);
	same = same_nodes(p, list);
	p->sure = slu_json_number_at(is, "sure");
	if (!take_nodes(p, list))
		return;
	if (!p->n_node)
		forget_plan(p);
	else if (!same || !p->planned)
		make_plan(b, p);
	judge(b, p, list, now);
}

void slu_buffers_predicted(struct slu_buffers *b, struct json_object *found,
			   double now)
{
	for (struct slu_predicted *p = b->predicted; p; p = p->next)
		p->away += !run_of(b, p);
	for (size_t i = 0; i < slu_json_length(found); i++)
		take_one(b, json_object_array_get_idx(found, i), now);
}

/* Answers to nodes */

/* Should this node have the job's inputs? Once the job runs its real nodes
 * count, until they have staged in. */
static bool is_wanted(const struct slu_buffers *b, struct slu_predicted *p,
		      const char *node)
{
	const struct node *n = node_of(p, node);
	const struct slu_bb *run = run_of(b, p);

	p->through |= is_through(run);
	if (!p->planned || !n || !(n->prefetches || n->has.prefetched) ||
	    p->through)
		return false;
	return !run || slu_bb_index(run, node) >= 0;
}

/* Appends the jobs whose inputs this node can drop, also when sluiced has just
 * started. */
static void put_gone(const struct slu_buffers *b, const char *node,
		     struct slu_buf *out)
{
	slu_buf_puts(out, ",\"ahead_gone\":\"");
	for (struct slu_predicted *p = b->predicted; p; p = p->next)
		if (p->ever && !is_wanted(b, p, node))
			slu_buf_printf(out, "%u ", (unsigned)p->job->job_id);
	for (size_t i = 0; i < SLU_UNPREDICTED && i < b->n_unpredicted; i++)
		if (!is_known(b, b->unpredicted[i]))
			slu_buf_printf(out, "%u ", (unsigned)b->unpredicted[i]);
	slu_buf_puts(out, "\"");
}

void slu_predicted_append_inventory(struct slu_buffers *b, const char *node,
				    double now, struct slu_buf *out)
{
	const bool whole =
		!b->conf->prestage ||
		now > b->loaded + SETTLE + (double)b->conf->prestage_after;
	const char *comma = "";

	slu_buf_puts(out, "\"ahead\":[");
	for (struct slu_predicted *p = b->predicted; b->conf->prestage && p;
	     p = p->next) {
		char *text = NULL;

		if (is_wanted(b, p, node)) {
			p->plan.over =
				run_of(b, p) || !node_of(p, node)->prefetches;
			text = slu_encode_text(&slu_plan_desc, &p->plan);
		}
		if (!text)
			continue;
		slu_buf_printf(out, "%s%s", comma, text);
		free(text);
		comma = ",";
	}
	slu_buf_printf(out, "],\"ahead_whole\":%s", whole ? "true" : "false");
	put_gone(b, node, out);
}

/* Reports of nodes */

void slu_buffers_prefetched(struct slu_buffers *b,
			    const struct slu_node_ask *ask)
{
	for (size_t i = 0; i < ask->n_prefetch; i++) {
		const struct slu_prefetch_report *is = &ask->prefetch[i];
		struct slu_predicted *p = *find(b, is->job_id);
		struct node *n = p ? node_of(p, ask->node) : NULL;

		if (is->over) {
			b->prefetch_use.prefetched += is->prefetched;
			b->prefetch_use.used += is->used < is->prefetched
							? is->used
							: is->prefetched;
			b->prefetch_use.jobs++;
		}
		if (n)
			n->has = is->over ? (struct slu_prefetch_report){0}
					  : *is;
	}
}

const struct slu_prefetch_use *
slu_buffers_prefetch_use(const struct slu_buffers *b)
{
	return &b->prefetch_use;
}

static const char *word_of(const struct slu_buffers *b,
			   const struct slu_predicted *p, const struct node *n)
{
	return run_of(b, p)    ? "begun"
	       : n->has.done   ? "there"
	       : p->wrong      ? "no plan"
	       : n->prefetches ? "brought"
	       : n->since > 0  ? "probable"
			       : "unsure";
}

static struct json_object *row_of(const struct slu_buffers *b,
				  const struct slu_predicted *p,
				  const struct node *n)
{
	struct json_object *row = json_object_new_object();

	slu_json_set_u64(row, "job_id", p->job->job_id);
	slu_json_set_u64(row, "uid", p->job->uid);
	slu_json_set_str(row, "node", n->name);
	slu_json_set_str(row, "state", word_of(b, p, n));
	if (n->since > 0)
		slu_json_set_i64(row, "since", (int64_t)n->since);
	slu_json_set_u64(row, "brought_bytes", n->has.prefetched);
	if (p->wrong)
		slu_json_set_str(row, "why", p->wrong);
	return row;
}

struct json_object *slu_buffers_prefetches(const struct slu_buffers *b,
					   uint32_t uid)
{
	struct json_object *all = json_object_new_object(),
			   *rows = json_object_new_array();

	for (const struct slu_predicted *p = b->predicted; p; p = p->next)
		for (size_t i = 0; i < p->n_node; i++)
			if (uid == SLU_NO_ID || uid == p->job->uid)
				json_object_array_add(
					rows, row_of(b, p, &p->node[i]));
	slu_json_set_bool(all, "on", b->conf->prestage);
	slu_json_set_u64(all, "jobs", b->prefetch_use.jobs);
	slu_json_set_u64(all, "brought_bytes", b->prefetch_use.prefetched);
	slu_json_set_u64(all, "used_bytes", b->prefetch_use.used);
	slu_json_set_u64(all, "wasted_bytes",
			 b->prefetch_use.prefetched - b->prefetch_use.used);
	json_object_object_add(all, "waiting", rows);
	return all;
}
