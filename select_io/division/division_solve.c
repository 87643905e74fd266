/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Solves one division: updates the knapsack by the jobs that have changed since
 * the last solve (dirty), and reads the grants from its solution.
 * division_knapsack.c turns every policy into one knapsack; shadow_divisions.c
 * keeps two shadow copies (STATIC, and nothing fixed) as limit and upper bound.
 *
 * Invariants for jobs that are not dirty: part.posed is what the solver has,
 * and they alone are counted in least, n_sharing and n_narrow.
 */
#include <stdlib.h>
#include "select_io/division/division_private.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* Memory. */

struct slu_ion_division *slu_ion_division_bare(struct slu_err *err)
{
	struct slu_mckp_problem none = {0};
	struct slu_ion_division *d = calloc(1, sizeof(*d));

	if (!d) {
		nomem(err);
		return NULL;
	}
	d->policy = SLU_ION_MCKP;
	d->host = SLU_ION_NEW;
	d->all = true;
	d->solver = slu_mckp_setup(&none, NULL, err);
	if (d->solver)
		return d;
	slu_ion_division_free(d);
	return NULL;
}

void slu_ion_division_free(struct slu_ion_division *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->max; i++)
		free(d->part[i].choice);
	free(d->part);
	free(d->grant);
	free(d->order);
	free(d->dirty);
	free(d->lent);
	free(d->changed);
	free(d->free_slot);
	free(d->of_class);
	free(d->class);
	free(d->item);
	slu_mckp_free(d->solver);
	slu_ion_division_free(d->as_static);
	slu_ion_division_free(d->loosest);
	free(d);
}

void slu_ion_division_clear(struct slu_ion_division *d)
{
	if (d->as_static) {
		slu_ion_division_clear(d->as_static);
		slu_ion_division_clear(d->loosest);
	}
	for (size_t i = 0; i < d->n_slots; i++) {
		uint32_t room = d->part[i].room;

		d->part[i] = (struct part){.choice = d->part[i].choice,
					   .room = room};
	}
	d->n_slots = d->n_free = d->n = d->n_dirty = 0;
	d->n_lent = d->n_changed = 0;
	d->n_items = 0;
	d->least = d->all_nodes = d->all_tasks = 0;
	d->n_sharing = d->n_narrow = d->n_shares = 0;
	d->n_tables = d->n_measured = 0;
	d->by_tables = false;
	d->host = SLU_ION_NEW;
	d->all = true;
}

/* Jobs. */

void slu_ion_division_rule(struct slu_ion_division *d,
			   enum slu_ion_policy policy, uint32_t pool)
{
	d->all = d->all || d->policy != policy || (pool == 0) != (d->pool == 0);
	d->policy = policy;
	d->pool = pool;
}

/* Grants. */

static void grant(struct slu_ion_division *d, uint32_t slot)
{
	const struct part *p = &d->part[slot];
	uint32_t chosen =
		d->bundles ? p->chosen : slu_mckp_choice(d->solver, p->class);
	struct slu_ion_grant grant = {.shared = chosen >= p->range.n};

	if (!grant.shared)
		grant.ions = p->choice[p->range.low + chosen].weight;
	if (!grant.shared)
		grant.bandwidth = p->choice[p->range.low + chosen].value;
	else
		grant.bandwidth = p->one / (double)d->n;
	slu_ion_give(d, slot, grant);
}

/* Grants of the classes whose choice may have changed. */
static void read_grants(struct slu_ion_division *d,
			const struct slu_mckp_solution *s, bool everybody)
{
	if (everybody) {
		for (size_t i = 0; i < d->n; i++)
			grant(d, d->order[i]);
	} else {
		for (uint32_t i = 0; i < s->n_changed; i++)
			grant(d, d->of_class[s->changed[i]]);
		for (size_t i = 0; i < d->n_dirty; i++)
			grant(d, d->dirty[i]);
		for (size_t i = 0; i < d->n_lent; i++)
			grant(d, d->lent[i]);
	}
	while (d->n_lent > 0)
		d->part[d->lent[--d->n_lent]].lent = false;
}

static void settle(struct slu_ion_division *d)
{
	for (size_t i = 0; i < d->n_dirty; i++)
		d->part[d->dirty[i]].dirty = false;
	d->n_dirty = 0;
	d->all = false;
}

/* Builds all classes anew: within a group every job depends on the others. The
 * solver's classes are then groups instead of jobs. */
static int pose_limited(struct slu_ion_division *d, struct slu_err *err)
{
	d->all = true;
	slu_ion_open_ranges(d);
	if (slu_ion_keep_limits(d, err) < 0)
		return -1;
	slu_ion_tighten(d);
	for (size_t i = 0; i < d->n; i++)
		d->part[d->order[i]].class = SLU_MCKP_NONE;
	return slu_ion_pose_bundles(d, err);
}

static int pose(struct slu_ion_division *d, struct slu_err *err)
{
	bool was_tight = d->tight, was_shared = d->share;

	if (slu_ion_limited(d))
		return pose_limited(d, err);
	slu_ion_open_ranges(d);
	slu_ion_tighten(d);
	return slu_ion_pose(d, was_tight, was_shared, err);
}

static int solve(struct slu_ion_division *d, struct slu_err *err)
{
	struct slu_mckp_solution s = {.choice = NULL};
	bool was_shared = d->share;
	struct slu_mckp_info info;

	if (pose(d, err) < 0)
		return -1;
	slu_mckp_solve(d->solver, &s, &info);
	if (!s.feasible)
		return slu_err(err, SLU_INTERNAL,
			       "%zu jobs do not fit on %u I/O nodes", d->n,
			       d->capacity);
	if (d->bundles)
		slu_ion_open_bundles(d);
	read_grants(d, &s, d->all || d->share || was_shared);
	if (d->policy == SLU_ION_MCKP && !d->share)
		slu_ion_lend(d, d->capacity - (uint32_t)s.weight);
	settle(d);
	d->bound = info.bound;
	d->proved = info.proved;
	d->narrow = d->n_narrow > 0;
	return 0;
}

/* Empty pool: direct access for jobs that may use it. */
static void solve_empty(struct slu_ion_division *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct part *p = &d->part[d->order[i]];
		bool direct = p->choice[0].weight == 0;

		slu_ion_give(
			d, d->order[i],
			(struct slu_ion_grant){
				.bandwidth = direct ? p->choice[0].value : 0});
	}
	d->all = true;
}

/* While no job was measured, bandwidths of tables are compared with each other.
 */
static void choose_unit(struct slu_ion_division *d)
{
	bool by_tables = d->n_tables && !d->n_measured;

	if (by_tables == d->by_tables)
		return;
	d->by_tables = by_tables;
	d->all = true;
	for (size_t i = 0; i < d->n; i++) {
		struct part *p = &d->part[d->order[i]];

		p->claimed = p->table && !by_tables;
		p->known = p->table ? by_tables : p->known;
	}
}

int slu_ion_division_solve_one(struct slu_ion_division *d, struct slu_err *err)
{
	int rc = 0;

	choose_unit(d);
	d->n_changed = 0;
	d->round++;
	d->bound = 0;
	d->proved = true;
	d->narrow = false;
	if (d->pool == 0)
		solve_empty(d);
	else
		rc = solve(d, err);
	d->all = d->all || rc < 0 || d->bundles;
	slu_ion_bundles_free(d->bundles);
	d->bundles = NULL;
	return rc;
}

struct slu_ion_grant slu_ion_division_grant(const struct slu_ion_division *d,
					    uint32_t slot)
{
	return d->grant[slot];
}

double slu_ion_division_worth(const struct slu_ion_division *d)
{
	double worth = 0;

	for (size_t i = 0; i < d->n_slots; i++)
		if (!d->part[i].claimed)
			worth += d->grant[i].bandwidth * d->part[i].counts;
	return worth;
}

double slu_ion_division_total(const struct slu_ion_division *d, bool claimed)
{
	double total = 0;

	for (size_t i = 0; i < d->n_slots; i++)
		if (d->part[i].claimed == claimed)
			total += d->grant[i].bandwidth;
	return total;
}

const uint32_t *slu_ion_division_changed(const struct slu_ion_division *d,
					 size_t *n)
{
	*n = d->n_changed;
	return d->changed;
}
