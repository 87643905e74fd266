/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_CAPABILITIES_H
#define SLU_SLUICED_CONTROL_CAPABILITIES_H

/*
 * Counts, for each file system of sluice.conf, the nodes that cannot make it.
 */

#include "common/conf.h"
#include "store/db.h"
#include "wire/control.h"

/* For each file system of the configuration, how many of these nodes have
 * reported that they cannot make it. Fills in out->fs. */
int slu_capabilities_count(struct slu_db *map, const struct slu_conf *conf,
			   const struct slu_hosts *nodes,
			   struct slu_capacity *out, struct slu_err *err);

#endif
