/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The arbiter ties its parts together: curves say what a number of I/O nodes
 * is worth, a policy picks the numbers, placement picks the nodes. It keeps the
 * running jobs in order of their ids, what each was granted last, and who owns
 * which I/O node; between two solves these may disagree with each other only in
 * that nodes of ended jobs still have their owner.
 */
#include <stdlib.h>
#include <string.h>
#include "select_io/ion/private.h"

#define MAX_CURVES  16384
#define MAX_CHOICES 256

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* Running jobs. */

static void running_clear(struct running *r)
{
	slu_msg_clear(&slu_job_desc, &r->job);
	free(r->choice);
}

/* Where job_id is, or would be. */
static size_t position(const struct slu_arbiter *a, uint32_t job_id)
{
	size_t low = 0, high = a->n_run;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (a->run[mid].job.job_id < job_id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct running *find(const struct slu_arbiter *a, uint32_t job_id)
{
	size_t i = position(a, job_id);

	return i < a->n_run && a->run[i].job.job_id == job_id ? &a->run[i]
							      : NULL;
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
	r->tabled = a->patterns && r->job.ion_pattern &&
		    slu_patterns_curve(a->patterns, r->job.ion_pattern,
				       &r->table, NULL) == 0 &&
		    slu_curve_known(&r->table);
	return 0;
}

static void remove_at(struct slu_arbiter *a, size_t at)
{
	running_clear(&a->run[at]);
	a->n_run--;
	memmove(&a->run[at], &a->run[at + 1],
		(a->n_run - at) * sizeof(*a->run));
}

static int insert(struct slu_arbiter *a, const struct slu_job *job)
{
	size_t at = position(a, job->job_id);
	struct running *run = NULL, fresh = {0};

	if (slu_job_copy(&fresh.job, job) < 0)
		return -1;
	if (find_choices(a, &fresh) == 0)
		run = realloc(a->run, (a->n_run + 1) * sizeof(*run));
	if (!run) {
		running_clear(&fresh);
		return -1;
	}
	memmove(&run[at + 1], &run[at], (a->n_run - at) * sizeof(*run));
	run[at] = fresh;
	a->run = run;
	a->n_run++;
	return 0;
}

int slu_arbiter_start(struct slu_arbiter *a, const struct slu_job *job,
		      struct slu_err *err)
{
	const struct running *r = find(a, job->job_id);

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
	if (find(a, job_id))
		remove_at(a, position(a, job_id));
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
		if (!bsearch(&a->run[i].job.job_id, id, n, sizeof(*id),
			     by_number))
			remove_at(a, i);
	free(id);
	for (size_t i = 0; i < n; i++)
		if (slu_arbiter_start(a, &jobs[i], err) < 0)
			rc = -1;
	return rc;
}

/* The pool. */

static void set_owner(struct slu_arbiter *a, const char *ion, uint32_t job_id)
{
	long i = slu_hosts_find(&a->pool, ion);

	if (i >= 0)
		a->node[i].owner = job_id;
}

/* Put a new pool in place of the old; nodes of both keep their owner. */
static int set_pool(struct slu_arbiter *a, const struct slu_hosts *pool,
		    struct slu_err *err)
{
	struct slu_ion_node *node = calloc(pool->n + 1, sizeof(*node));
	struct slu_arbiter old = *a;
	struct slu_hosts copy = {0};

	for (size_t i = 0; node && i < pool->n; i++) {
		if (slu_hosts_add(&copy, pool->name[i]) < 0)
			break;
		node[i] = (struct slu_ion_node){SLU_ION_FREE, true};
	}
	if (!node || copy.n < pool->n) {
		free(node);
		slu_hosts_free(&copy);
		return nomem(err);
	}
	a->pool = copy;
	a->node = node;
	a->shared = SLU_ION_NOBODY;
	for (size_t i = 0; i < old.pool.n; i++)
		set_owner(a, old.pool.name[i], old.node[i].owner);
	if (old.shared != SLU_ION_NOBODY)
		a->shared = (size_t)slu_hosts_find(&copy,
						   old.pool.name[old.shared]);
	slu_hosts_free(&old.pool);
	free(old.node);
	return 0;
}

int slu_arbiter_configure(struct slu_arbiter *a, const struct slu_conf *conf,
			  uint32_t compute_nodes, struct slu_err *err)
{
	if (compute_nodes == 0)
		return slu_err(err, SLU_INVALID, "there are no compute nodes");
	if (set_pool(a, &conf->io_nodes, err) < 0)
		return -1;
	a->policy = conf->ion_policy;
	a->compute_nodes = compute_nodes;
	a->max_per_job = conf->max_ions_per_job;
	a->direct = conf->direct_access;
	a->remap = conf->remap_running;
	for (size_t i = 0; i < a->n_run; i++)
		if (find_choices(a, &a->run[i]) < 0)
			return nomem(err);
	return 0;
}

void slu_arbiter_unavailable(struct slu_arbiter *a,
			     const struct slu_hosts *hosts)
{
	for (size_t i = 0; i < a->pool.n; i++)
		a->node[i].available =
			slu_hosts_find(hosts, a->pool.name[i]) < 0;
}

static int resume_job(struct slu_arbiter *a, struct running *r,
		      const struct slu_ion_share *share, struct slu_err *err)
{
	struct slu_hosts ions = {0};

	if (slu_hosts_parse(share->ions ? share->ions : "", &ions, err) < 0)
		return -1;
	r->granted = true;
	r->grant.shared = share->shared;
	r->grant.ions = share->shared ? 0 : (uint32_t)ions.n;
	for (size_t i = 0; i < ions.n && !share->shared; i++)
		set_owner(a, ions.name[i], share->job_id);
	if (share->shared && ions.n > 0)
		a->shared = (size_t)slu_hosts_find(&a->pool, ions.name[0]);
	slu_hosts_free(&ions);
	return 0;
}

int slu_arbiter_resume(struct slu_arbiter *a,
		       const struct slu_assignment *before, struct slu_err *err)
{
	for (size_t i = 0; i < a->pool.n; i++)
		a->node[i].owner = SLU_ION_FREE;
	a->shared = SLU_ION_NOBODY;
	for (size_t i = 0; i < a->n_run; i++)
		a->run[i].granted = false;
	for (size_t i = 0; i < before->n_jobs; i++) {
		struct running *r = find(a, before->jobs[i].job_id);

		if (r && resume_job(a, r, &before->jobs[i], err) < 0)
			return -1;
	}
	return 0;
}

void slu_arbiter_patterns(struct slu_arbiter *a,
			  const struct slu_patterns *patterns)
{
	a->patterns = patterns;
	for (size_t i = 0; i < a->n_run; i++)
		find_choices(a, &a->run[i]);
}

/* Solving. */

const struct slu_curve *slu_ion_curve(const struct slu_arbiter *a,
				      const struct running *r)
{
	const struct slu_curve *own = slu_curves_find(a->curves, &r->job);

	if (!slu_curve_known(own) && r->tabled)
		return &r->table;
	return own;
}

static uint32_t owned(const struct slu_arbiter *a, uint32_t job_id)
{
	uint32_t n = 0;

	for (size_t i = 0; i < a->pool.n; i++)
		n += a->node[i].available && a->node[i].owner == job_id;
	return n;
}

/* Nothing of what the job was granted has failed or been taken. */
static bool still_holds(const struct slu_arbiter *a, const struct running *r)
{
	if (!r->granted)
		return false;
	if (r->grant.shared)
		return a->shared != SLU_ION_NOBODY &&
		       a->node[a->shared].available;
	return owned(a, r->job.job_id) == r->grant.ions;
}

uint32_t slu_ion_pool_size(const struct slu_arbiter *a)
{
	uint32_t n = 0;

	for (size_t i = 0; i < a->pool.n; i++)
		n += a->node[i].available;
	return n;
}

static double sum(const struct slu_ion_grant *grant, size_t n)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		total += grant[i].bandwidth;
	return total;
}

/* Note what the policy gives to the same jobs if none is fixed; grant is lent.
 */
static int find_wanted(struct slu_arbiter *a, struct slu_ion_job *job,
		       uint32_t pool, struct slu_ion_grant *grant,
		       struct slu_err *err)
{
	if (slu_ion_decide(a->policy, job, a->n_run, pool, a->solver, grant,
			   NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < a->n_run; i++) {
		a->run[i].wanted = grant[i].ions;
		job[i].fixed = !a->remap;
	}
	return 0;
}

/* Fill grant[n_run], and *static_total by the same jobs without a past. */
static int decide(struct slu_arbiter *a, struct slu_ion_grant *grant,
		  double *static_total, struct slu_ion_proof *proof,
		  struct slu_err *err)
{
	struct slu_ion_job *job = calloc(a->n_run + 1, sizeof(*job));
	uint32_t pool = slu_ion_pool_size(a);
	int rc = -1;

	if (!job)
		return nomem(err);
	for (size_t i = 0; i < a->n_run; i++)
		job[i] = (struct slu_ion_job){
			.choice = a->run[i].choice,
			.n = a->run[i].n_choice,
			.usual = a->run[i].usual,
			.nodes = a->run[i].job.node_cnt,
			.tasks = a->run[i].job.tasks,
			.curve = slu_ion_curve(a, &a->run[i]),
		};
	if (slu_ion_decide(SLU_ION_STATIC, job, a->n_run, pool, a->solver,
			   grant, NULL, err) < 0)
		goto out;
	*static_total = sum(grant, a->n_run);
	for (size_t i = 0; i < a->n_run; i++) {
		job[i].holds = still_holds(a, &a->run[i]);
		job[i].shares = a->run[i].grant.shared;
		job[i].held = a->run[i].grant.ions;
	}
	if (!a->remap && find_wanted(a, job, pool, grant, err) < 0)
		goto out;
	rc = slu_ion_decide(a->policy, job, a->n_run, pool, a->solver, grant,
			    proof, err);
	for (size_t i = 0; a->remap && rc == 0 && i < a->n_run; i++)
		a->run[i].wanted = grant[i].ions;
out:
	free(job);
	return rc;
}

static void place(struct slu_arbiter *a, struct slu_ion_seat *seat)
{
	for (size_t i = 0; i < a->n_run; i++)
		seat[i] = (struct slu_ion_seat){
			.job_id = a->run[i].job.job_id,
			.ions = a->run[i].grant.ions,
			.shared = a->run[i].grant.shared,
		};
	slu_ion_place(a->node, a->pool.n, seat, a->n_run, &a->shared);
}

int slu_arbiter_solve(struct slu_arbiter *a, struct slu_assignment *out,
		      struct slu_err *err)
{
	struct slu_ion_grant *grant = calloc(a->n_run + 1, sizeof(*grant));
	struct slu_ion_seat *seat = calloc(a->n_run + 1, sizeof(*seat));
	struct slu_ion_proof proof;
	double static_total = 0;
	int rc = -1;

	if (!grant || !seat) {
		nomem(err);
		goto out;
	}
	if (decide(a, grant, &static_total, &proof, err) < 0)
		goto out;
	for (size_t i = 0; i < a->n_run; i++) {
		a->run[i].grant = grant[i];
		a->run[i].granted = true;
	}
	place(a, seat);
	rc = slu_ion_answer(a, sum(grant, a->n_run), static_total, &proof, out);
	if (rc < 0)
		nomem(err);
out:
	free(seat);
	free(grant);
	return rc;
}

uint32_t slu_arbiter_held(const struct slu_arbiter *a, uint32_t job_id)
{
	const struct running *r = find(a, job_id);

	return r ? r->grant.ions : 0;
}

void slu_arbiter_learn(struct slu_arbiter *a, const struct slu_history_row *row)
{
	if (row->job.ions > 0 || a->direct)
		slu_curves_learn(a->curves, &row->job, row->job.ions,
				 row->io_bandwidth);
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
	a->solver = slu_mckp_setup(&(struct slu_mckp_problem){0}, NULL, err);
	if (!a->curves || !a->solver ||
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
		running_clear(&a->run[i]);
	free(a->run);
	slu_hosts_free(&a->pool);
	free(a->node);
	slu_curves_free(a->curves);
	slu_mckp_free(a->solver);
	free(a);
}
