/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_HWLOC_LOAD_H
#define SLU_SYSMAP_HWLOC_LOAD_H

/* Private to sysmap/hwloc: loading a topology, and the sources that may crash
 * with it. apart.c calls them in a child process. */

#include <hwloc.h>
#include <json-c/json.h>
#include "sysmap/root.h"

/* The machine's topology, with its I/O devices; caller destroys. */
int slu_hwloc_load(const struct slu_root *root, hwloc_topology_t *out,
		   struct slu_err *err);

/* The sources themselves; call them in a process that may crash. */
int slu_hwloc_read_disks(const struct slu_root *root, struct json_object **out,
			 struct slu_err *err);
int slu_hwloc_read_cpus(const struct slu_root *root, struct json_object **out,
			struct slu_err *err);
int slu_hwloc_read_memory(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err);
int slu_hwloc_read_numa(const struct slu_root *root, struct json_object **out,
			struct slu_err *err);
int slu_hwloc_read_pci(const struct slu_root *root, struct json_object **out,
		       struct slu_err *err);
int slu_hwloc_read_gpus(const struct slu_root *root, struct json_object **out,
			struct slu_err *err);
int slu_hwloc_read_network(const struct slu_root *root,
			   struct json_object **out, struct slu_err *err);

#endif
