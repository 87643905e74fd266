/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the jobs of one division: each has a slot, a place in the order by
 * age, and a share in the sums. A job that changes becomes dirty: it leaves the
 * sums and is posed to the solver again at the next solve.
 */
#include "select_io/division/division_jobs.h"

#include <stdlib.h>
#include <string.h>
#include "common/grow.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int reserve_parts(struct slu_ion_division *d)
{
	size_t n = d->max ? 2 * d->max : 16;

	if (d->n_slots < d->max)
		return 0;
	if (SLU_GROW(d->part, n) || SLU_GROW(d->grant, n) ||
	    SLU_GROW(d->order, n) || SLU_GROW(d->dirty, n) ||
	    SLU_GROW(d->lent, n) || SLU_GROW(d->changed, n) ||
	    SLU_GROW(d->free_slot, n) || SLU_GROW(d->of_class, n) ||
	    SLU_GROW(d->class, n))
		return -1;
	memset(d->part + d->max, 0, (n - d->max) * sizeof(*d->part));
	d->max = n;
	return 0;
}

/* Allocates n choices of this job, and the knapsack items of all jobs. */
static int reserve_items(struct slu_ion_division *d, struct part *p, size_t n)
{
	size_t all = d->n_items + n + 1;

	if (all > d->max_items) {
		if (SLU_GROW(d->item, 2 * all))
			return -1;
		d->max_items = 2 * all;
	}
	if (n > p->room) {
		if (SLU_GROW(p->choice, n))
			return -1;
		p->room = (uint32_t)n;
	}
	return 0;
}

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
	d->n_items++; /* for the shared I/O node */
	d->grant[slot] =
		(struct slu_ion_grant){.bandwidth = SLU_DIVISION_NOTHING_YET};
	return slot;
}

static double counts(const struct slu_ion_job *job)
{
	return job->counts > 0 ? job->counts : 1;
}

/* The bandwidth to divide by: of a measured curve only the measured points, of
 * a table, a trial, and for the upper bound the estimate. */
static double value_of(const struct slu_ion_division *d,
		       const struct slu_ion_job *job, uint32_t ions)
{
	if (d->loose || job->claimed || (job->tries && ions == job->trial))
		return slu_curve_at(job->curve, ions);
	return slu_curve_measured(job->curve, ions);
}

/* Is the job, with the values of its curve, the same as at the last put? Then
 * no new solve is needed. */
static bool same(const struct slu_ion_division *d, const struct part *p,
		 const struct slu_ion_job *job)
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
	    (p->known || p->claimed) != known)
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->choice[i].weight != job->choice[i] ||
		    (known &&
		     p->choice[i].value != value_of(d, job, job->choice[i])))
			return false;
	return !known || p->one == value_of(d, job, 1);
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
	p->one = curve ? value_of(d, job, 1) : 0;
	p->unsure = false;
	for (uint32_t i = 0; i < p->n; i++) {
		double value = curve ? value_of(d, job, job->choice[i]) : 0;

		p->choice[i] = (struct slu_mckp_item){job->choice[i], value};
		p->unsure |= curve &&
			     value < slu_curve_at(job->curve, job->choice[i]);
	}
}

int slu_ion_division_put_one(struct slu_ion_division *d, uint32_t *slot,
			     uint32_t age, const struct slu_ion_job *job,
			     struct slu_err *err)
{
	if (*slot != SLU_ION_NEW && same(d, &d->part[*slot], job))
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
	slu_ion_make_dirty(d, slot); /* removes it from the sums */
	leave(d->dirty, &d->n_dirty, slot);
	leave(d->lent, &d->n_lent, slot);
	p->lent = false;
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
