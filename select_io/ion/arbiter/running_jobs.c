/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the running jobs, sorted by id: their starts and ends, each job's
 * choices in this pool, and its predicted curve.
 */
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/ion/arbiter/arbiter_private.h"

#define MAX_CHOICES 256

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

void slu_ion_running_free(struct running *r)
{
	if (!r)
		return;
	slu_msg_clear(&slu_job_desc, &r->job);
	free(r->choice);
	free(r->far);
	free(r->predicted);
	free(r->because);
	free(r->why);
	free(r);
}

/* The I/O pattern named by the user, else the predicted one. */
static void find_table(const struct slu_arbiter *a, struct running *r)
{
	const char *profile =
		r->job.ion_pattern ? r->job.ion_pattern : r->predicted;

	r->tabled = a->patterns && profile &&
		    slu_patterns_curve(a->patterns, profile, &r->table, NULL) ==
			    0 &&
		    slu_curve_known(&r->table);
}

/* Computes the job's choices in this pool. */
int slu_ion_find_choices(const struct slu_arbiter *a, struct running *r)
{
	uint32_t choice[MAX_CHOICES], limit = a->max_per_job;
	uint32_t nodes = r->job.node_cnt, ions = (uint32_t)a->pool.n;
	uint32_t *copy;
	size_t n;

	limit = limit < r->job.ion_max ? limit : r->job.ion_max;
	limit = limit < ions ? limit : ions;
	n = slu_ion_choices(nodes, limit, a->direct, choice, MAX_CHOICES);
	n = slu_ion_at_least(a->min_per_job, choice, n);
	copy = malloc(n * sizeof(*choice));
	if (!copy)
		return -1;
	memcpy(copy, choice, n * sizeof(*choice));
	free(r->choice);
	r->choice = copy;
	r->n_choice = n;
	r->usual = slu_ion_usual(nodes, a->compute_nodes, ions, copy, n);
	r->limit = a->max_per_job < r->job.ion_max ? a->max_per_job
						   : r->job.ion_max;
	slu_ion_find_fairness(a, r);
	find_table(a, r);
	return 0;
}

static struct running *running_new(const struct slu_arbiter *a,
				   const struct slu_job *job)
{
	struct running *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	for (int i = 0; i < DIVISIONS; i++)
		r->slot[i] = SLU_ION_NEW;
	r->class = slu_curves_class(job);
	r->user = slu_curves_user(job);
	if (slu_job_copy(&r->job, job) == 0 &&
	    slu_ion_find_choices(a, r) == 0 && slu_ion_find_far(a, r) == 0)
		return r;
	slu_ion_running_free(r);
	return NULL;
}

static int reserve(struct slu_arbiter *a)
{
	size_t n = a->max_run ? 2 * a->max_run : 64;
	void *run, *dirty, *unreported, *gone, *seat;

	if (a->n_run < a->max_run)
		return 0;
	run = realloc(a->run, n * sizeof(*a->run));
	a->run = run ? run : a->run;
	dirty = realloc(a->dirty, n * sizeof(*a->dirty));
	a->dirty = dirty ? dirty : a->dirty;
	unreported = realloc(a->unreported, n * sizeof(*a->unreported));
	a->unreported = unreported ? unreported : a->unreported;
	gone = realloc(a->gone, n * sizeof(*a->gone));
	a->gone = gone ? gone : a->gone;
	seat = realloc(a->seat, n * sizeof(*a->seat));
	a->seat = seat ? seat : a->seat;
	if (!run || !dirty || !unreported || !gone || !seat)
		return -1;
	a->max_run = n;
	return 0;
}

static int insert(struct slu_arbiter *a, const struct slu_job *job)
{
	size_t at = slu_ion_position(a, job->job_id);
	struct running *fresh;

	if (reserve(a) < 0)
		return -1;
	fresh = running_new(a, job);
	if (!fresh)
		return -1;
	memmove(&a->run[at + 1], &a->run[at],
		(a->n_run - at) * sizeof(*a->run));
	a->run[at] = fresh;
	a->n_run++;
	slu_ion_touch(a, fresh);
	return 0;
}

static void take_from(struct running **list, size_t *n, const struct running *r)
{
	for (size_t i = *n; i-- > 0;)
		if (list[i] == r) {
			list[i] = list[--*n];
			return;
		}
}

static void remove_at(struct slu_arbiter *a, size_t at)
{
	struct running *r = a->run[at];

	for (int i = 0; i < DIVISIONS; i++)
		if (r->slot[i] != SLU_ION_NEW)
			slu_ion_division_drop(a->division[i], r->slot[i]);
	if (r->dirty)
		take_from(a->dirty, &a->n_dirty, r);
	if (r->unreported)
		take_from(a->unreported, &a->n_unreported, r);
	if (r->reported)
		a->gone[a->n_gone++] = r->job.job_id;
	slu_ion_release(a, r->job.job_id);
	a->n_sharing -= r->grant.shared;
	slu_ion_running_free(r);
	a->n_run--;
	memmove(&a->run[at], &a->run[at + 1],
		(a->n_run - at) * sizeof(*a->run));
}

/* The same run with other nodes; it keeps its I/O nodes. */
static int resize(struct slu_arbiter *a, struct running *r,
		  const struct slu_job *job)
{
	struct slu_job copy;

	if (slu_job_copy(&copy, job) < 0)
		return -1;
	slu_msg_clear(&slu_job_desc, &r->job);
	r->job = copy;
	r->class = slu_curves_class(job);
	r->user = slu_curves_user(job);
	slu_ion_touch(a, r);
	return slu_ion_find_choices(a, r) < 0 || slu_ion_find_far(a, r) < 0 ? -1
									    : 0;
}

bool slu_arbiter_resized(const struct slu_arbiter *a, const struct slu_job *job)
{
	const struct running *r = slu_ion_find(a, job->job_id);

	return r && r->job.start == job->start &&
	       !slu_eq(r->job.nodes, job->nodes);
}

int slu_arbiter_start(struct slu_arbiter *a, const struct slu_job *job,
		      struct slu_err *err)
{
	struct running *r = slu_ion_find(a, job->job_id);

	if (job->node_cnt == 0 || job->job_id == SLU_ION_FREE)
		return slu_err(err, SLU_INVALID, "job %u has no nodes",
			       job->job_id);
	if (r && r->job.start == job->start) {
		if (slu_eq(r->job.nodes, job->nodes))
			return 0;
		return resize(a, r, job) < 0 ? nomem(err) : 0;
	}
	slu_arbiter_end(a, job->job_id);
	return insert(a, job) < 0 ? nomem(err) : 0;
}

void slu_arbiter_end(struct slu_arbiter *a, uint32_t job_id)
{
	if (slu_ion_find(a, job_id))
		remove_at(a, slu_ion_position(a, job_id));
}

int slu_arbiter_predict(struct slu_arbiter *a, uint32_t job_id,
			const char *profile, const char *because,
			struct slu_err *err)
{
	struct running *r = slu_ion_find(a, job_id);
	char *copy, *why;

	if (!r || r->job.ion_pattern || slu_eq(profile, r->predicted))
		return 0;
	copy = profile ? strdup(profile) : NULL;
	why = profile ? strdup(because) : NULL;
	if (profile && (!copy || !why)) {
		free(copy);
		free(why);
		return nomem(err);
	}
	free(r->predicted);
	free(r->because);
	r->predicted = copy;
	r->because = why;
	find_table(a, r);
	slu_ion_touch(a, r);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int slu_arbiter_set(struct slu_arbiter *a, const struct slu_job *jobs, size_t n,
		    struct slu_err *err)
{
	uint32_t *id = calloc(n + 1, sizeof(*id));
	int rc = 0;

	if (!id)
		return nomem(err);
	for (size_t i = 0; i < n; i++)
		id[i] = jobs[i].job_id;
	qsort(id, n, sizeof(*id), by_number);
	for (size_t i = a->n_run; i-- > 0;)
		if (!bsearch(&a->run[i]->job.job_id, id, n, sizeof(*id),
			     by_number))
			remove_at(a, i);
	free(id);
	for (size_t i = 0; i < n; i++)
		if (slu_arbiter_start(a, &jobs[i], err) < 0)
			rc = -1;
	return rc;
}

const struct slu_job *slu_arbiter_job(const struct slu_arbiter *a, size_t i)
{
	return i < a->n_run ? &a->run[i]->job : NULL;
}

uint32_t slu_arbiter_held(const struct slu_arbiter *a, uint32_t job_id)
{
	const struct running *r = slu_ion_find(a, job_id);

	return r && r->granted && !r->changed && !r->grant.shared
		       ? r->grant.ions
		       : SLU_NO_ID;
}

/* A job that shares, or whose times are unknown, is no sample for its curve. */
static int add_time(const struct running *r, int64_t now,
		    struct slu_ion_times *times)
{
	if (r->grant.shared || now <= 0 || r->since <= 0 || now < r->since)
		return -1;
	return slu_ion_times_add(times, r->grant.ions,
				 (double)(now - r->since));
}

void slu_ion_note_time(struct running *r, int64_t now)
{
	if (add_time(r, now, &r->times) < 0)
		r->untimed = true;
	r->since = now;
}

int slu_arbiter_times(const struct slu_arbiter *a, uint32_t job_id, int64_t end,
		      struct slu_ion_times *out)
{
	const struct running *r = slu_ion_find(a, job_id);
	struct slu_ion_times times;

	if (!r || !r->granted || r->untimed)
		return -1;
	times = r->times;
	if (add_time(r, end, &times) < 0 || times.n == 0)
		return -1;
	*out = times;
	return 0;
}
