/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_TOPOLOGY_PRIVATE_H
#define SLU_SYSMAP_TOPOLOGY_PRIVATE_H

/* What the readers of topologies share: switches with names and hosts are made
 * first, then linked, then finished. */

#include "sysmap/topology.h"

struct slu_topology_host {
	const char *name; /* the switch's */
	uint32_t sw;
};

/* Adds one direction of a link; duplicates are allowed. */
int slu_topology_link(struct slu_topology *t, uint32_t a, uint32_t b,
		      struct slu_err *err);
/* Levels, links in order, and the index of hosts. */
int slu_topology_finish(struct slu_topology *t, struct slu_err *err);

#endif
