/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_H
#define SLU_SYSMAP_LINUX_H

/*
 * Sources of documents that read /proc and /sys; each is a slu_source_f
 * (sysmap/extract.h). Where a resource has two sources, the second is for
 * machines without the first.
 */

#include <json-c/json.h>
#include "sysmap/root.h"

#define SOURCE(name)                                                    \
	int name(const struct slu_root *root, struct json_object **out, \
		 struct slu_err *err)

SOURCE(slu_linux_disks);
SOURCE(slu_linux_partitions);
/* from /proc/self/mountinfo; from /proc/mounts */
SOURCE(slu_linux_mountinfo);
SOURCE(slu_linux_mtab);
/* only of the live machine */
SOURCE(slu_linux_mountusage);
/* from /proc/meminfo; from the NUMA nodes in /sys */
SOURCE(slu_linux_meminfo);
SOURCE(slu_linux_numa_memory);
SOURCE(slu_linux_machine);
extern const char *const slu_linux_machine_keys[]; /* NULL-ended */
SOURCE(slu_linux_hostid);
/* topology from /sys; from /proc/cpuinfo alone */
SOURCE(slu_linux_cpus);
SOURCE(slu_linux_cpuinfo);

/* from /sys/class/nvme; from the block devices */
SOURCE(slu_linux_nvme);
SOURCE(slu_linux_nvme_blocks);
/* only of the live machine, by root */
SOURCE(slu_linux_nvme_health);
SOURCE(slu_linux_pci);
SOURCE(slu_linux_gpus);
SOURCE(slu_linux_network);
SOURCE(slu_linux_addresses);
SOURCE(slu_linux_infiniband);
SOURCE(slu_linux_numa);
SOURCE(slu_linux_queues);
SOURCE(slu_linux_swap);
SOURCE(slu_linux_kernel);
SOURCE(slu_linux_modules);
/* the firmware's structures one by one; its whole table */
SOURCE(slu_linux_dimms);
SOURCE(slu_linux_dimms_table);

#undef SOURCE

/* "node0", "node12": a NUMA node's directory. */
bool slu_is_numa_node(const char *name);

#endif
