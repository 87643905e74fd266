/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "sluiced/control/pool_capacity.h"

#include <stdlib.h>
#include <string.h>

#include "burst_buffer/storage/image.h"
#include "burst_buffer/request/pool.h"
#include "sysmap/database/planner_storage.h"
#include "sysmap/database/storage_rank.h"
#include "sluiced/control/capabilities.h"

/* A share lies on one device: the largest of them says how large it may be. */
static void add_node(struct slu_pool_capacity *p,
		     const struct slu_node_storage *device, size_t n)
{
	p->nodes++;
	for (size_t i = 0; i < n; i++) {
		const uint64_t size = device[i].size;

		p->total += size;
		p->available +=
			device[i].available < size ? device[i].available : size;
		if (slu_image_fits(size) > p->largest)
			p->largest = slu_image_fits(size);
	}
}

/* Does the map know the node, and nothing there that is of the pool's tier? A
 * map of an older sysmap knows no tiers, one of ours not those of a device that
 * does not say whether it rotates. */
static bool has_none(const struct slu_pool_conf *pool, struct slu_db *map,
		     const char *node)
{
	struct json_object *mounts =
		pool->tier ? slu_storage_mounts(map, node, NULL) : NULL;
	struct slu_candidate *all;
	bool known = false;
	size_t n;

	if (mounts) {
		all = slu_candidates_read(mounts, NULL, &n);
		known = all;
		for (size_t i = 0; all && i < n; i++)
			known &= all[i].unfit || all[i].tier;
		free(all);
		json_object_put(mounts);
	}
	return known;
}

static int tell_hosts(struct slu_pool_capacity *p, struct slu_hosts *with,
		      struct slu_err *err)
{
	slu_hosts_sort(with);
	p->hosts = slu_hosts_text(with);
	return p->hosts ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

/* A node that the map does not know makes the pool incomplete; an error of the
 * database is one. */
static int look_at(struct slu_pool_capacity *p,
		   const struct slu_pool_conf *pool, struct slu_db *map,
		   const struct slu_conf *conf, const char *node,
		   struct slu_hosts *with, struct slu_err *err)
{
	struct slu_node_storage *device;
	struct slu_err why = {0};
	size_t n;

	if (slu_storage_devices(map, node, slu_pool_storage(conf, pool),
				conf->each_device, &device, &n, &why) == 0) {
		add_node(p, device, n);
		free(device);
		return pool->tier && slu_hosts_append(with, node)
			       ? slu_err(err, SLU_NOMEM, "out of memory")
			       : 0;
	}
	if (why.kind != SLU_NOTFOUND && why.kind != SLU_INVALID)
		return slu_err(err, why.kind, "%s", why.text);
	p->complete &= has_none(pool, map, node);
	return 0;
}

static int add_nodes(struct slu_pool_capacity *p,
		     const struct slu_pool_conf *pool, struct slu_db *map,
		     const struct slu_conf *conf, const struct slu_hosts *all,
		     struct slu_err *err)
{
	const struct slu_hosts *nodes = pool->nodes.n ? &pool->nodes : all;
	struct slu_hosts with = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < nodes->n; i++)
		if (nodes == &pool->nodes ||
		    !slu_conf_only_io(conf, nodes->name[i]))
			rc = look_at(p, pool, map, conf, nodes->name[i], &with,
				     err);
	if (!rc && pool->tier)
		rc = tell_hosts(p, &with, err);
	slu_hosts_free(&with);
	return rc;
}

static int reckon(struct slu_pool_capacity *p, const struct slu_pool_conf *pool,
		  struct slu_db *map, const struct slu_conf *conf,
		  const struct slu_hosts *nodes, struct slu_err *err)
{
	*p = (struct slu_pool_capacity){.name = strdup(pool->name),
					.complete = true};
	if (!p->name)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (pool->size) {
		p->total = p->available = pool->size;
		return 0;
	}
	return add_nodes(p, pool, map, conf, nodes, err);
}

int slu_pool_capacity_sum(struct slu_db *map, const struct slu_conf *conf,
			  const struct slu_hosts *nodes,
			  struct slu_capacity *out, struct slu_err *err)
{
	struct slu_capacity supply = {
		.pools = calloc(conf->n_pool + 1, sizeof(*supply.pools))};

	if (!supply.pools)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; i < conf->n_pool; i++) {
		supply.n_pools++;
		if (reckon(&supply.pools[i], &conf->pool[i], map, conf, nodes,
			   err) < 0) {
			slu_msg_clear(&slu_capacity_desc, &supply);
			return -1;
		}
	}
	if (slu_capabilities_count(map, conf, nodes, &supply, err) < 0) {
		slu_msg_clear(&slu_capacity_desc, &supply);
		return -1;
	}
	*out = supply;
	return 0;
}
