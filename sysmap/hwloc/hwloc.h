/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_HWLOC_H
#define SLU_SYSMAP_HWLOC_H

/*
 * Sources of documents that use hwloc, for where /proc and /sys have nothing:
 * on other systems, and for recorded machines with only the output of `lstopo
 * hwloc.xml` (the file hwloc.xml at the root of the tree). Each is a
 * slu_source_f (sysmap/extract.h); without the library each returns an error.
 */

#include <json-c/json.h>
#include "sysmap/root.h"

#define SLU_HWLOC_RECORDED "hwloc.xml"

int slu_hwloc_disks(const struct slu_root *root, struct json_object **out,
		    struct slu_err *err);
int slu_hwloc_cpus(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err);
int slu_hwloc_memory(const struct slu_root *root, struct json_object **out,
		     struct slu_err *err);
int slu_hwloc_numa(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err);
int slu_hwloc_pci(const struct slu_root *root, struct json_object **out,
		  struct slu_err *err);
int slu_hwloc_gpus(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err);
int slu_hwloc_network(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err);

#endif
