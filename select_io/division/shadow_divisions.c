/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps two shadow divisions beside a division, of the same jobs: STATIC, whose
 * grants limit what MCKP may do to each job (policy.h says why), and a knapsack
 * with no number fixed, whose value is an upper bound for every division.
 *
 * While the number of a job may change, STATIC divides anew, too. A job whose
 * number is fixed keeps the number of STATIC's shadow; a job that got none
 * there (slurmctld was restarted, or numbers were not fixed before) keeps what
 * it really holds.
 */
#include <math.h>
#include "select_io/division/division_jobs.h"

struct slu_ion_division *slu_ion_division_new(struct slu_err *err)
{
	struct slu_ion_division *d = slu_ion_division_bare(err);

	if (!d)
		return NULL;
	d->as_static = slu_ion_division_bare(err);
	d->loosest = slu_ion_division_bare(err);
	if (d->as_static && d->loosest) {
		d->loosest->loose = true;
		return d;
	}
	slu_ion_division_free(d);
	return NULL;
}

static bool is_choice(const struct slu_ion_job *job, uint32_t ions)
{
	for (size_t i = 0; i < job->n; i++)
		if (job->choice[i] == ions)
			return true;
	return false;
}

/* The job as the shadow division of STATIC sees it. */
static struct slu_ion_job static_job(const struct slu_ion_division *s,
				     uint32_t slot,
				     const struct slu_ion_job *job)
{
	struct slu_ion_job out = *job;
	const struct slu_ion_grant *had;

	out.tries = false;
	out.holds = job->fixed && job->holds;
	if (!out.holds || slot == SLU_ION_NEW)
		return out;
	had = &s->grant[slot];
	if (had->bandwidth == SLU_DIVISION_NOTHING_YET ||
	    !(had->shared || is_choice(job, had->ions)))
		return out;
	out.shares = had->shared;
	out.held = had->ions;
	return out;
}

int slu_ion_division_put(struct slu_ion_division *d, uint32_t *slot,
			 uint32_t age, const struct slu_ion_job *job,
			 struct slu_err *err)
{
	struct slu_ion_job as_static = static_job(d->as_static, *slot, job);
	struct slu_ion_job loose = *job;
	uint32_t other[2] = {*slot, *slot};

	loose.fixed = false;
	if (slu_ion_division_put_one(d, slot, age, job, err) < 0) {
		if (other[0] != SLU_ION_NEW) {
			slu_ion_division_drop_one(d->as_static, other[0]);
			slu_ion_division_drop_one(d->loosest, other[1]);
		}
		return -1;
	}
	if (slu_ion_division_put_one(d->as_static, &other[0], age, &as_static,
				     err) == 0 &&
	    slu_ion_division_put_one(d->loosest, &other[1], age, &loose, err) ==
		    0)
		return 0;
	slu_ion_division_drop_one(d, *slot);
	if (other[0] != SLU_ION_NEW)
		slu_ion_division_drop_one(d->as_static, other[0]);
	if (other[1] != SLU_ION_NEW)
		slu_ion_division_drop_one(d->loosest, other[1]);
	*slot = SLU_ION_NEW;
	return -1;
}

void slu_ion_division_drop(struct slu_ion_division *d, uint32_t slot)
{
	slu_ion_division_drop_one(d, slot);
	slu_ion_division_drop_one(d->as_static, slot);
	slu_ion_division_drop_one(d->loosest, slot);
}

static uint32_t own(const struct part *p)
{
	return p->holds && !p->shares ? p->held : 0;
}

/* I/O nodes have failed; their jobs are new in both divisions. STATIC may hold
 * more for the other jobs than they really hold: the excess is taken from
 * these, the newest first. */
static void fit_static(struct slu_ion_division *d, uint32_t pool)
{
	struct slu_ion_division *s = d->as_static;
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += own(&s->part[s->order[i]]);
	for (size_t i = s->n; i-- > 0 && sum > pool;) {
		uint32_t slot = s->order[i], really = own(&d->part[slot]);
		struct part *p = &s->part[slot];

		if (own(p) <= really)
			continue;
		slu_ion_make_dirty(s, slot);
		sum -= p->held - really;
		p->held = really;
	}
}

void slu_ion_division_rules(struct slu_ion_division *d,
			    enum slu_ion_policy policy, uint32_t pool,
			    bool shares_owned)
{
	if (pool < d->as_static->pool)
		fit_static(d, pool);
	d->shares_owned = shares_owned;
	slu_ion_division_rule(d, policy, pool);
	slu_ion_division_rule(d->as_static, SLU_ION_STATIC, pool);
	slu_ion_division_rule(d->loosest, SLU_ION_MCKP, pool);
}

/* A job whose grant by STATIC has changed may get another number. Those whose
 * curve is a table's may get any number at any time. */
static void follow_static(struct slu_ion_division *d)
{
	const struct slu_ion_division *s = d->as_static;

	for (size_t i = 0; i < s->n_changed; i++) {
		size_t at = slu_ion_division_position(d, s->changed[i]);
		const struct part *p = &d->part[d->order[at]];

		if (!p->known || p->fixed || !p->table)
			slu_ion_make_dirty(d, d->order[at]);
	}
}

int slu_ion_division_solve(struct slu_ion_division *d,
			   struct slu_ion_proof *proof, struct slu_err *err)
{
	if (slu_ion_division_solve_one(d->as_static, err) < 0)
		return -1;
	follow_static(d);
	if (slu_ion_division_solve_one(d, err) < 0)
		return -1;
	return proof ? slu_ion_division_bound(d, proof, err) : 0;
}

static bool weighs(const struct slu_ion_division *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->part[d->order[i]].counts != 1)
			return true;
	return false;
}

int slu_ion_division_bound(struct slu_ion_division *d,
			   struct slu_ion_proof *proof, struct slu_err *err)
{
	bool fixed = d->policy != SLU_ION_MCKP || d->narrow || d->share ||
		     d->n_shares || slu_ion_limited(d) || weighs(d);
	double total = slu_ion_division_total(d, false);

	d->loosest->shares_owned = d->share;
	if (fixed && slu_ion_division_solve_one(d->loosest, err) < 0)
		return -1;
	*proof = (struct slu_ion_proof){
		.bound = fixed ? d->loosest->bound : d->bound,
		.proved = d->proved,
	};
	proof->gap = fmax(proof->bound - total, 0);
	return 0;
}

struct slu_ion_grant
slu_ion_division_static_grant(const struct slu_ion_division *d, uint32_t slot)
{
	return d->as_static->grant[slot];
}

double slu_ion_division_static_worth(const struct slu_ion_division *d)
{
	return slu_ion_division_worth(d->as_static);
}

double slu_ion_division_static_total(const struct slu_ion_division *d,
				     bool claimed)
{
	return slu_ion_division_total(d->as_static, claimed);
}
