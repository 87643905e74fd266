/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_POOL_CAPACITY_H
#define SLU_SLUICED_POOL_CAPACITY_H

/*
 * What there is of each pool: of slurmctld's nodes, what the resource map says
 * of the file systems that buffers lie on. Reckoned when slurmctld connects,
 * when the configuration was read again, soon after a host's first map, and
 * every minute or so (less often where there are many nodes), and told when it
 * has changed.
 */

#include "common/conf.h"
#include "store/db.h"
#include "wire/control.h"

/* Reckon it; nodes: those of the system. I/O nodes give nothing unless a pool
 * names them. The caller clears *out. */
int slu_pool_capacity_sum(struct slu_db *map, const struct slu_conf *conf,
			  const struct slu_hosts *nodes,
			  struct slu_capacity *out, struct slu_err *err);

/* Part of it (capabilities.c): of each file system of the configuration, how
 * many of these nodes have said that they cannot do it. Fills in out->fs. */
int slu_capabilities_count(struct slu_db *map, const struct slu_conf *conf,
			   const struct slu_hosts *nodes,
			   struct slu_capacity *out, struct slu_err *err);

#endif
