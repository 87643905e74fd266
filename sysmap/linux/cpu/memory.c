/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the total size of memory, the number of NUMA nodes, and page sizes.
 * Free memory changes every second and is not included. */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sysmap/linux/procs.h"
#include "sysmap/model.h"

#define HUGEPAGES "sys/kernel/mm/hugepages"
#define NODES	  "sys/devices/system/node"

/* One key of a file like /proc/meminfo, in bytes; 0: none. */
static uint64_t read_bytes(const struct slu_root *root, const char *path,
			   const char *key)
{
	struct slu_buf text = {0};
	uint64_t bytes = 0;

	if (slu_root_read(root, path, SLU_TABLE_MAX, &text, NULL) == 0)
		bytes = slu_meminfo_bytes(text.data, key);
	slu_buf_free(&text);
	return bytes;
}

/* Counts the NUMA nodes, and sums up their memory. */
static uint32_t numa_nodes(const struct slu_root *root, uint64_t *total)
{
	char **names = slu_root_list(root, NODES, NULL);
	char path[64], key[64];
	uint32_t n = 0;

	*total = 0;
	for (char **name = names; name && *name; name++) {
		if (!slu_is_numa_node(*name))
			continue;
		n++;
		snprintf(path, sizeof(path), NODES "/%.16s/meminfo", *name);
		snprintf(key, sizeof(key), "Node %.16s MemTotal", *name + 4);
		*total += read_bytes(root, path, key);
	}
	slu_strv_free(names);
	return n;
}

/* Adds a page type for each directory "hugepages-2048kB"; the remaining memory
 * is in base pages. */
static void add_pages(const struct slu_root *root, struct slu_memory *memory)
{
	char **names = slu_root_list(root, HUGEPAGES, NULL);
	uint64_t kib, rest = memory->total;
	struct slu_page_type *page = memory->page;

	page->size = root->live ? (uint64_t)sysconf(_SC_PAGESIZE) : 4096;
	for (char **name = names; name && *name; name++) {
		if (strncmp(*name, "hugepages-", 10) != 0 ||
		    page == memory->page + SLU_PAGE_TYPES - 1)
			continue;
		kib = strtoull(*name + 10, NULL, 10);
		if (kib == 0 || kib > UINT32_MAX)
			continue;
		page++;
		page->size = kib * 1024;
		slu_root_number(root, &page->count,
				HUGEPAGES "/%s/nr_hugepages", *name);
		if (page->count > rest / page->size)
			page->count = rest / page->size;
		rest -= page->count * page->size;
	}
	memory->page[0].count = rest / memory->page[0].size;
	slu_strv_free(names);
}

static int finish(const struct slu_root *root, struct slu_memory *memory,
		  struct json_object **out, struct slu_err *err)
{
	if (memory->total == 0)
		return slu_err(err, SLU_NOTFOUND, "no MemTotal");
	add_pages(root, memory);
	*out = slu_memory_json(memory);
	return 0;
}

int slu_linux_meminfo(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err)
{
	struct slu_memory memory = {0};
	uint64_t by_nodes;

	memory.numa_nodes = numa_nodes(root, &by_nodes);
	memory.total = read_bytes(root, "proc/meminfo", "MemTotal");
	return finish(root, &memory, out, err);
}

int slu_linux_numa_memory(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err)
{
	struct slu_memory memory = {0};

	memory.numa_nodes = numa_nodes(root, &memory.total);
	return finish(root, &memory, out, err);
}
