/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares and merges assignments in one pass over lists that are sorted by job
 * id.
 */
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/ion/assignment_delta.h"

static bool same_curve(const struct slu_ion_share *a,
		       const struct slu_ion_share *b)
{
	for (size_t i = 0; i < a->n_curve && i < b->n_curve; i++) {
		const struct slu_ion_point *p = &a->curve[i];
		const struct slu_ion_point *q = &b->curve[i];

		if (p->ions != q->ions || p->runs != q->runs ||
		    p->mean != q->mean || p->spread != q->spread ||
		    p->bandwidth != q->bandwidth)
			return false;
	}
	return a->n_curve == b->n_curve;
}

static bool same(const struct slu_ion_share *a, const struct slu_ion_share *b)
{
	return a->wanted == b->wanted && a->in_effect == b->in_effect &&
	       a->bandwidth == b->bandwidth && a->shared == b->shared &&
	       a->node_cnt == b->node_cnt && a->tasks == b->tasks &&
	       a->limit == b->limit && slu_eq(a->ions, b->ions) &&
	       slu_eq(a->nodes, b->nodes) && slu_eq(a->name, b->name) &&
	       slu_eq(a->why, b->why) && a->uid == b->uid &&
	       slu_eq(a->account, b->account) && a->counts == b->counts &&
	       same_curve(a, b);
}

int slu_delta_make(const struct slu_assignment *before,
		   const struct slu_assignment *now, struct slu_assignment *out)
{
	struct slu_assignment d = *now;
	size_t i = 0, k = 0;

	d.base = before->epoch;
	d.n_jobs = d.n_gone = 0;
	d.jobs = calloc(now->n_jobs + 1, sizeof(*d.jobs));
	d.gone = calloc(before->n_jobs + 1, sizeof(*d.gone));
	if (!d.jobs || !d.gone) {
		slu_delta_free(&d);
		return -1;
	}
	while (i < before->n_jobs || k < now->n_jobs) {
		const struct slu_ion_share *old = &before->jobs[i];
		const struct slu_ion_share *new = &now->jobs[k];

		if (k == now->n_jobs ||
		    (i < before->n_jobs && old->job_id < new->job_id)) {
			d.gone[d.n_gone++].job_id = old->job_id;
			i++;
			continue;
		}
		k++;
		if (i < before->n_jobs && old->job_id == new->job_id) {
			i++;
			if (same(old, new))
				continue;
		}
		d.jobs[d.n_jobs++] = *new;
	}
	*out = d;
	return 0;
}

void slu_delta_free(struct slu_assignment *d)
{
	free(d->jobs);
	free(d->gone);
	*d = (struct slu_assignment){0};
}

static bool copy_text(char **text)
{
	if (*text)
		*text = strdup(*text);
	return *text != NULL;
}

/* Deep copy; after an error the part that was copied is valid and its own. */
static int copy_share(struct slu_ion_share *out,
		      const struct slu_ion_share *from)
{
	bool good;

	*out = *from;
	good = copy_text(&out->name) || !from->name;
	good = (copy_text(&out->nodes) || !from->nodes) && good;
	good = (copy_text(&out->ions) || !from->ions) && good;
	good = (copy_text(&out->why) || !from->why) && good;
	good = (copy_text(&out->account) || !from->account) && good;
	out->curve = calloc(from->n_curve + 1, sizeof(*out->curve));
	if (!out->curve) {
		out->n_curve = 0;
		return -1;
	}
	if (from->n_curve)
		memcpy(out->curve, from->curve,
		       from->n_curve * sizeof(*out->curve));
	return good ? 0 : -1;
}

static int by_job(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Is the job in the delta, as changed or as ended? Both kinds of records begin
 * with the job's id. */
static bool superseded(const struct slu_assignment *delta, uint32_t job_id)
{
	_Static_assert(offsetof(struct slu_ion_share, job_id) == 0 &&
			       offsetof(struct slu_job_ref, job_id) == 0,
		       "by_job");
	return (delta->n_jobs && bsearch(&job_id, delta->jobs, delta->n_jobs,
					 sizeof(*delta->jobs), by_job)) ||
	       (delta->n_gone && bsearch(&job_id, delta->gone, delta->n_gone,
					 sizeof(*delta->gone), by_job));
}

static void sort(struct slu_assignment *delta)
{
	if (delta->n_jobs)
		qsort(delta->jobs, delta->n_jobs, sizeof(*delta->jobs), by_job);
	if (delta->n_gone)
		qsort(delta->gone, delta->n_gone, sizeof(*delta->gone), by_job);
}

/* Adds the jobs, none of which is in *delta, to it. The list `jobs` has space
 * for the delta's own jobs, too. */
static void complete(struct slu_assignment *delta, struct slu_ion_share *jobs,
		     size_t n)
{
	size_t k = delta->n_jobs, at = n + k;

	delta->n_jobs = at;
	while (k > 0)
		if (n > 0 && jobs[n - 1].job_id > delta->jobs[k - 1].job_id)
			jobs[--at] = jobs[--n];
		else
			jobs[--at] = delta->jobs[--k];
	free(delta->jobs);
	free(delta->gone);
	delta->jobs = jobs;
	delta->gone = NULL;
	delta->n_gone = 0;
	delta->base = 0;
}

int slu_delta_take(struct slu_assignment *whole, struct slu_assignment *delta)
{
	struct slu_ion_share *jobs =
		calloc(whole->n_jobs + delta->n_jobs + 1, sizeof(*jobs));
	size_t n = 0, old = 0;

	if (!jobs)
		return -1;
	sort(delta);
	for (size_t i = 0; i < whole->n_jobs; i++)
		if (superseded(delta, whole->jobs[i].job_id))
			whole->jobs[old++] = whole->jobs[i];
		else
			jobs[n++] = whole->jobs[i];
	whole->n_jobs = old;
	slu_msg_clear(&slu_assignment_desc, whole);
	complete(delta, jobs, n);
	*whole = *delta;
	*delta = (struct slu_assignment){0};
	return 0;
}

int slu_delta_apply(const struct slu_assignment *before,
		    struct slu_assignment *delta, struct slu_err *err)
{
	struct slu_assignment kept = {0};

	if (delta->base == 0)
		return 0;
	if (!before || before->epoch != delta->base)
		return slu_err(err, SLU_INVALID,
			       "assignment %llu is based on %llu, which is not "
			       "here",
			       (unsigned long long)delta->epoch,
			       (unsigned long long)delta->base);
	sort(delta);
	kept.jobs =
		calloc(before->n_jobs + delta->n_jobs + 1, sizeof(*kept.jobs));
	for (size_t i = 0; kept.jobs && i < before->n_jobs; i++)
		if (!superseded(delta, before->jobs[i].job_id) &&
		    copy_share(&kept.jobs[kept.n_jobs++], &before->jobs[i]) <
			    0) {
			slu_msg_clear(&slu_assignment_desc, &kept);
			break;
		}
	if (!kept.jobs)
		return slu_err(err, SLU_NOMEM, "out of memory");
	complete(delta, kept.jobs, kept.n_jobs);
	return 0;
}

void slu_assignment_strip(struct slu_assignment *a)
{
	for (size_t i = 0; i < a->n_jobs; i++) {
		struct slu_ion_share *share = &a->jobs[i];

		free(share->name);
		free(share->why);
		free(share->account);
		free(share->curve);
		share->name = share->why = share->account = NULL;
		share->curve = NULL;
		share->n_curve = 0;
	}
}
