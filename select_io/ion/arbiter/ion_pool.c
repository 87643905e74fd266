/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the arbiter's pool of I/O nodes: the owner, availability and place of
 * each.
 */
#include <stdlib.h>
#include <string.h>
#include "select_io/ion/arbiter/arbiter_private.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* The pool may be large: nodes are looked up in a->by_name. */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct slu_ion_name *)a)->name,
		      ((const struct slu_ion_name *)b)->name);
}

/* The pool sorted by name; NULL without memory. */
static struct slu_ion_name *sort_names(const struct slu_hosts *pool)
{
	struct slu_ion_name *out = calloc(pool->n + 1, sizeof(*out));

	for (size_t i = 0; out && i < pool->n; i++)
		out[i] = (struct slu_ion_name){pool->name[i], i};
	if (out && pool->n)
		qsort(out, pool->n, sizeof(*out), by_name);
	return out;
}

/* Index in the pool, or SLU_ION_NOBODY. */
static size_t find(const struct slu_arbiter *a, const char *ion)
{
	struct slu_ion_name key = {.name = ion};
	const struct slu_ion_name *found =
		a->pool.n ? bsearch(&key, a->by_name, a->pool.n, sizeof(key),
				    by_name)
			  : NULL;

	return found ? found->at : SLU_ION_NOBODY;
}

static void set_owner(struct slu_arbiter *a, const char *ion, uint32_t job_id)
{
	size_t i = find(a, ion);

	if (i != SLU_ION_NOBODY)
		a->node[i].owner = job_id;
}

bool slu_ion_holds(const struct slu_arbiter *a, const struct running *r)
{
	if (r->grant.shared)
		return a->shared != SLU_ION_NOBODY &&
		       a->node[a->shared].available;
	return r->have == r->grant.ions;
}

void slu_ion_recount(struct slu_arbiter *a)
{
	a->pool_size = 0;
	for (size_t i = 0; i < a->n_run; i++) {
		a->run[i]->have = 0;
		slu_ion_touch_answer(a, a->run[i]);
	}
	for (size_t i = 0; i < a->pool.n; i++) {
		const struct slu_ion_node *node = &a->node[i];
		struct running *r = NULL;

		a->pool_size += node->available;
		if (node->owner != SLU_ION_FREE && node->available)
			r = slu_ion_find(a, node->owner);
		if (r)
			r->have++;
	}
	for (size_t i = 0; i < a->n_run; i++)
		if (!slu_ion_holds(a, a->run[i]))
			slu_ion_touch(a, a->run[i]);
}

void slu_ion_release(struct slu_arbiter *a, uint32_t job_id)
{
	for (size_t i = 0; i < a->pool.n; i++)
		if (a->node[i].owner == job_id)
			a->node[i].owner = SLU_ION_FREE;
}

int slu_ion_find_far(const struct slu_arbiter *a, struct running *r)
{
	struct slu_hosts hosts = {0};
	uint32_t *far = NULL;

	if (a->near) {
		far = calloc(slu_hop_distances_places(a->near), sizeof(*far));
		if (!far)
			return -1;
		if (slu_hosts_parse(r->job.nodes ? r->job.nodes : "", &hosts,
				    NULL) == 0)
			slu_hop_distances_sum(a->near, &hosts, far);
		slu_hosts_free(&hosts);
	}
	free(r->far);
	r->far = far;
	return 0;
}

int slu_ion_set_pool(struct slu_arbiter *a, const struct slu_hosts *pool,
		     struct slu_err *err)
{
	struct slu_ion_node *node = calloc(pool->n + 1, sizeof(*node));
	struct slu_arbiter old = *a;
	struct slu_hosts copy = {0};
	struct slu_ion_name *names;
	char *text = slu_hosts_text(pool);

	for (size_t i = 0; node && i < pool->n; i++) {
		if (slu_hosts_append(&copy, pool->name[i]) < 0)
			break;
		node[i] = (struct slu_ion_node){.owner = SLU_ION_FREE,
						.available = true};
		if (a->near)
			node[i].place =
				slu_hop_distances_place(a->near, pool->name[i]);
	}
	names = sort_names(&copy);
	if (!node || !text || !names || copy.n < pool->n) {
		free(node);
		free(text);
		free(names);
		slu_hosts_free(&copy);
		return nomem(err);
	}
	a->pool = copy;
	a->pool_text = text;
	a->node = node;
	a->by_name = names;
	a->shared = SLU_ION_NOBODY;
	for (size_t i = 0; i < old.pool.n; i++)
		set_owner(a, old.pool.name[i], old.node[i].owner);
	if (old.shared != SLU_ION_NOBODY)
		a->shared = find(a, old.pool.name[old.shared]);
	slu_hosts_free(&old.pool);
	free(old.pool_text);
	free(old.node);
	free(old.by_name);
	slu_ion_recount(a);
	return 0;
}

void slu_arbiter_unavailable(struct slu_arbiter *a,
			     const struct slu_hosts *hosts)
{
	bool changed = false;

	for (size_t i = 0; i < hosts->n; i++) {
		size_t at = find(a, hosts->name[i]);

		if (at != SLU_ION_NOBODY)
			a->node[at].missing = true;
	}
	for (size_t i = 0; i < a->pool.n; i++) {
		struct slu_ion_node *node = &a->node[i];

		changed = changed || node->available == node->missing;
		node->available = !node->missing;
		node->missing = false;
	}
	if (changed)
		slu_ion_recount(a);
}

static int resume_job(struct slu_arbiter *a, struct running *r,
		      const struct slu_ion_share *share, struct slu_err *err)
{
	struct slu_hosts ions = {0};

	if (slu_hosts_parse(share->ions ? share->ions : "", &ions, err) < 0)
		return -1;
	r->granted = true;
	r->since = r->job.start;
	r->grant.shared = share->shared;
	r->grant.ions = share->shared ? 0 : (uint32_t)ions.n;
	a->n_sharing += share->shared;
	for (size_t i = 0; i < ions.n && !share->shared; i++)
		set_owner(a, ions.name[i], share->job_id);
	if (share->shared && ions.n > 0)
		a->shared = find(a, ions.name[0]);
	slu_hosts_free(&ions);
	return 0;
}

int slu_arbiter_resume(struct slu_arbiter *a,
		       const struct slu_assignment *before, struct slu_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < a->pool.n; i++)
		a->node[i].owner = SLU_ION_FREE;
	a->shared = SLU_ION_NOBODY;
	a->n_sharing = 0;
	slu_ion_forget_fixed(a);
	for (size_t i = 0; i < a->n_run; i++) {
		a->run[i]->granted = false;
		a->run[i]->grant.shared = false;
		slu_ion_touch(a, a->run[i]);
	}
	for (size_t i = 0; i < before->n_jobs && rc == 0; i++) {
		struct running *r = slu_ion_find(a, before->jobs[i].job_id);

		if (r)
			rc = resume_job(a, r, &before->jobs[i], err);
	}
	slu_ion_recount(a);
	return rc;
}
