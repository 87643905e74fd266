/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_H
#define SLU_SYSMAP_LINUX_H

/* The sources that read /proc and /sys; each is a slu_source_f
 * (sysmap/extract.h). */

#include <json-c/json.h>
#include "sysmap/root.h"

int slu_linux_disks(const struct slu_root *root, struct json_object **out,
		    struct slu_err *err);
int slu_linux_partitions(const struct slu_root *root, struct json_object **out,
			 struct slu_err *err);
/* from /proc/self/mountinfo; from /proc/mounts */
int slu_linux_mountinfo(const struct slu_root *root, struct json_object **out,
			struct slu_err *err);
int slu_linux_mtab(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err);
/* only of the live machine */
int slu_linux_mountusage(const struct slu_root *root, struct json_object **out,
			 struct slu_err *err);
/* from /proc/meminfo; from the NUMA nodes in /sys */
int slu_linux_meminfo(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err);
int slu_linux_numa_memory(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err);
int slu_linux_machine(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err);
int slu_linux_hostid(const struct slu_root *root, struct json_object **out,
		     struct slu_err *err);
/* topology from /sys; from /proc/cpuinfo alone */
int slu_linux_cpus(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err);
int slu_linux_cpuinfo(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err);

#endif
