/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The assignment in force as a message: per job its I/O nodes by name, what it
 * would take if it were alone, and what the arbiter knows of it.
 */
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/ion/private.h"

static char *explain(const struct slu_curve *curve, const struct running *r)
{
	struct slu_buf buf = {0};

	if (!slu_curve_known(curve))
		return strdup(r->job.ion_pattern
				      ? "its pattern is not in the table: as "
					"STATIC"
				      : "no history: as STATIC");
	if (curve == &r->table)
		return slu_asprintf("PerformanceTable: %s", r->job.ion_pattern);
	slu_buf_puts(&buf, "history:");
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct slu_curve_point *p = &curve->point[i];

		slu_buf_printf(&buf, "%s %u gave %.1f MB/s (%u run%s)",
			       i ? "," : "", p->ions, p->mean, p->runs,
			       p->runs == 1 ? "" : "s");
	}
	return slu_buf_steal(&buf);
}

static int fill_curve(const struct slu_curve *curve, bool table,
		      struct slu_ion_share *out)
{
	if (!slu_curve_known(curve))
		return 0;
	out->curve = calloc(curve->n, sizeof(*out->curve));
	if (!out->curve)
		return -1;
	for (; out->n_curve < curve->n; out->n_curve++) {
		const struct slu_curve_point *p = &curve->point[out->n_curve];

		out->curve[out->n_curve] =
			(struct slu_ion_point){.ions = p->ions,
					       .runs = table ? 0 : p->runs,
					       .mean = p->mean,
					       .spread = slu_curve_spread(p),
					       .bandwidth = p->value};
	}
	return 0;
}

/* Host list of the I/O nodes the job uses; NULL without memory. */
static char *ions_of(const struct slu_arbiter *a, const struct running *r)
{
	struct slu_hosts mine = {.name = calloc(a->pool.n + 1, sizeof(char *))};
	char *text = NULL;

	if (!mine.name)
		return NULL;
	for (size_t i = 0; i < a->pool.n; i++)
		if (r->grant.shared ? i == a->shared
				    : a->node[i].owner == r->job.job_id)
			mine.name[mine.n++] = a->pool.name[i];
	text = slu_hosts_text(&mine);
	free(mine.name);
	return text;
}

static int fill_share(const struct slu_arbiter *a, const struct running *r,
		      struct slu_ion_share *out)
{
	const struct slu_curve *curve = slu_ion_curve(a, r);

	*out = (struct slu_ion_share){
		.job_id = r->job.job_id,
		.name = strdup(r->job.name ? r->job.name : ""),
		.nodes = strdup(r->job.nodes ? r->job.nodes : ""),
		.ions = ions_of(a, r),
		.wanted = r->wanted,
		.in_effect = r->grant.ions,
		.bandwidth = r->grant.bandwidth,
		.shared = r->grant.shared,
		.why = explain(curve, r),
		.node_cnt = r->job.node_cnt,
		.tasks = r->job.tasks,
		.limit = r->limit,
	};
	if (fill_curve(curve, curve == &r->table, out) < 0)
		return -1;
	return out->name && out->nodes && out->ions && out->why ? 0 : -1;
}

int slu_ion_answer(const struct slu_arbiter *a, double total,
		   double static_total, const struct slu_ion_proof *proof,
		   struct slu_assignment *out)
{
	struct slu_assignment fresh = {
		.policy = strdup(slu_ion_policy_names[a->policy]),
		.ions = slu_hosts_text(&a->pool),
		.pool = slu_ion_pool_size(a),
		.compute = a->compute_nodes,
		.direct = a->direct,
		.total = total,
		.static_total = static_total,
		.bound = proof->bound,
		.proved = proof->proved,
		.jobs = calloc(a->n_run + 1, sizeof(*fresh.jobs)),
	};
	bool good = fresh.policy && fresh.ions && fresh.jobs;

	for (size_t i = 0; good && i < a->n_run; i++) {
		good = fill_share(a, &a->run[i], &fresh.jobs[i]) == 0;
		fresh.n_jobs++;
	}
	if (!good) {
		slu_msg_clear(&slu_assignment_desc, &fresh);
		return -1;
	}
	*out = fresh;
	return 0;
}
