/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arbiter ties its parts together: curves say what a number of I/O nodes
 * is worth, divisions by a policy pick the numbers, placement picks the nodes.
 * It keeps the running jobs in order of their ids, what each was granted last,
 * and who owns which I/O node. What has happened to a job since the last solve
 * makes it dirty; a solve tells the divisions of dirty jobs and moves those
 * whose grant has changed, and looks at no others.
 */
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/ion/private.h"

#define MAX_CURVES  16384
#define MAX_CHOICES 256

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* Running jobs. */

static void running_free(struct running *r)
{
	if (!r)
		return;
	slu_msg_clear(&slu_job_desc, &r->job);
	free(r->choice);
	free(r->far);
	free(r->foretold);
	free(r->because);
	free(r);
}

size_t slu_ion_position(const struct slu_arbiter *a, uint32_t job_id)
{
	size_t low = 0, high = a->n_run;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (a->run[mid]->job.job_id < job_id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct running *slu_ion_find(const struct slu_arbiter *a, uint32_t job_id)
{
	size_t i = slu_ion_position(a, job_id);

	return i < a->n_run && a->run[i]->job.job_id == job_id ? a->run[i]
							       : NULL;
}

void slu_ion_touch(struct slu_arbiter *a, struct running *r)
{
	if (!r->dirty)
		a->dirty[a->n_dirty++] = r;
	r->dirty = true;
}

static void touch_all(struct slu_arbiter *a)
{
	for (size_t i = 0; i < a->n_run; i++)
		slu_ion_touch(a, a->run[i]);
}

/* The patterns that the user named, else those that are foretold. */
static void find_table(const struct slu_arbiter *a, struct running *r)
{
	const char *profile =
		r->job.ion_pattern ? r->job.ion_pattern : r->foretold;

	r->tabled = a->patterns && profile &&
		    slu_patterns_curve(a->patterns, profile, &r->table, NULL) ==
			    0 &&
		    slu_curve_known(&r->table);
}

/* What the job may choose in this pool. */
static int find_choices(const struct slu_arbiter *a, struct running *r)
{
	uint32_t choice[MAX_CHOICES], limit = a->max_per_job;
	uint32_t nodes = r->job.node_cnt, ions = (uint32_t)a->pool.n;
	uint32_t *copy;
	size_t n;

	limit = limit < r->job.ion_max ? limit : r->job.ion_max;
	limit = limit < ions ? limit : ions;
	n = slu_ion_choices(nodes, limit, a->direct, choice, MAX_CHOICES);
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
	if (slu_job_copy(&r->job, job) == 0 && find_choices(a, r) == 0 &&
	    slu_ion_find_far(a, r) == 0)
		return r;
	running_free(r);
	return NULL;
}

static int reserve(struct slu_arbiter *a)
{
	size_t n = a->max_run ? 2 * a->max_run : 64;
	void *run, *dirty, *seat;

	if (a->n_run < a->max_run)
		return 0;
	run = realloc(a->run, n * sizeof(*a->run));
	a->run = run ? run : a->run;
	dirty = realloc(a->dirty, n * sizeof(*a->dirty));
	a->dirty = dirty ? dirty : a->dirty;
	seat = realloc(a->seat, n * sizeof(*a->seat));
	a->seat = seat ? seat : a->seat;
	if (!run || !dirty || !seat)
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

static void remove_at(struct slu_arbiter *a, size_t at)
{
	struct running *r = a->run[at];

	for (int i = 0; i < DIVISIONS; i++)
		if (r->slot[i] != SLU_ION_NEW)
			slu_ion_division_drop(a->division[i], r->slot[i]);
	for (size_t i = a->n_dirty; r->dirty && i-- > 0;)
		if (a->dirty[i] == r) {
			a->dirty[i] = a->dirty[--a->n_dirty];
			break;
		}
	slu_ion_release(a, r->job.job_id);
	a->n_sharing -= r->grant.shared;
	running_free(r);
	a->n_run--;
	memmove(&a->run[at], &a->run[at + 1],
		(a->n_run - at) * sizeof(*a->run));
}

int slu_arbiter_start(struct slu_arbiter *a, const struct slu_job *job,
		      struct slu_err *err)
{
	const struct running *r = slu_ion_find(a, job->job_id);

	if (job->node_cnt == 0 || job->job_id == SLU_ION_FREE)
		return slu_err(err, SLU_INVALID, "job %u has no nodes",
			       job->job_id);
	if (r && r->job.start == job->start)
		return 0;
	slu_arbiter_end(a, job->job_id);
	return insert(a, job) < 0 ? nomem(err) : 0;
}

void slu_arbiter_end(struct slu_arbiter *a, uint32_t job_id)
{
	if (slu_ion_find(a, job_id))
		remove_at(a, slu_ion_position(a, job_id));
}

int slu_arbiter_foretell(struct slu_arbiter *a, uint32_t job_id,
			 const char *profile, const char *because,
			 struct slu_err *err)
{
	struct running *r = slu_ion_find(a, job_id);
	char *copy, *why;

	if (!r || r->job.ion_pattern || slu_eq(profile, r->foretold))
		return 0;
	copy = profile ? strdup(profile) : NULL;
	why = profile ? strdup(because) : NULL;
	if (profile && (!copy || !why)) {
		free(copy);
		free(why);
		return nomem(err);
	}
	free(r->foretold);
	free(r->because);
	r->foretold = copy;
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

void slu_arbiter_patterns(struct slu_arbiter *a,
			  const struct slu_patterns *patterns)
{
	a->patterns = patterns;
	for (size_t i = 0; i < a->n_run; i++)
		find_choices(a, a->run[i]);
	touch_all(a);
}

int slu_arbiter_configure(struct slu_arbiter *a, const struct slu_conf *conf,
			  uint32_t compute_nodes, struct slu_err *err)
{
	if (compute_nodes == 0)
		return slu_err(err, SLU_INVALID, "there are no compute nodes");
	if (slu_ion_set_pool(a, &conf->io_nodes, err) < 0)
		return -1;
	a->policy = conf->ion_policy;
	a->compute_nodes = compute_nodes;
	a->max_per_job = conf->max_ions_per_job;
	a->direct = conf->direct_access;
	a->remap = conf->remap_running;
	for (size_t i = 0; i < a->n_run; i++)
		if (find_choices(a, a->run[i]) < 0)
			return nomem(err);
	touch_all(a);
	return 0;
}

int slu_arbiter_near(struct slu_arbiter *a, const struct slu_distances *m,
		     struct slu_err *err)
{
	struct slu_near *near = slu_near_new(m, err), *old = a->near;
	int rc = 0;

	if (!near)
		return -1;
	a->near = near;
	for (size_t i = 0; i < a->pool.n; i++)
		a->node[i].place = slu_near_place(near, a->pool.name[i]);
	for (size_t i = 0; i < a->n_run && rc == 0; i++)
		rc = slu_ion_find_far(a, a->run[i]);
	slu_near_free(old);
	return rc < 0 ? nomem(err) : 0;
}

/* Learning. */

static void learnt(struct slu_arbiter *a, uint64_t class)
{
	if (!class || a->n_learnt > MAX_LEARNT)
		return;
	if (a->n_learnt < MAX_LEARNT)
		a->learnt[a->n_learnt] = class;
	a->n_learnt++;
}

void slu_arbiter_learn(struct slu_arbiter *a, const struct slu_history_row *row)
{
	if (row->job.ions == 0 && !a->direct)
		return;
	learnt(a, slu_curves_learn(a->curves, &row->job, row->job.ions,
				   row->io_bandwidth));
	learnt(a, slu_curves_class(&row->job));
}

/* Whose curve is another one than at the last solve. */
static void touch_learnt(struct slu_arbiter *a)
{
	size_t n = a->n_learnt;

	a->n_learnt = 0;
	if (n > MAX_LEARNT)
		touch_all(a);
	else
		for (size_t i = 0; n && i < a->n_run; i++)
			for (size_t k = 0; k < n; k++)
				if (a->run[i]->class == a->learnt[k])
					slu_ion_touch(a, a->run[i]);
}

const struct slu_curve *slu_ion_curve(const struct slu_arbiter *a,
				      const struct running *r)
{
	const struct slu_curve *own = slu_curves_find(a->curves, r->class);

	if (!slu_curve_known(own) && r->tabled)
		return &r->table;
	return own;
}

/* Solving. */

static int put(struct slu_arbiter *a, struct running *r, int division,
	       const struct slu_ion_job *job, struct slu_err *err)
{
	return slu_ion_division_put(a->division[division], &r->slot[division],
				    r->job.job_id, job, err);
}

static int tell(struct slu_arbiter *a, struct running *r, struct slu_err *err)
{
	struct slu_ion_job job = {
		.choice = r->choice,
		.n = r->n_choice,
		.usual = r->usual,
		.nodes = r->job.node_cnt,
		.tasks = r->job.tasks,
		.curve = slu_ion_curve(a, r),
	};

	if (put(a, r, BY_STATIC, &job, err) < 0)
		return -1;
	job.holds = r->granted && slu_ion_holds(a, r);
	job.shares = r->grant.shared;
	job.held = r->grant.ions;
	if (put(a, r, FREELY, &job, err) < 0)
		return -1;
	job.fixed = true;
	return a->remap ? 0 : put(a, r, IN_EFFECT, &job, err);
}

static int tell_all(struct slu_arbiter *a, struct slu_err *err)
{
	for (size_t i = 0; i < a->n_dirty; i++)
		if (tell(a, a->dirty[i], err) < 0)
			return -1;
	return 0;
}

static int divide(struct slu_arbiter *a, int division,
		  enum slu_ion_policy policy, struct slu_ion_proof *proof,
		  struct slu_err *err)
{
	slu_ion_division_rules(a->division[division], policy, a->pool_size);
	return slu_ion_division_solve(a->division[division], proof, err);
}

static void take_wanted(struct slu_arbiter *a)
{
	size_t n;
	const uint32_t *id = slu_ion_division_changed(a->division[FREELY], &n);

	for (size_t i = 0; i < n; i++) {
		struct running *r = slu_ion_find(a, id[i]);

		r->wanted = slu_ion_division_grant(a->division[FREELY],
						   r->slot[FREELY])
				    .ions;
	}
}

static int by_job(const void *a, const void *b)
{
	return by_number(&((const struct slu_ion_seat *)a)->job_id,
			 &((const struct slu_ion_seat *)b)->job_id);
}

/* The job that has most, the newest of equals. */
static uint32_t most_of(const struct slu_arbiter *a)
{
	const struct running *most = NULL;

	for (size_t i = 0; i < a->n_run; i++)
		if (!most || a->run[i]->grant.ions >= most->grant.ions)
			most = a->run[i];
	return most ? most->job.job_id : SLU_ION_FREE;
}

/* Dirty jobs are those whose seat may be another one than before. */
static void place(struct slu_arbiter *a)
{
	for (size_t i = 0; i < a->n_dirty; i++)
		a->seat[i] = (struct slu_ion_seat){
			.job_id = a->dirty[i]->job.job_id,
			.ions = a->dirty[i]->grant.ions,
			.far = a->dirty[i]->far,
		};
	if (a->n_dirty)
		qsort(a->seat, a->n_dirty, sizeof(*a->seat), by_job);
	slu_ion_place(a->node, a->pool.n, a->seat, a->n_dirty, a->n_sharing > 0,
		      a->n_sharing ? most_of(a) : 0, &a->shared);
	for (size_t i = 0; i < a->n_dirty; i++)
		slu_ion_find(a, a->seat[i].job_id)->have = a->seat[i].have;
}

/* Grants, and seats with them; then what each holds is said to the divisions,
 * for the next time. */
static int settle(struct slu_arbiter *a, struct slu_err *err)
{
	int by = a->remap ? FREELY : IN_EFFECT;
	size_t n;
	const uint32_t *id = slu_ion_division_changed(a->division[by], &n);

	for (size_t i = 0; i < n; i++)
		slu_ion_touch(a, slu_ion_find(a, id[i]));
	for (size_t i = 0; i < a->n_dirty; i++) {
		struct running *r = a->dirty[i];

		a->n_sharing -= r->grant.shared;
		r->grant = slu_ion_division_grant(a->division[by], r->slot[by]);
		a->n_sharing += r->grant.shared;
		r->granted = true;
	}
	place(a);
	if (tell_all(a, err) < 0)
		return -1;
	for (size_t i = 0; i < a->n_dirty; i++)
		a->dirty[i]->dirty = false;
	a->n_dirty = 0;
	return 0;
}

static int resolve(struct slu_arbiter *a, struct slu_ion_proof *proof,
		   struct slu_err *err)
{
	touch_learnt(a);
	if (tell_all(a, err) < 0)
		return -1;
	if (divide(a, BY_STATIC, SLU_ION_STATIC, NULL, err) < 0 ||
	    divide(a, FREELY, a->policy, proof, err) < 0)
		return -1;
	take_wanted(a);
	if (!a->remap && divide(a, IN_EFFECT, a->policy, proof, err) < 0)
		return -1;
	return settle(a, err);
}

int slu_arbiter_solve(struct slu_arbiter *a, struct slu_assignment *out,
		      struct slu_err *err)
{
	struct slu_ion_proof proof;

	if (resolve(a, &proof, err) < 0)
		return -1;
	return slu_ion_answer(a, &proof, out) < 0 ? nomem(err) : 0;
}

const struct slu_job *slu_arbiter_job(const struct slu_arbiter *a, size_t i)
{
	return i < a->n_run ? &a->run[i]->job : NULL;
}

uint32_t slu_arbiter_held(const struct slu_arbiter *a, uint32_t job_id)
{
	const struct running *r = slu_ion_find(a, job_id);

	return r ? r->grant.ions : 0;
}

struct slu_arbiter *slu_arbiter_new(const struct slu_conf *conf,
				    uint32_t compute_nodes, struct slu_err *err)
{
	struct slu_arbiter *a = calloc(1, sizeof(*a));

	if (!a) {
		nomem(err);
		return NULL;
	}
	a->shared = SLU_ION_NOBODY;
	a->curves = slu_curves_new(MAX_CURVES, err);
	for (int i = 0; i < DIVISIONS; i++)
		a->division[i] = slu_ion_division_new(err);
	if (!a->curves || !a->division[BY_STATIC] || !a->division[FREELY] ||
	    !a->division[IN_EFFECT] ||
	    slu_arbiter_configure(a, conf, compute_nodes, err) < 0) {
		slu_arbiter_free(a);
		return NULL;
	}
	return a;
}

void slu_arbiter_free(struct slu_arbiter *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n_run; i++)
		running_free(a->run[i]);
	free(a->run);
	free(a->dirty);
	free(a->seat);
	slu_hosts_free(&a->pool);
	free(a->node);
	slu_near_free(a->near);
	slu_curves_free(a->curves);
	for (int i = 0; i < DIVISIONS; i++)
		slu_ion_division_free(a->division[i]);
	free(a);
}
