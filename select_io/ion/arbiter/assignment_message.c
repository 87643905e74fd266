/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Composes the message of the assignment in force: each job's I/O nodes by
 * name, the number that it would get if it were alone, and the arbiter's data
 * about it.
 */
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/ion/arbiter/arbiter_private.h"

static void say_runs(const struct slu_curve *curve, struct slu_buf *out)
{
	const char *comma = "";

	slu_buf_puts(out, "history:");
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct slu_curve_point *p = &curve->point[i];

		if (!p->runs)
			continue;
		slu_buf_printf(out, "%s %u gave %.1f MB/s (%u run%s)", comma,
			       p->ions, p->mean, p->runs,
			       p->runs == 1 ? "" : "s");
		comma = ",";
	}
	if (!slu_curve_known(curve))
		slu_buf_puts(out, ": as STATIC");
}

static void say_table(const struct running *r, struct slu_buf *out)
{
	const char *own = r->job.ion_pattern;

	slu_buf_printf(out, "PerformanceTable: %s", own ? own : r->predicted);
	if (!own)
		slu_buf_printf(out, ", predicted by %s", r->because);
}

static const char *say_nothing(const struct running *r)
{
	if (r->tabled)
		return "no runs of this name; its pattern is ignored, as the "
		       "user's other jobs were measured: as STATIC";
	if (r->job.ion_pattern || r->predicted)
		return "its pattern is not in the table: as STATIC";
	return "no history: as STATIC";
}

static char *explain(const struct running *r)
{
	struct slu_buf buf = {0};

	switch (r->from) {
	case FROM_NOTHING:
		slu_buf_puts(&buf, say_nothing(r));
		break;
	case FROM_TABLE:
		say_table(r, &buf);
		break;
	case FROM_RUNS:
		say_runs(&r->curve, &buf);
		break;
	case FROM_BOTH:
		say_runs(&r->curve, &buf);
		slu_buf_puts(&buf, "; for others ");
		say_table(r, &buf);
		break;
	}
	if (r->tries)
		slu_buf_printf(&buf, "; tries %u", r->trial);
	return slu_buf_steal(&buf);
}

int slu_ion_explain(const struct slu_arbiter *a, struct running *r)
{
	(void)a;
	free(r->why);
	r->why = explain(r);
	return r->why ? 0 : -1;
}

static int fill_curve(const struct slu_arbiter *a, const struct running *r,
		      struct slu_ion_share *out)
{
	const struct slu_curve *curve = &r->curve;

	if (!slu_curve_known(curve))
		return 0;
	out->curve = calloc(curve->n, sizeof(*out->curve));
	if (!out->curve)
		return -1;
	for (; out->n_curve < curve->n; out->n_curve++) {
		const struct slu_curve_point *p = &curve->point[out->n_curve];

		out->curve[out->n_curve] = (struct slu_ion_point){
			.ions = p->ions,
			.runs = r->from == FROM_TABLE ? 0 : p->runs,
			.mean = p->mean,
			.spread = slu_curve_deviation(p),
			.error = slu_curve_error(curve, p->ions, a->now),
			.bandwidth = p->value};
	}
	return 0;
}

/* The jobs of the message by id, and their I/O nodes: names first[i] ..
 * first[i + 1] - 1 belong to the i-th. Made for all jobs in one pass over the
 * pool, which may be large. */
struct held {
	struct running **run;
	size_t n;
	char **name;
	size_t *first;
};

static int by_id(const void *a, const void *b)
{
	uint32_t x = (*(struct running *const *)a)->job.job_id;
	uint32_t y = (*(struct running *const *)b)->job.job_id;

	return (x > y) - (x < y);
}

static int by_owner(const void *owner, const void *b)
{
	uint32_t x = *(const uint32_t *)owner;
	uint32_t y = (*(struct running *const *)b)->job.job_id;

	return (x > y) - (x < y);
}

static int find_held(const struct slu_arbiter *a, struct held *held)
{
	size_t n = held->n;

	held->name = calloc(a->pool.n + 1, sizeof(*held->name));
	held->first = calloc(n + 2, sizeof(*held->first));
	if (!held->name || !held->first)
		return -1;
	for (size_t i = 0; i < n; i++)
		held->first[i + 2] = held->first[i + 1] + held->run[i]->have;
	for (size_t i = 0; n && i < a->pool.n; i++) {
		struct running **r = NULL;

		if (a->node[i].owner != SLU_ION_FREE && a->node[i].available)
			r = bsearch(&a->node[i].owner, held->run, n,
				    sizeof(struct running *), by_owner);
		if (r)
			held->name[held->first[r - held->run + 1]++] =
				a->pool.name[i];
	}
	return 0;
}

/* Host list of the i-th job's I/O nodes; NULL without memory. */
static char *ions_of(const struct slu_arbiter *a, const struct held *held,
		     size_t i)
{
	struct slu_hosts mine = {held->name + held->first[i],
				 held->first[i + 1] - held->first[i]};

	if (held->run[i]->grant.shared && a->shared == SLU_ION_NOBODY)
		mine.n = 0;
	else if (held->run[i]->grant.shared)
		mine = (struct slu_hosts){&a->pool.name[a->shared], 1};
	return slu_hosts_text(&mine);
}

static int fill_share(const struct slu_arbiter *a, const struct held *held,
		      size_t i, struct slu_ion_share *out)
{
	const struct running *r = held->run[i];

	*out = (struct slu_ion_share){
		.job_id = r->job.job_id,
		.name = strdup(r->job.name ? r->job.name : ""),
		.nodes = strdup(r->job.nodes ? r->job.nodes : ""),
		.ions = ions_of(a, held, i),
		.wanted = r->wanted,
		.in_effect = r->grant.ions,
		.bandwidth = r->grant.bandwidth,
		.shared = r->grant.shared,
		.why = strdup(r->why ? r->why : ""),
		.node_cnt = r->job.node_cnt,
		.tasks = r->job.tasks,
		.limit = r->limit,
		.uid = r->job.uid,
		.account = strdup(r->job.account ? r->job.account : ""),
		.counts = r->counts,
	};
	if (fill_curve(a, r, out) < 0)
		return -1;
	return out->name && out->nodes && out->ions && out->why && out->account
		       ? 0
		       : -1;
}

/* Jobs that ended since the last answer and are not running again. */
static void fill_gone(const struct slu_arbiter *a, struct slu_assignment *out)
{
	for (size_t i = 0; i < a->n_gone; i++)
		if (!slu_ion_find(a, a->gone[i]))
			out->gone[out->n_gone++].job_id = a->gone[i];
}

static void all_said(struct slu_arbiter *a)
{
	for (size_t i = 0; i < a->n_unreported; i++) {
		a->unreported[i]->unreported = false;
		a->unreported[i]->reported = true;
	}
	a->n_unreported = a->n_gone = 0;
}

int slu_ion_answer(struct slu_arbiter *a, const struct slu_ion_proof *proof,
		   bool all, struct slu_assignment *out)
{
	const struct slu_ion_division *by = slu_ion_granting(a);
	struct held held = {.run = all ? a->run : a->unreported,
			    .n = all ? a->n_run : a->n_unreported};
	struct slu_assignment fresh = {
		.policy = strdup(slu_ion_policy_names[a->policy]),
		.ions = strdup(a->pool_text),
		.pool = a->pool_size,
		.compute = a->compute_nodes,
		.direct = a->direct,
		.least = a->min_per_job,
		.user_most = a->limit[SLU_ION_USER],
		.account_most = a->limit[SLU_ION_ACCOUNT],
		.total = slu_ion_division_total(by, false),
		.static_total = slu_ion_division_static_total(by, false),
		.table_total = slu_ion_division_total(by, true),
		.table_static = slu_ion_division_static_total(by, true),
		.bound = proof->bound,
		.proved = proof->proved,
		.jobs = calloc(held.n + 1, sizeof(*fresh.jobs)),
		.gone = calloc(a->n_gone + 1, sizeof(*fresh.gone)),
	};
	bool good;

	if (held.n && !all)
		qsort(held.run, held.n, sizeof(*held.run), by_id);
	good = fresh.policy && fresh.ions && fresh.jobs && fresh.gone &&
	       find_held(a, &held) == 0;
	for (size_t i = 0; good && i < held.n; i++) {
		good = fill_share(a, &held, i, &fresh.jobs[i]) == 0;
		fresh.n_jobs++;
	}
	free(held.name);
	free(held.first);
	if (!good) {
		slu_msg_clear(&slu_assignment_desc, &fresh);
		return -1;
	}
	if (!all)
		fill_gone(a, &fresh);
	all_said(a);
	*out = fresh;
	return 0;
}
