/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums the storage of nodes for each pool, from the resource map. A node's
 * share of a buffer lies on one of its devices, so the largest device limits
 * the size of a share; or, where it is spread, all of them together do.
 */
#include "config.h"
#include "sluiced/control/pool_capacity.h"

#include <stdlib.h>
#include <string.h>

#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/site/pool.h"
#include "burst_buffer/storage/image.h"
#include "sysmap/database/planner_storage.h"
#include "sysmap/database/storage_rank.h"
#include "sluiced/control/capabilities.h"

/* Adds a node to its pool. */
static void add_node(struct slu_pool_capacity *p, bool spread,
		     const struct slu_node_storage *device, size_t n)
{
	uint64_t together = 0;

	p->nodes++;
	for (size_t i = 0; i < n; i++) {
		const uint64_t size = device[i].size;

		p->total += size;
		p->available +=
			device[i].available < size ? device[i].available : size;
		together += slu_plan_part_fits(size);
		if (slu_image_fits(size) > p->largest)
			p->largest = slu_image_fits(size);
	}
	if (spread && n > 1 && together > p->together) {
		p->together = together;
		p->devices = (uint32_t)n;
	}
}

/* Does the map know the node, and nothing there that is of the pool's tier? A
 * map of an older sysmap knows no tiers, one of ours not those of a device that
 * does not say whether it rotates. */
static bool has_none(const struct slu_pool_conf *pool,
		     struct json_object *mounts)
{
	struct slu_candidate *all;
	bool known = false;
	size_t n;

	if (pool->tier && mounts) {
		all = slu_candidates_read(mounts, NULL, &n);
		known = all;
		for (size_t i = 0; all && i < n; i++)
			known &= all[i].unfit || all[i].tier;
		free(all);
	}
	return known;
}

struct sum {
	const struct slu_conf *conf;
	struct slu_db *map;
	struct slu_pool_capacity *pool; /* as many as the configuration has */
	struct slu_hosts *with;		/* of each: nodes that have its tier */
	bool speed;			/* measured speeds decide */
};

/* A node that the map does not know makes the pool incomplete; an error of the
 * database is one. */
static int look_at(struct sum *s, size_t i, const char *node,
		   const struct slu_storage_documents *docs,
		   struct slu_err *err)
{
	const struct slu_pool_conf *pool = &s->conf->pool[i];
	struct slu_node_storage *device;
	struct slu_err why = {0};
	size_t n;

	if (slu_storage_devices_of(docs, node, slu_pool_storage(s->conf, pool),
				   slu_conf_has_devices(s->conf), &device, &n,
				   &why) == 0) {
		add_node(&s->pool[i], s->conf->node_devices == SLU_DEVICES_ALL,
			 device, n);
		free(device);
		return pool->tier && slu_hosts_append(&s->with[i], node)
			       ? slu_err(err, SLU_NOMEM, "out of memory")
			       : 0;
	}
	if (why.kind != SLU_NOTFOUND && why.kind != SLU_INVALID)
		return slu_err(err, why.kind, "%s", why.text);
	s->pool[i].complete &= has_none(pool, docs->mounts);
	return 0;
}

/* Adds a node to the pool that names it, or (NULL) to all that name no nodes:
 * the resource map's entry for the node is read once. */
static int add_to(struct sum *s, const struct slu_pool_conf *named,
		  const char *node, struct slu_err *err)
{
	struct slu_storage_documents docs;
	int rc = 0;

	slu_storage_read(s->map, node, s->speed, &docs);
	for (size_t i = 0; !rc && i < s->conf->n_pool; i++) {
		const struct slu_pool_conf *pool = &s->conf->pool[i];

		if (!pool->size && (named ? pool == named : !pool->nodes.n))
			rc = look_at(s, i, node, &docs, err);
	}
	slu_storage_documents_free(&docs);
	return rc;
}

static int add_nodes(struct sum *s, const struct slu_hosts *all,
		     struct slu_err *err)
{
	const struct slu_pool_conf *pool = s->conf->pool;
	bool unnamed = false;
	int rc = 0;

	for (size_t i = 0; !rc && i < s->conf->n_pool; i++) {
		unnamed |= !pool[i].size && !pool[i].nodes.n;
		for (size_t k = 0; !rc && !pool[i].size && k < pool[i].nodes.n;
		     k++)
			rc = add_to(s, &pool[i], pool[i].nodes.name[k], err);
	}
	for (size_t k = 0; !rc && unnamed && k < all->n; k++)
		if (!slu_conf_only_io(s->conf, all->name[k]))
			rc = add_to(s, NULL, all->name[k], err);
	return rc;
}

static int begin(struct slu_pool_capacity *p, const struct slu_pool_conf *pool,
		 struct slu_err *err)
{
	*p = (struct slu_pool_capacity){.name = strdup(pool->name),
					.total = pool->size,
					.available = pool->size,
					.complete = true};
	return p->name ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

static int tell_hosts(struct slu_pool_capacity *p, struct slu_hosts *with,
		      struct slu_err *err)
{
	slu_hosts_sort(with);
	p->hosts = slu_hosts_text(with);
	return p->hosts ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

static int reckon(struct sum *s, const struct slu_hosts *nodes,
		  struct slu_err *err)
{
	const struct slu_pool_conf *pool = s->conf->pool;
	int rc = 0;

	for (size_t i = 0; !rc && i < s->conf->n_pool; i++) {
		rc = begin(&s->pool[i], &pool[i], err);
		s->speed |= strcasestr(slu_pool_storage(s->conf, &pool[i]),
				       "fastest") != NULL;
	}
	if (!rc)
		rc = add_nodes(s, nodes, err);
	for (size_t i = 0; !rc && i < s->conf->n_pool; i++)
		if (pool[i].tier && !pool[i].size)
			rc = tell_hosts(&s->pool[i], &s->with[i], err);
	return rc;
}

int slu_pool_capacity_sum(struct slu_db *map, const struct slu_conf *conf,
			  const struct slu_hosts *nodes,
			  struct slu_capacity *out, struct slu_err *err)
{
	struct slu_capacity supply = {
		.pools = calloc(conf->n_pool + 1, sizeof(*supply.pools)),
		.n_pools = conf->n_pool};
	struct sum s = {.conf = conf,
			.map = map,
			.pool = supply.pools,
			.with = calloc(conf->n_pool + 1, sizeof(*s.with))};
	int rc = 0;

	if (!s.pool || !s.with)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	if (!supply.pools)
		supply.n_pools = 0;
	if (!rc)
		rc = reckon(&s, nodes, err);
	if (!rc)
		rc = slu_capabilities_count(map, conf, nodes, &supply, err);
	for (size_t i = 0; s.with && i < conf->n_pool; i++)
		slu_hosts_free(&s.with[i]);
	free(s.with);
	if (rc)
		slu_msg_clear(&slu_capacity_desc, &supply);
	else
		*out = supply;
	return rc;
}
