/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers "what if" questions about the present assignment of I/O nodes: the
 * running jobs, with their curves and limits, get a new division by another
 * policy, with a pool of another size, or without one of the jobs. All jobs are
 * treated as if they started now, so nothing that they hold is kept.
 */
#include <stdlib.h>
#include <string.h>
#include "common/hostlist.h"
#include "select_io/division/division.h"
#include "select_io/division/whatif.h"

#define MAX_CHOICES 256

struct known {
	uint32_t choice[MAX_CHOICES];
	struct slu_curve curve;
};

/* Copies the job's curve. True: it is the performance table's (no runs). */
static bool take_curve(const struct slu_ion_share *share,
		       struct slu_curve *curve)
{
	uint32_t runs = 0;

	for (size_t k = 0; k < share->n_curve; k++)
		slu_curve_add(curve, share->curve[k].ions,
			      share->curve[k].bandwidth);
	for (size_t k = 0; k < share->n_curve; k++)
		runs += share->curve[k].runs;
	return share->n_curve && runs == 0;
}

static void take_job(const struct slu_assignment *a, uint32_t all,
		     const struct slu_ion_share *share, struct known *known,
		     struct slu_ion_job *job)
{
	uint32_t limit = share->limit < all ? share->limit : all;
	uint32_t nodes = share->node_cnt ? share->node_cnt : 1;
	size_t n = slu_ion_choices(nodes, limit, a->direct, known->choice,
				   MAX_CHOICES);
	bool claimed = take_curve(share, &known->curve);

	n = slu_ion_at_least(a->least, known->choice, n);

	*job = (struct slu_ion_job){
		.choice = known->choice,
		.n = n,
		.usual = slu_ion_usual(nodes, a->compute ? a->compute : 1, all,
				       known->choice, n),
		.nodes = nodes,
		.tasks = share->tasks,
		.curve = &known->curve,
		.claimed = claimed,
		.counts = share->counts,
	};
	slu_ion_groups(share->uid, share->account, job->group);
}

/* Counts all I/O nodes of the pool, including those that are down: the arbiter
 * derives the jobs' choices from all of them. */
static int configured(const struct slu_assignment *a, uint32_t *n,
		      struct slu_err *err)
{
	struct slu_hosts ions;

	if (slu_hosts_parse(a->ions ? a->ions : "", &ions, err) < 0)
		return -1;
	*n = (uint32_t)ions.n;
	slu_hosts_free(&ions);
	return 0;
}

int slu_ion_what_if(const struct slu_assignment *a,
		    const struct slu_ion_question *q,
		    struct slu_ion_grant *grant, double *total, double *table,
		    struct slu_err *err)
{
	uint32_t pool = q->pool == SLU_ION_AS_IT_IS ? a->pool : q->pool;
	uint32_t all = q->pool;
	struct known *known = calloc(a->n_jobs + 1, sizeof(*known));
	struct slu_ion_job *job = calloc(a->n_jobs + 1, sizeof(*job));
	struct slu_ion_grant *got = calloc(a->n_jobs + 1, sizeof(*got));
	struct slu_ion_division *d = slu_ion_division_new(err);
	uint32_t limit[SLU_ION_GROUPS] = {[SLU_ION_USER] = a->user_most,
					  [SLU_ION_ACCOUNT] = a->account_most};
	bool measured = false;
	size_t n = 0;
	int rc = -1;

	if (!known || !job || !got || !d) {
		slu_err(err, SLU_NOMEM, "out of memory");
		goto out;
	}
	if (q->pool == SLU_ION_AS_IT_IS && configured(a, &all, err) < 0)
		goto out;
	for (size_t i = 0; i < a->n_jobs; i++)
		if (a->jobs[i].job_id != q->without) {
			take_job(a, all, &a->jobs[i], &known[n], &job[n]);
			n++;
		}
	slu_ion_division_limits(d, limit);
	if (slu_ion_decide(d, q->policy, pool, job, n, got, NULL, err) < 0)
		goto out;
	*total = *table = 0;
	for (size_t i = 0; i < n; i++)
		measured = measured ||
			   (slu_curve_known(job[i].curve) && !job[i].claimed);
	n = 0;
	for (size_t i = 0; i < a->n_jobs; i++) {
		grant[i] = (struct slu_ion_grant){0};
		if (a->jobs[i].job_id == q->without)
			continue;
		grant[i] = got[n];
		*(measured && job[n].claimed ? table : total) +=
			grant[i].bandwidth;
		n++;
	}
	rc = 0;
out:
	slu_ion_division_free(d);
	free(got);
	free(job);
	free(known);
	return rc;
}
