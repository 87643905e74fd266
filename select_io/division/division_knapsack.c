/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Poses a division as a knapsack. Each job has a range of open choices: all of
 * them, a single one if its number is fixed, or none if it shares an I/O node
 * and may not be changed. While the minima of all jobs fit in the pool, a range
 * depends only on its job, and only changed jobs are passed to the solver
 * again. Otherwise single choices are lowered until they fit; if they never do,
 * the shared I/O node becomes an item of every job that may be changed
 * (infeasible_fixed.c).
 */
#include "select_io/division/division_jobs.h"

/* Ranges. */

/* Index of this number among the choices; n if it is none. */
uint32_t slu_ion_choice_of(const struct part *p, uint32_t ions)
{
	uint32_t i = 0;

	while (i < p->n && p->choice[i].weight != ions)
		i++;
	return i;
}

/* Index of the greatest choice <= want, or 0. */
static uint32_t round_down(const struct part *p, uint64_t want)
{
	uint32_t n = p->n;

	while (n > 1 && p->choice[n - 1].weight > want)
		n--;
	return n - 1;
}

/* round(pool x part / all) */
static uint64_t portion(uint32_t pool, uint32_t part, uint64_t all)
{
	return all ? ((uint64_t)pool * part * 2 + all) / (2 * all) : 0;
}

static uint32_t best_choice(const struct part *p)
{
	uint32_t best = 0;

	if (!p->known && !p->claimed)
		return p->usual;
	for (uint32_t i = 1; i < p->n; i++)
		if (p->choice[i].value > p->choice[best].value)
			best = i;
	return p->choice[best].weight;
}

/* The number by a policy that has a single number for each job. */
static uint64_t asked(const struct slu_ion_division *d, const struct part *p)
{
	switch (d->policy) {
	case SLU_ION_ZERO:
		return 0;
	case SLU_ION_ONE:
		return 1;
	case SLU_ION_SIZE:
		return portion(d->pool, p->nodes, d->all_nodes);
	case SLU_ION_PROCESS:
		return portion(d->pool, p->tasks, d->all_tasks);
	case SLU_ION_ORACLE:
		return best_choice(p);
	case SLU_ION_STATIC:
	case SLU_ION_MCKP:
	case SLU_ION_POLICIES:
		break;
	}
	return p->usual;
}

/* Is the bandwidth with the number that STATIC grants known? */
static bool static_is_known(const struct slu_ion_division *d,
			    const struct part *p)
{
	const struct slu_ion_grant *s = &d->as_static->grant[p - d->part];
	uint32_t at = slu_ion_choice_of(p, s->ions);

	if (p->table)
		return true;
	return s->shared ? p->one > 0 : at < p->n && p->choice[at].value > 0;
}

/* The number of STATIC. If numbers are fixed at the start, or the curve is a
 * table's: the best known number up to it. A job may be lowered only if its
 * number is fixed from its start on, after a resize. */
static struct range range_of_static(const struct slu_ion_division *d,
				    const struct part *p)
{
	const struct slu_ion_grant *s = &d->as_static->grant[p - d->part];
	uint32_t best = slu_ion_choice_of(p, s->ions);

	if (s->shared)
		return (struct range){0, 0, true};
	for (uint32_t i = static_is_known(d, p) ? best : 0; i-- > 0;)
		if (p->choice[i].value > p->choice[best].value)
			best = i;
	return (struct range){best, 1, !p->fixed};
}

/* The number on trial; where numbers are fixed at the start, at most the one of
 * STATIC. It may be lowered. */
static struct range range_of_trial(const struct slu_ion_division *d,
				   const struct part *p)
{
	const struct slu_ion_grant *s = &d->as_static->grant[p - d->part];
	uint32_t most = p->fixed && s->ions < p->trial ? s->ions : p->trial;

	return (struct range){round_down(p, most), 1, false};
}

static struct range open_range(const struct slu_ion_division *d,
			       const struct part *p)
{
	uint32_t held = slu_ion_choice_of(p, p->held);
	bool fixed = p->holds && (p->fixed || d->policy == SLU_ION_STATIC);

	if (d->loose)
		return (struct range){0, p->known ? p->n : 1, false};
	if (fixed && p->shares)
		return (struct range){0, 0, true};
	if (fixed && held < p->n)
		return (struct range){held, 1, true};
	if (d->policy == SLU_ION_MCKP && p->known &&
	    (p->fixed ? p->tries : static_is_known(d, p)))
		return p->tries ? range_of_trial(d, p)
				: (struct range){0, p->n, false};
	if (d->policy == SLU_ION_MCKP)
		return range_of_static(d, p);
	return (struct range){round_down(p, asked(d, p)), 1, false};
}

/* Opens the ranges of the changed jobs and adds them to the sums. */
void slu_ion_open_ranges(struct slu_ion_division *d)
{
	if (d->all || d->policy == SLU_ION_SIZE ||
	    d->policy == SLU_ION_PROCESS) /* the others' sums are in them */
		for (size_t i = 0; i < d->n; i++)
			slu_ion_make_dirty(d, d->order[i]);
	for (size_t i = 0; i < d->n_dirty; i++) {
		struct part *p = &d->part[d->dirty[i]];

		p->open = open_range(d, p);
		p->counted = slu_ion_least(p, &p->open);
		p->counted_sharing = d->loose ? p->shares : !p->open.n;
		p->counted_narrow = p->open.n < p->n || p->unsure;
		d->least += p->counted;
		d->n_sharing += p->counted_sharing;
		d->n_narrow += p->counted_narrow;
		p->range = p->open;
	}
	if (d->tight) /* the last solve has lowered them */
		for (size_t i = 0; i < d->n; i++)
			d->part[d->order[i]].range = d->part[d->order[i]].open;
}

/* The knapsack. */

/* The upper bound is one of bandwidths, so their weights are left out. */
static double counts(const struct slu_ion_division *d, const struct part *p)
{
	return d->loose ? 1 : p->counts;
}

/* The bandwidth of a job that can only share is guessed if it is unknown. */
static double guessed(const struct slu_ion_division *d, const struct part *p,
		      double known)
{
	return p->known && (known > 0 || p->range.n > 1) ? known : d->guess;
}

static double value(const struct slu_ion_division *d, const struct part *p,
		    uint32_t i)
{
	return guessed(d, p, p->choice[i].value) * counts(d, p);
}

static double shared_value(const struct slu_ion_division *d,
			   const struct part *p)
{
	return guessed(d, p, p->one) / (double)d->n * counts(d, p);
}

/* The items of a job; if it may share, the shared I/O node is the last. */
void slu_ion_make_class(const struct slu_ion_division *d, struct part *p,
			struct slu_mckp_item *item,
			struct slu_mckp_class *class)
{
	const struct range *r = &p->range;

	*class = (struct slu_mckp_class){.item = item, .hold = SLU_MCKP_NONE};
	for (; class->n < r->n; class->n++) {
		uint32_t i = r->low + class->n;

		if (p->holds && !p->shares && p->held == p->choice[i].weight)
			class->hold = class->n;
		item[class->n] = (struct slu_mckp_item){p->choice[i].weight,
							value(d, p, i)};
	}
	if (r->n == 0 || (d->share && !r->pinned && slu_ion_least(p, r) > 0)) {
		if (p->holds && p->shares)
			class->hold = class->n;
		item[class->n++] =
			(struct slu_mckp_item){0, shared_value(d, p)};
	}
	p->posed = *r;
}

static int pose_all(struct slu_ion_division *d, struct slu_err *err)
{
	struct slu_mckp_problem problem = {d->class, (uint32_t)d->n,
					   d->capacity};
	struct slu_mckp_item *item = d->item;

	for (size_t i = 0; i < d->n; i++) {
		struct part *p = &d->part[d->order[i]];

		slu_ion_make_class(d, p, item, &d->class[i]);
		item += d->class[i].n;
		p->class = (uint32_t)i;
		d->of_class[i] = d->order[i];
	}
	return slu_mckp_load(d->solver, &problem, err);
}

static int pose_one(struct slu_ion_division *d, uint32_t slot,
		    struct slu_err *err)
{
	struct part *p = &d->part[slot];
	struct slu_mckp_class class;

	slu_ion_make_class(d, p, d->item, &class);
	if (p->class != SLU_MCKP_NONE)
		slu_mckp_remove(d->solver, p->class);
	p->class = SLU_MCKP_NONE;
	if (slu_mckp_add(d->solver, &class, &p->class, err) < 0)
		return -1;
	d->of_class[p->class] = slot;
	return 0;
}

static bool differs(const struct range *a, const struct range *b)
{
	return a->low != b->low || a->n != b->n || a->pinned != b->pinned;
}

int slu_ion_pose(struct slu_ion_division *d, bool was_tight, bool was_shared,
		 struct slu_err *err)
{
	if (d->all || d->share || was_shared ||
	    d->n_dirty > SLU_DIVISION_AT_ONCE + d->n / SLU_DIVISION_AT_ONCE)
		return pose_all(d, err);
	for (size_t i = 0; i < d->n_dirty; i++)
		if (pose_one(d, d->dirty[i], err) < 0)
			return -1;
	if (d->tight || was_tight)
		for (size_t i = 0; i < d->n; i++) {
			struct part *p = &d->part[d->order[i]];

			if (differs(&p->posed, &p->range) &&
			    pose_one(d, d->order[i], err) < 0)
				return -1;
		}
	slu_mckp_capacity(d->solver, d->capacity);
	return 0;
}
