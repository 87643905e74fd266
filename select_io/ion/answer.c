/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The assignment in force as a message: per job its I/O nodes by name, what it
 * would take if it were alone, and what the arbiter knows of it.
 */
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/ion/private.h"

static uint32_t wanted(const struct slu_curve *curve, const struct running *r)
{
	uint32_t best = r->choice[0];

	if (!slu_curve_known(curve))
		return r->usual;
	for (size_t i = 1; i < r->n_choice; i++)
		if (slu_curve_at(curve, r->choice[i]) >
		    slu_curve_at(curve, best))
			best = r->choice[i];
	return best;
}

static char *explain(const struct slu_curve *curve)
{
	struct slu_buf buf = {0};

	if (!slu_curve_known(curve))
		return strdup("no history: as STATIC");
	slu_buf_puts(&buf, "history:");
	for (uint32_t i = 0; i < curve->n; i++) {
		const struct slu_curve_point *p = &curve->point[i];

		slu_buf_printf(&buf, "%s %u gave %.1f MB/s (%u run%s)",
			       i ? "," : "", p->ions, p->mean, p->runs,
			       p->runs == 1 ? "" : "s");
	}
	return slu_buf_steal(&buf);
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
	const struct slu_curve *curve = slu_curves_find(a->curves, &r->job);

	*out = (struct slu_ion_share){
		.job_id = r->job.job_id,
		.name = strdup(r->job.name ? r->job.name : ""),
		.nodes = strdup(r->job.nodes ? r->job.nodes : ""),
		.ions = ions_of(a, r),
		.wanted = wanted(curve, r),
		.bandwidth = r->grant.bandwidth,
		.shared = r->grant.shared,
		.why = explain(curve),
	};
	return out->name && out->nodes && out->ions && out->why ? 0 : -1;
}

int slu_ion_answer(const struct slu_arbiter *a, double total,
		   double static_total, const struct slu_ion_proof *proof,
		   struct slu_assignment *out)
{
	struct slu_assignment fresh = {
		.policy = strdup(slu_ion_policy_names[a->policy]),
		.ions = slu_hosts_text(&a->pool),
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
