/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads processors, memory and NUMA nodes from an hwloc topology. Loading it
 * takes longer than all other sources together, so it is used only if they have
 * failed. Missing values count as 0.
 */
#include "config.h"
#include "sysmap/hwloc/hwloc.h"

#ifdef HAVE_HWLOC
#include <stdlib.h>
#include "sysmap/device_models.h"
#include "sysmap/hwloc/load.h"
#include "sysmap/model.h"

/* A printable info text of an object, without surrounding blanks; "": none. */
static const char *info(hwloc_obj_t obj, const char *key, char buf[128])
{
	const char *value = obj ? hwloc_obj_get_info_by_name(obj, key) : NULL;
	char *text;

	slu_copy(buf, 128, value ? value : "");
	text = slu_printable(slu_trim(buf));
	return text;
}

static uint32_t count(hwloc_topology_t t, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(t, type);

	return n > 0 ? (uint32_t)n : 0;
}

static uint64_t cache_kib(hwloc_topology_t t, hwloc_obj_type_t type)
{
	hwloc_obj_t obj = hwloc_get_obj_by_type(t, type, 0);

	return obj ? obj->attr->cache.size >> 10 : 0;
}

int slu_hwloc_read_cpus(const struct slu_root *root, struct json_object **out,
			struct slu_err *err)
{
	hwloc_obj_t package;
	struct slu_cpus cpus = {0};
	char model[128], vendor[128];
	hwloc_topology_t t;

	if (slu_hwloc_load(root, &t, err))
		return -1;
	package = hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0);
	cpus.cpus = count(t, HWLOC_OBJ_PU);
	cpus.cores = count(t, HWLOC_OBJ_CORE);
	cpus.sockets = count(t, HWLOC_OBJ_PACKAGE);
	cpus.model = info(package, "CPUModel", model);
	if (!*cpus.model)
		cpus.model = info(hwloc_get_root_obj(t), "CPUModel", model);
	cpus.vendor = info(package, "CPUVendor", vendor);
	cpus.cache[0].size = cache_kib(t, HWLOC_OBJ_L1CACHE);
	cpus.cache[1].size = cache_kib(t, HWLOC_OBJ_L2CACHE);
	cpus.cache[2].size = cache_kib(t, HWLOC_OBJ_L3CACHE);
	*out = slu_cpus_json(&cpus);
	hwloc_topology_destroy(t);
	return 0;
}

/* Adds up the page types of all nodes. */
static void add_pages(hwloc_obj_t node, struct slu_memory *memory)
{
	struct hwloc_memory_page_type_s *page;
	int k;

	for (unsigned i = 0; i < node->attr->numanode.page_types_len; i++) {
		page = &node->attr->numanode.page_types[i];
		for (k = 0; k < SLU_PAGE_TYPES - 1; k++)
			if (memory->page[k].size == page->size ||
			    memory->page[k].size == 0)
				break;
		memory->page[k].size = page->size;
		memory->page[k].count += page->count;
	}
}

int slu_hwloc_read_memory(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err)
{
	struct slu_memory memory = {0};
	hwloc_topology_t t;

	if (slu_hwloc_load(root, &t, err))
		return -1;
	memory.numa_nodes = count(t, HWLOC_OBJ_NUMANODE);
	memory.total = hwloc_get_root_obj(t)->total_memory;
	for (uint32_t i = 0; i < memory.numa_nodes; i++)
		add_pages(hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, i),
			  &memory);
	hwloc_topology_destroy(t);
	if (memory.total == 0)
		return slu_err(err, SLU_NOTFOUND, "hwloc knows no memory");
	*out = slu_memory_json(&memory);
	return 0;
}

/* Distances from a node to all nodes, by the first matrix. */
static struct json_object *distances(hwloc_topology_t t, hwloc_obj_t node)
{
	struct json_object *list = NULL;
	struct hwloc_distances_s *matrix;
	unsigned n = 1;
	int from;

	if (hwloc_distances_get_by_type(t, HWLOC_OBJ_NUMANODE, &n, &matrix,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY,
					0) ||
	    n == 0)
		return NULL;
	from = hwloc_distances_obj_index(matrix, node);
	if (from >= 0) {
		list = json_object_new_array();
		for (unsigned i = 0; i < matrix->nbobjs; i++)
			json_object_array_add(
				list,
				json_object_new_uint64(
					matrix->values[(unsigned)from *
							       matrix->nbobjs +
						       i]));
	}
	hwloc_distances_release(t, matrix);
	return list;
}

static void add_node(hwloc_topology_t t, hwloc_obj_t obj,
		     const struct slu_numa_devices *devices,
		     struct json_object *out)
{
	char *cpus = NULL;
	struct slu_numa_node node = {
		.node = obj->os_index,
		.memory = obj->attr->numanode.local_memory,
		.distances = distances(t, obj),
	};

	if (obj->cpuset && hwloc_bitmap_list_asprintf(&cpus, obj->cpuset) < 0)
		cpus = NULL;
	node.cpus = cpus;
	slu_numa_node_add(out, &node, devices);
	free(cpus);
}

int slu_hwloc_read_numa(const struct slu_root *root, struct json_object **out,
			struct slu_err *err)
{
	struct slu_numa_devices devices = {0};
	struct json_object *array;
	hwloc_topology_t t;

	if (slu_hwloc_load(root, &t, err))
		return -1;
	slu_hwloc_read_disks(root, &devices.disks, NULL);
	slu_hwloc_read_network(root, &devices.networks, NULL);
	slu_hwloc_read_gpus(root, &devices.gpus, NULL);
	array = json_object_new_array();
	for (uint32_t i = 0; i < count(t, HWLOC_OBJ_NUMANODE); i++)
		add_node(t, hwloc_get_obj_by_type(t, HWLOC_OBJ_NUMANODE, i),
			 &devices, array);
	slu_numa_devices_free(&devices);
	hwloc_topology_destroy(t);
	*out = array;
	return 0;
}

#else
typedef int slu_no_hwloc_here; /* a file may not be empty */
#endif
