/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes a running job to the divisions, as their struct slu_ion_job, and names
 * the division by which I/O nodes are granted.
 */
#include "select_io/ion/arbiter/arbiter_private.h"

int slu_ion_put(struct slu_arbiter *a, struct running *r, int division,
		const struct slu_ion_job *job, struct slu_err *err)
{
	return slu_ion_division_put(a->division[division], &r->slot[division],
				    r->job.job_id, job, err);
}

struct slu_ion_job slu_ion_job_of(const struct slu_arbiter *a,
				  const struct running *r)
{
	return (struct slu_ion_job){
		.choice = r->choice,
		.n = r->n_choice,
		.usual = r->usual,
		.nodes = r->job.node_cnt,
		.tasks = r->job.tasks,
		.curve = &r->curve,
		.counts = r->counts,
		.group = {r->group[SLU_ION_USER], r->group[SLU_ION_ACCOUNT]},
		.claimed = r->from == FROM_TABLE,
		.holds = r->granted && slu_ion_holds(a, r),
		.shares = r->grant.shared,
		.held = r->grant.ions,
	};
}

int slu_ion_granting_slot(const struct slu_arbiter *a)
{
	return a->remap ? FREELY : IN_EFFECT;
}

int slu_ion_put_trial(struct slu_arbiter *a, struct running *r,
		      const struct slu_curve *hoped, struct slu_err *err)
{
	struct slu_ion_job job = slu_ion_job_of(a, r);

	job.fixed = !a->remap;
	job.curve = hoped ? hoped : job.curve;
	job.tries = r->tries && !hoped;
	job.trial = r->trial;
	return slu_ion_put(a, r, slu_ion_granting_slot(a), &job, err);
}

struct slu_ion_division *slu_ion_granting(const struct slu_arbiter *a)
{
	return a->division[slu_ion_granting_slot(a)];
}
