/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads NUMA nodes from /sys/devices/system/node, with the disks, network
 * interfaces and accelerators near each, which come from the other extractors'
 * documents.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/device_models.h"
#include "sysmap/linux/procs.h"

#define NODES	      "sys/devices/system/node"
#define NODES_MAX     1024
#define DISTANCES_MAX 1024

/* "10 21 31" as numbers. */
static struct json_object *distances(const struct slu_root *root,
				     const char *name)
{
	char text[SLU_ROOT_ATTR_MAX], *word[DISTANCES_MAX];
	struct json_object *list;
	size_t n;

	if (!slu_root_attr(root, text, sizeof(text), NODES "/%s/distance",
			   name))
		return NULL;
	n = slu_split(text, " ", word, DISTANCES_MAX);
	list = json_object_new_array();
	for (size_t i = 0; i < n && i < DISTANCES_MAX; i++)
		json_object_array_add(list, json_object_new_int((int)strtol(
						    word[i], NULL, 10)));
	return list;
}

static uint64_t memory(const struct slu_root *root, const char *name)
{
	struct slu_buf text = {0};
	char path[128], key[64];
	uint64_t bytes = 0;

	snprintf(path, sizeof(path), NODES "/%.32s/meminfo", name);
	snprintf(key, sizeof(key), "Node %.16s MemTotal", name + 4);
	if (slu_root_read(root, path, SLU_TABLE_MAX, &text, NULL) == 0)
		bytes = slu_meminfo_bytes(text.data, key);
	slu_buf_free(&text);
	return bytes;
}

static void devices_read(const struct slu_root *root,
			 struct slu_numa_devices *d)
{
	*d = (struct slu_numa_devices){0};
	slu_linux_disks(root, &d->disks, NULL);
	slu_linux_network(root, &d->networks, NULL);
	slu_linux_infiniband(root, &d->ports, NULL);
	slu_linux_gpus(root, &d->gpus, NULL);
}

#define INITIATORS NODES "/%s/access0/initiators/"

static void add_node(const struct slu_root *root, const char *name,
		     const struct slu_numa_devices *d, struct json_object *out)
{
	char cpus[SLU_ROOT_ATTR_MAX];
	struct slu_numa_node node = {
		.node = (uint32_t)strtoul(name + 4, NULL, 10),
		.memory = memory(root, name),
		.cpus = cpus,
		.distances = distances(root, name),
	};

	slu_root_attr(root, cpus, sizeof(cpus), NODES "/%s/cpulist", name);
	slu_root_number(root, &node.read_bandwidth, INITIATORS "read_bandwidth",
			name);
	slu_root_number(root, &node.read_latency, INITIATORS "read_latency",
			name);
	slu_numa_node_add(out, &node, d);
}

bool slu_is_numa_node(const char *name)
{
	return strncmp(name, "node", 4) == 0 && name[4] &&
	       strspn(name + 4, "0123456789") == strlen(name + 4);
}

int slu_linux_numa(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err)
{
	char **names = slu_root_list(root, NODES, err);
	struct json_object *array;
	struct slu_numa_devices d;

	if (!names)
		return -1;
	devices_read(root, &d);
	array = json_object_new_array();
	for (char **name = names;
	     *name && json_object_array_length(array) < NODES_MAX; name++)
		if (slu_is_numa_node(*name))
			add_node(root, *name, &d, array);
	slu_numa_devices_free(&d);
	slu_strv_free(names);
	if (json_object_array_length(array) == 0) {
		json_object_put(array);
		return slu_err(err, SLU_NOTFOUND, "/" NODES ": no node");
	}
	*out = array;
	return 0;
}
