/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binds the servers of a file system on each node to processors: near the
 * node's disks and network, or far from them (bind=near|far). Where the
 * resource map does not know enough of a node, its servers are not bound.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/plan/plan.h"
#include "sysmap/database/server_numa.h"

int slu_plan_bind(struct slu_plan *plan, struct slu_db *map, bool far,
		  struct slu_err *err)
{
	for (size_t i = 0; map && i < plan->n_node; i++) {
		struct slu_plan_node *node = &plan->node[i];
		struct slu_numa_place place;
		struct slu_err why;

		if (node->client ||
		    slu_numa_find(map, node->name, node->storage, node->addr,
				  far, &place, &why))
			continue;
		node->cpus = strdup(place.cpus);
		node->cpus_why = strdup(place.why);
		if (!node->cpus || !node->cpus_why)
			return slu_err(err, SLU_NOMEM, "out of memory");
	}
	return 0;
}
