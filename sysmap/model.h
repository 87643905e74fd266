/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_MODEL_H
#define SLU_SYSMAP_MODEL_H

/*
 * Converts disks, partitions, mount points, processors and memory to JSON
 * documents, whatever source they were read from. A source fills one of these
 * structs and adds it to its document; the keys of the original sysmap (of the
 * ADA-FS project) are defined only here. Keys marked "(if known)" are left out
 * if the text is NULL or "", or the number is 0. Sizes are bytes unless noted
 * otherwise.
 */

#include <stdbool.h>
#include <stdint.h>
#include <json-c/json.h>

#define SLU_SECTOR 512

/* "disks": an array of these. `size` is written as "size" in sectors, as the
 * original has it, and as "size_bytes". */
struct slu_disk {
	const char *name; /* sda */
	const char *model, *vendor;
	const char *device_number; /* 8:0 */
	const char *address;	   /* of its PCI function (if known) */
	int numa_node;		   /* (if known) or -1 */
	uint64_t size;
	bool rotational, removable;
};
void slu_disk_add(struct json_object *disks, const struct slu_disk *disk);

/* "partitions": partitions, logical volumes and RAID sets. */
struct slu_partition {
	const char *name; /* /dev/sda1, /dev/mapper/vg-lv */
	const char *device_number;
	const char *uuid;	      /* of the file system */
	const char *partuuid, *label; /* (if known) */
	const char *mountpoint;	      /* (if mounted) */
	uint64_t size;
};
void slu_partition_add(struct json_object *partitions,
		       const struct slu_partition *partition);

/* "mountpoints". size is 0 for network and pseudo file systems: they are not
 * queried, because one that hangs would block the reader. */
enum slu_mount_category {
	SLU_MOUNT_LOCAL,   /* on a disk of this node */
	SLU_MOUNT_NETWORK, /* served by other hosts, or by a program (FUSE) */
	SLU_MOUNT_MEMORY,
	SLU_MOUNT_PSEUDO,
};

struct slu_mountpoint {
	const char *device, *mountpoint, *filesystem, *options;
	const char *device_number; /* (if known) */
	const char *subtree;	   /* the mounted part, if not all: "/a" */
	const char *tier; /* of a local one, see common/tiers.h (if known) */
	enum slu_mount_category category;
	uint64_t size, blksize;
};
void slu_mountpoint_add(struct json_object *mountpoints,
			const struct slu_mountpoint *mountpoint);

/* "mountusage": values that change by the minute. available is what a user may
 * still write, rounded down to hundredths of the size, so that the document
 * changes rarely. */
struct slu_mountusage {
	const char *mountpoint;
	uint64_t size, available;
	uint64_t files, files_available;
};
void slu_mountusage_add(struct json_object *usage,
			const struct slu_mountusage *mount);

/* "cpuinfo". Frequencies are MHz; CpuFreq is the nominal one, which does not
 * change by the second as the present one does. */
struct slu_cache {
	uint64_t size; /* KiB, of one instance; 0: there is none */
};
struct slu_cpus {
	uint32_t cpus, cores, sockets; /* online */
	double mhz, mhz_min, mhz_max;  /* (if known) */
	const char *model, *vendor;
	const char *flags;	   /* separated by blanks */
	struct slu_cache cache[3]; /* L1 data, L2, L3 */
};
struct json_object *slu_cpus_json(const struct slu_cpus *cpus);

/* "memoryinfo". LocalMemory is, as in hwloc, the memory of the machine object
 * itself: all of it without NUMA nodes, else 0. */
#define SLU_PAGE_TYPES 16
struct slu_page_type {
	uint64_t size, count;
};
struct slu_memory {
	uint64_t total;
	uint32_t numa_nodes;
	struct slu_page_type page[SLU_PAGE_TYPES]; /* size 0 ends it */
};
struct json_object *slu_memory_json(const struct slu_memory *memory);

#endif
