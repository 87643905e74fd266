/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_HWLOC_LOAD_H
#define SLU_SYSMAP_HWLOC_LOAD_H

#include <hwloc.h>
#include "sysmap/root.h"

/* The machine's topology, with its I/O devices; caller destroys. */
int slu_hwloc_load(const struct slu_root *root, hwloc_topology_t *out,
		   struct slu_err *err);

#endif
