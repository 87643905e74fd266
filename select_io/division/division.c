/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of one division: its jobs, which changed since the last solve (dirty),
 * and their grants. division_knapsack.c turns every policy into one knapsack;
 * shadow_divisions.c keeps two shadow copies (STATIC, and nothing fixed) as
 * limit and upper bound. Invariants for jobs that are not dirty: part.posed is
 * what the solver has, and they alone are counted in least, n_sharing and
 * n_narrow.
 */
#include <stdlib.h>
#include <string.h>
#include "select_io/division/division_private.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* Memory. */

static int grow(void *array, size_t n, size_t size)
{
	void *p = realloc(*(void **)array, n * size);

	if (p)
		*(void **)array = p;
	return p ? 0 : -1;
}

#define GROW(array, n) grow(&(array), (n), sizeof(*(array)))

static int reserve_parts(struct slu_ion_division *d)
{
	size_t n = d->max ? 2 * d->max : 16;

	if (d->n_slots < d->max)
		return 0;
	if (GROW(d->part, n) || GROW(d->grant, n) || GROW(d->order, n) ||
	    GROW(d->dirty, n) || GROW(d->lent, n) || GROW(d->changed, n) ||
	    GROW(d->free_slot, n) || GROW(d->of_class, n) ||
	    GROW(d->class, n) || GROW(d->fresh, n))
		return -1;
	memset(d->part + d->max, 0, (n - d->max) * sizeof(*d->part));
	d->max = n;
	return 0;
}

/* For the choices of one job, and for the items of all. */
static int reserve_items(struct slu_ion_division *d, struct part *p, size_t n)
{
	size_t all = d->n_items + n + 1;

	if (all > d->max_items) {
		if (GROW(d->item, 2 * all))
			return -1;
		d->max_items = 2 * all;
	}
	if (n > p->room) {
		if (GROW(p->choice, n))
			return -1;
		p->room = (uint32_t)n;
	}
	return 0;
}

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
	free(d->fresh);
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
	d->n_lent = d->n_changed = d->n_fresh = 0;
	d->n_items = 0;
	d->least = d->all_nodes = d->all_tasks = 0;
	d->n_sharing = d->n_narrow = d->n_shares = 0;
	d->n_tables = d->n_measured = 0;
	d->by_tables = false;
	d->host = SLU_ION_NEW;
	d->all = true;
}

/* Jobs. */

void slu_ion_make_dirty(struct slu_ion_division *d, uint32_t slot)
{
	struct part *p = &d->part[slot];

	if (p->dirty)
		return;
	p->dirty = true;
	d->dirty[d->n_dirty++] = slot;
	d->least -= p->counted;
	d->n_sharing -= p->counted_sharing;
	d->n_narrow -= p->counted_narrow;
	p->counted = 0;
	p->counted_sharing = p->counted_narrow = false;
}

static void leave(uint32_t *list, size_t *n, uint32_t slot)
{
	for (size_t i = *n; i-- > 0;)
		if (list[i] == slot) {
			list[i] = list[--*n];
			return;
		}
}

size_t slu_ion_division_position(const struct slu_ion_division *d, uint32_t age)
{
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->part[d->order[mid]].age < age)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static uint32_t add(struct slu_ion_division *d, uint32_t age)
{
	uint32_t slot =
		d->n_free ? d->free_slot[--d->n_free] : (uint32_t)d->n_slots++;
	struct part *p = &d->part[slot];
	size_t at = slu_ion_division_position(d, age);

	*p = (struct part){.age = age,
			   .class = SLU_MCKP_NONE,
			   .choice = p->choice,
			   .room = p->room,
			   .used = true};
	memmove(&d->order[at + 1], &d->order[at],
		(d->n - at) * sizeof(*d->order));
	d->order[at] = slot;
	d->n++;
	d->n_items++; /* the shared I/O node */
	d->grant[slot] =
		(struct slu_ion_grant){.bandwidth = SLU_DIVISION_NOTHING_YET};
	return slot;
}

static double counts(const struct slu_ion_job *job)
{
	return job->counts > 0 ? job->counts : 1;
}

/* Is the job unchanged, its curve's values included? Then no new solve. */
static bool same(const struct part *p, const struct slu_ion_job *job)
{
	bool known = slu_curve_known(job->curve);

	if (p->table != (known && job->claimed))
		return false;
	if (p->n != job->n || p->usual != job->usual ||
	    p->nodes != job->nodes || p->tasks != job->tasks ||
	    p->fixed != job->fixed || p->holds != job->holds ||
	    p->counts != counts(job) ||
	    memcmp(p->group, job->group, sizeof(p->group)) != 0 ||
	    p->tries != job->tries || (p->tries && p->trial != job->trial) ||
	    (job->holds &&
	     (p->shares != job->shares || p->held != job->held)) ||
	    (p->known || p->claimed) != known ||
	    (known && p->most != slu_curve_most(job->curve)))
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->choice[i].weight != job->choice[i] ||
		    (known && p->choice[i].value !=
				      slu_curve_at(job->curve, job->choice[i])))
			return false;
	return !known || p->one == slu_curve_at(job->curve, 1);
}

static void count_measured(struct slu_ion_division *d, const struct part *p,
			   int sign)
{
	d->n_tables += (size_t)(sign * (int)p->table);
	d->n_measured += (size_t)(sign * (int)(p->known && !p->table));
}

static void copy(struct slu_ion_division *d, uint32_t slot,
		 const struct slu_ion_job *job)
{
	struct part *p = &d->part[slot];
	bool curve = slu_curve_known(job->curve);

	d->n_items += job->n - p->n;
	d->all_nodes += job->nodes - (uint64_t)p->nodes;
	d->all_tasks += job->tasks - (uint64_t)p->tasks;
	if (p->fresh && job->holds)
		leave(d->fresh, &d->n_fresh, slot);
	else if (!p->fresh && !job->holds)
		d->fresh[d->n_fresh++] = slot;
	p->fresh = !job->holds;
	p->n = (uint32_t)job->n;
	p->usual = job->usual;
	p->nodes = job->nodes;
	p->tasks = job->tasks;
	p->fixed = job->fixed;
	p->holds = job->holds;
	d->n_shares += (job->holds && job->shares) - (size_t)p->shares;
	p->shares = job->holds && job->shares;
	p->held = job->held;
	p->counts = counts(job);
	memcpy(p->group, job->group, sizeof(p->group));
	p->tries = job->tries;
	p->trial = job->trial;
	count_measured(d, p, -1);
	p->table = curve && job->claimed;
	p->known = curve && (!p->table || d->by_tables);
	p->claimed = p->table && !p->known;
	count_measured(d, p, 1);
	p->most = curve ? slu_curve_most(job->curve) : 0;
	p->one = curve ? slu_curve_at(job->curve, 1) : 0;
	for (uint32_t i = 0; i < p->n; i++)
		p->choice[i] = (struct slu_mckp_item){
			job->choice[i],
			curve ? slu_curve_at(job->curve, job->choice[i]) : 0};
}

int slu_ion_division_put_one(struct slu_ion_division *d, uint32_t *slot,
			     uint32_t age, const struct slu_ion_job *job,
			     struct slu_err *err)
{
	if (*slot != SLU_ION_NEW && same(&d->part[*slot], job))
		return 0;
	if (*slot == SLU_ION_NEW) {
		if (reserve_parts(d) < 0)
			return nomem(err);
		*slot = add(d, age);
	}
	if (reserve_items(d, &d->part[*slot], job->n) < 0) {
		slu_ion_division_drop_one(d, *slot);
		*slot = SLU_ION_NEW;
		return nomem(err);
	}
	if (d->host == age && !job->holds)
		d->host = SLU_ION_NEW;
	slu_ion_make_dirty(d, *slot);
	copy(d, *slot, job);
	return 0;
}

void slu_ion_division_drop_one(struct slu_ion_division *d, uint32_t slot)
{
	struct part *p = &d->part[slot];
	size_t at = slu_ion_division_position(d, p->age);

	if (d->host == p->age)
		d->host = SLU_ION_NEW;
	slu_ion_make_dirty(d, slot); /* out of the sums */
	leave(d->dirty, &d->n_dirty, slot);
	leave(d->lent, &d->n_lent, slot);
	p->lent = false;
	if (p->fresh)
		leave(d->fresh, &d->n_fresh, slot);
	if (p->class != SLU_MCKP_NONE)
		slu_mckp_remove(d->solver, p->class);
	d->n_items -= p->n + 1;
	d->all_nodes -= p->nodes;
	d->all_tasks -= p->tasks;
	d->n_shares -= p->shares;
	count_measured(d, p, -1);
	d->n--;
	memmove(&d->order[at], &d->order[at + 1],
		(d->n - at) * sizeof(*d->order));
	d->free_slot[d->n_free++] = slot;
	p->used = false;
	d->grant[slot] = (struct slu_ion_grant){0};
}

void slu_ion_division_rule(struct slu_ion_division *d,
			   enum slu_ion_policy policy, uint32_t pool)
{
	d->all = d->all || d->policy != policy || (pool == 0) != (d->pool == 0);
	d->policy = policy;
	d->pool = pool;
}

/* Grants. */

void slu_ion_give(struct slu_ion_division *d, uint32_t slot,
		  struct slu_ion_grant grant)
{
	struct slu_ion_grant *old = &d->grant[slot];

	if (old->ions == grant.ions && old->shared == grant.shared &&
	    old->bandwidth == grant.bandwidth)
		return;
	*old = grant;
	if (d->part[slot].told != d->round)
		d->changed[d->n_changed++] = d->part[slot].age;
	d->part[slot].told = d->round;
}

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

/* Whose grant may be another one than before. */
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

/* From the jobs, whatever has changed: in a group each depends on the others.
 * The solver then knows groups, not jobs. */
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

/* Empty pool: direct access, for jobs that are allowed it. */
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

/* As long as no job was measured, tables are compared with each other. */
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
