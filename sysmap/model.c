/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts resources of a machine (model.h) to JSON. Equal resources must give
 * equal texts, on every node and at any time: keys are in a fixed order, and
 * values that change by themselves are left out.
 */
#include "config.h"
#include "sysmap/model.h"

#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"

/* A text that the original tool always has. */
static void text(struct json_object *obj, const char *key, const char *value)
{
	slu_json_set_str(obj, key, value ? value : "");
}

/* A text that is left out if it is unknown. */
static void text_opt(struct json_object *obj, const char *key,
		     const char *value)
{
	if (value && *value)
		slu_json_set_str(obj, key, value);
}

static void number_opt(struct json_object *obj, const char *key, double value)
{
	if (value > 0)
		slu_json_set_double(obj, key, value);
}

void slu_disk_add(struct json_object *disks, const struct slu_disk *disk)
{
	struct json_object *obj = json_object_new_object();

	text(obj, "name", disk->name);
	text(obj, "model", disk->model);
	text(obj, "vendor", disk->vendor);
	slu_json_set_u64(obj, "size", disk->size / SLU_SECTOR);
	slu_json_set_u64(obj, "size_bytes", disk->size);
	text(obj, "device_number", disk->device_number);
	slu_json_set_bool(obj, "rotational", disk->rotational);
	slu_json_set_bool(obj, "removable", disk->removable);
	text_opt(obj, "address", disk->address);
	if (disk->numa_node >= 0)
		slu_json_set_i64(obj, "numa_node", disk->numa_node);
	json_object_array_add(disks, obj);
}

void slu_partition_add(struct json_object *partitions,
		       const struct slu_partition *partition)
{
	struct json_object *obj = json_object_new_object();

	text(obj, "name", partition->name);
	text(obj, "device_number", partition->device_number);
	text(obj, "uuid", partition->uuid);
	text_opt(obj, "partuuid", partition->partuuid);
	text_opt(obj, "label", partition->label);
	text_opt(obj, "mountpoint", partition->mountpoint);
	slu_json_set_u64(obj, "size", partition->size / SLU_SECTOR);
	slu_json_set_u64(obj, "size_bytes", partition->size);
	json_object_array_add(partitions, obj);
}

static const char *category_name(enum slu_mount_category category)
{
	switch (category) {
	case SLU_MOUNT_LOCAL:
		return "local";
	case SLU_MOUNT_NETWORK:
		return "network";
	case SLU_MOUNT_MEMORY:
		return "memory";
	case SLU_MOUNT_PSEUDO:
		return "pseudo";
	}
	return "pseudo";
}

void slu_mountpoint_add(struct json_object *mountpoints,
			const struct slu_mountpoint *mountpoint)
{
	struct json_object *obj = json_object_new_object();

	text(obj, "device", mountpoint->device);
	text(obj, "mountpoint", mountpoint->mountpoint);
	text(obj, "filesystem", mountpoint->filesystem);
	slu_json_set_u64(obj, "size", mountpoint->size);
	slu_json_set_u64(obj, "blksize", mountpoint->blksize);
	text(obj, "options", mountpoint->options);
	text(obj, "category", category_name(mountpoint->category));
	text_opt(obj, "device_number", mountpoint->device_number);
	text_opt(obj, "subtree", mountpoint->subtree);
	text_opt(obj, "tier", mountpoint->tier);
	json_object_array_add(mountpoints, obj);
}

void slu_mountusage_add(struct json_object *usage,
			const struct slu_mountusage *mount)
{
	struct json_object *obj = json_object_new_object();
	uint64_t step = mount->size / 100 ? mount->size / 100 : 1;
	uint64_t files_step = mount->files / 100 ? mount->files / 100 : 1;

	text(obj, "mountpoint", mount->mountpoint);
	slu_json_set_u64(obj, "size", mount->size);
	slu_json_set_u64(obj, "available",
			 mount->available - mount->available % step);
	slu_json_set_u64(obj, "files", mount->files);
	slu_json_set_u64(obj, "files_available",
			 mount->files_available -
				 mount->files_available % files_step);
	json_object_array_add(usage, obj);
}

static void add_flags(struct json_object *obj, const char *flags)
{
	struct json_object *list = json_object_new_array();
	size_t len;

	for (const char *at = flags ? flags : ""; *at; at += len) {
		at += strspn(at, " \t");
		len = strcspn(at, " \t");
		if (len)
			json_object_array_add(
				list, json_object_new_string_len(at, (int)len));
	}
	json_object_object_add(obj, "CpuFlags", list);
}

static void add_cache(struct json_object *obj, const char *key,
		      const struct slu_cache *cache)
{
	struct json_object *value;

	if (cache->size == 0)
		return;
	value = json_object_new_object();
	slu_json_set_u64(value, "Size", cache->size);
	slu_json_set_str(value, "Unit", "KiB");
	json_object_object_add(obj, key, value);
}

struct json_object *slu_cpus_json(const struct slu_cpus *cpus)
{
	static const char *const level[] = {"L1", "L2", "L3"};
	struct json_object *obj = json_object_new_object();
	uint32_t cores = cpus->cores ? cpus->cores : 1;
	uint32_t sockets = cpus->sockets ? cpus->sockets : 1;

	slu_json_set_u64(obj, "CoreCount", cpus->cpus); /* as lscpu's CPU(s) */
	slu_json_set_u64(obj, "ThreadPerCore", cpus->cpus / cores);
	slu_json_set_u64(obj, "CorePerSocket", cores / sockets);
	slu_json_set_u64(obj, "SocketCount", sockets);
	number_opt(obj, "CpuFreq", cpus->mhz);
	number_opt(obj, "CpuFreqMin", cpus->mhz_min);
	number_opt(obj, "CpuFreqMax", cpus->mhz_max);
	text(obj, "ModelName", cpus->model);
	text_opt(obj, "VendorId", cpus->vendor);
	add_flags(obj, cpus->flags);
	for (int i = 0; i < 3; i++)
		add_cache(obj, level[i], &cpus->cache[i]);
	return obj;
}

struct json_object *slu_memory_json(const struct slu_memory *memory)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *pages = json_object_new_array();
	struct json_object *page;

	slu_json_set_u64(obj, "TotalMemory", memory->total);
	slu_json_set_u64(obj, "LocalMemory",
			 memory->numa_nodes > 1 ? 0 : memory->total);
	for (int i = 0; i < SLU_PAGE_TYPES && memory->page[i].size; i++) {
		page = json_object_new_object();
		slu_json_set_u64(page, "PageSize", memory->page[i].size);
		slu_json_set_u64(page, "Count", memory->page[i].count);
		json_object_array_add(pages, page);
	}
	json_object_object_add(obj, "PageTypes", pages);
	return obj;
}
