/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_POOLS_CAPACITY_H
#define SLU_CTL_POOLS_CAPACITY_H

/*
 * The capacity of each pool, and which nodes can make which file system, as
 * sluiced last reported it. Slurmctld's hooks use this copy, as they may not
 * wait for sluiced.
 */

#include "common/hostlist.h"
#include "ctl/link/mirror_state.h"

#define SLU_POOL_WHY 256

/* Replaces the report; takes over the content of *supply. */
void slu_pools_set(struct slu_mirror *m, struct slu_capacity *supply);
/* A pool in the report; NULL: it is not there. The caller holds m->lock;
 * borrowed. */
const struct slu_pool_capacity *slu_capacity_of(const struct slu_mirror *m,
						const char *pool);

/* The nodes of a pool with a tier. The result says how much sluiced has
 * reported: nothing, only nodes that have pushed their resource maps, or all
 * nodes. Caller frees. */
enum slu_pool_known_nodes {
	SLU_POOL_NODES_UNKNOWN,
	SLU_POOL_NODES_SOME,
	SLU_POOL_NODES_ALL
};
enum slu_pool_known_nodes
slu_pools_hosts(struct slu_mirror *m, const char *pool, struct slu_hosts *out);

/* *unable: the number of nodes that have reported that they cannot make this
 * file system, *why: the reason of one of them; *able: the number of the other
 * nodes. False: there is no such report. */
bool slu_pools_unable(struct slu_mirror *m, const char *fs, uint32_t *able,
		      uint32_t *unable, char why[SLU_POOL_WHY]);

#endif
