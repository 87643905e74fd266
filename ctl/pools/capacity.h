/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_POOLS_CAPACITY_H
#define SLU_CTL_POOLS_CAPACITY_H

/* The capacity of each pool, as sluiced last reported it. */

#include "common/hostlist.h"
#include "ctl/link/mirror_state.h"

#define SLU_POOL_WHY 256

/* As sluiced reports it; takes over the content. */
void slu_pools_set(struct slu_mirror *m, struct slu_capacity *supply);
/* Under the lock, borrowed; NULL: nothing is known of it. */
const struct slu_pool_capacity *slu_capacity_of(const struct slu_mirror *m,
						const char *pool);

/* The nodes of a pool with a tier, as far as sluiced has reported: none of
 * them, those that have pushed their maps, or all. Caller frees. */
enum slu_pool_known_nodes {
	SLU_POOL_NODES_UNKNOWN,
	SLU_POOL_NODES_SOME,
	SLU_POOL_NODES_ALL
};
enum slu_pool_known_nodes
slu_pools_hosts(struct slu_mirror *m, const char *pool, struct slu_hosts *out);

/* How many nodes have reported that they cannot make this file system, and how
 * many have not; false: none has. *why is the reason of one of them. */
bool slu_pools_unable(struct slu_mirror *m, const char *fs, uint32_t *able,
		      uint32_t *unable, char why[SLU_POOL_WHY]);

#endif
