/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_POOL_CAPACITY_H
#define SLU_SLUICED_POOL_CAPACITY_H

/*
 * Computes the capacity of each pool: for the nodes that slurmctld has, the
 * size of the file systems with our storage, from the resource map. Computed
 * when slurmctld connects, when the configuration was read again, soon after a
 * host's first map, and every minute or so (less often with many nodes), and
 * sent when it has changed.
 */

#include "common/conf.h"
#include "store/db.h"
#include "wire/control.h"

/* Compute it; nodes: those of the system. I/O nodes count only in a pool that
 * names them. The caller clears *out. */
int slu_pool_capacity_sum(struct slu_db *map, const struct slu_conf *conf,
			  const struct slu_hosts *nodes,
			  struct slu_capacity *out, struct slu_err *err);

#endif
