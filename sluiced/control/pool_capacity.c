/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "sluiced/control/pool_capacity.h"

#include <stdlib.h>
#include <string.h>

#include "burst_buffer/storage/image.h"
#include "burst_buffer/request/pool.h"
#include "sysmap/database/planner_storage.h"

static int find(struct slu_db *map, const char *node, const char *storage,
		struct slu_node_storage *out, struct slu_err *err)
{
	return strcmp(storage, "auto") == 0
		       ? slu_storage_find(map, node, out, err)
		       : slu_storage_at(map, node, storage, out, err);
}

static void add_node(struct slu_pool_capacity *p,
		     const struct slu_node_storage *place)
{
	p->total += place->size;
	p->available +=
		place->available < place->size ? place->available : place->size;
	p->nodes++;
	if (slu_image_fits(place->size) > p->largest)
		p->largest = slu_image_fits(place->size);
}

/* A node that the map does not know makes the pool incomplete; an error of the
 * database is one. */
static int add_nodes(struct slu_pool_capacity *p, struct slu_db *map,
		     const char *storage, const struct slu_hosts *nodes,
		     const struct slu_conf *without_io, struct slu_err *err)
{
	struct slu_node_storage place;
	struct slu_err why = {0};

	for (size_t i = 0; i < nodes->n; i++) {
		if (without_io && slu_conf_only_io(without_io, nodes->name[i]))
			continue;
		if (find(map, nodes->name[i], storage, &place, &why) == 0)
			add_node(p, &place);
		else if (why.kind == SLU_NOTFOUND || why.kind == SLU_INVALID)
			p->complete = false;
		else
			return slu_err(err, why.kind, "%s", why.text);
	}
	return 0;
}

static int reckon(struct slu_pool_capacity *p, const struct slu_pool_conf *pool,
		  struct slu_db *map, const struct slu_conf *conf,
		  const struct slu_hosts *nodes, struct slu_err *err)
{
	bool all = pool->nodes.n == 0;

	*p = (struct slu_pool_capacity){.name = strdup(pool->name),
					.complete = true};
	if (!p->name)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (pool->size) {
		p->total = p->available = pool->size;
		return 0;
	}
	return add_nodes(p, map, slu_pool_storage(conf, pool),
			 all ? nodes : &pool->nodes, all ? conf : NULL, err);
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
