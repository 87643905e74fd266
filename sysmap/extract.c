/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table, and the running of it. Issues of one extractor stay its own: the
 * others' documents are worth having.
 */
#include "config.h"
#include "sysmap/extract.h"

#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* a state on the stack */
#include <xxhash.h>
#include "common/jsonx.h"
#include "sysmap/linux/linux.h"

#define SOURCES(...)                 \
	(const struct slu_source[])  \
	{                            \
		__VA_ARGS__,         \
		{                    \
			.name = NULL \
		}                    \
	}

static const struct slu_column disk_columns[] = {
	{"name", "DISK", SLU_COL_PLAIN},
	{"size_bytes", "SIZE", SLU_COL_BYTES},
	{"vendor", "VENDOR", SLU_COL_PLAIN},
	{"model", "MODEL", SLU_COL_PLAIN},
	{"rotational", "ROTATIONAL", SLU_COL_PLAIN},
	{"device_number", "DEVICE", SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column partition_columns[] = {
	{"name", "PARTITION", SLU_COL_PLAIN},
	{"size_bytes", "SIZE", SLU_COL_BYTES},
	{"mountpoint", "MOUNTPOINT", SLU_COL_PLAIN},
	{"label", "LABEL", SLU_COL_PLAIN},
	{"uuid", "UUID", SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column mountpoint_columns[] = {
	{"mountpoint", "MOUNTPOINT", SLU_COL_PLAIN},
	{"filesystem", "TYPE", SLU_COL_PLAIN},
	{"category", "CATEGORY", SLU_COL_PLAIN},
	{"size", "SIZE", SLU_COL_BYTES},
	{"device", "DEVICE", SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column mountusage_columns[] = {
	{"mountpoint", "MOUNTPOINT", SLU_COL_PLAIN},
	{"size", "SIZE", SLU_COL_BYTES},
	{"available", "AVAILABLE", SLU_COL_BYTES},
	{"files", "FILES", SLU_COL_PLAIN},
	{"files_available", "FREE", SLU_COL_PLAIN},
	{.key = NULL},
};

const struct slu_extractor slu_extractors[] = {
	{
		.name = "disks",
		.help = "block devices with hardware behind them",
		.source = SOURCES({"linux/sysfs", slu_linux_disks}),
		.columns = disk_columns,
	},
	{
		.name = "partitions",
		.help = "partitions, logical volumes and RAID sets",
		.source = SOURCES({"linux/sysfs", slu_linux_partitions}),
		.columns = partition_columns,
	},
	{
		.name = "mountpoints",
		.help = "what is mounted where, and how large it is",
		.source = SOURCES({"linux/mountinfo", slu_linux_mountinfo},
				  {"linux/mounts", slu_linux_mtab}),
		.columns = mountpoint_columns,
	},
	{
		.name = "mountusage",
		.help = "free space of the file systems on disks",
		.dynamic = true,
		.source = SOURCES({"linux/statvfs", slu_linux_mountusage}),
		.columns = mountusage_columns,
	},
	{
		.name = "cpuinfo",
		.help = "processors, their arrangement and caches",
		.source = SOURCES({"linux/sysfs", slu_linux_cpus},
				  {"linux/procfs", slu_linux_cpuinfo}),
	},
	{
		.name = "memoryinfo",
		.help = "memory and its pages",
		.source = SOURCES({"linux/procfs", slu_linux_meminfo},
				  {"linux/sysfs", slu_linux_numa_memory}),
	},
	{
		.name = "machineinfo",
		.help = "kernel, operating system and firmware",
		.source = SOURCES({"linux/procfs", slu_linux_machine}),
	},
	{
		.name = "hostid",
		.help = "name and serial numbers of this machine",
		.source = SOURCES({"linux/procfs", slu_linux_hostid}),
	},
	{.name = NULL},
};

const struct slu_extractor *slu_extractor_find(const char *name)
{
	for (const struct slu_extractor *e = slu_extractors; e->name; e++)
		if (strcmp(e->name, name) == 0)
			return e;
	return NULL;
}

uint64_t slu_document_hash(const char *extractor, const char *text, size_t len)
{
	XXH3_state_t state;

	XXH3_INITSTATE(&state);
	XXH3_64bits_reset(&state);
	XXH3_64bits_update(&state, extractor, strlen(extractor));
	XXH3_64bits_update(&state, "\n", 1);
	XXH3_64bits_update(&state, text, len);
	return XXH3_64bits_digest(&state);
}

static bool wanted(const struct slu_extractor *e, char *const *names)
{
	if (!names)
		return true;
	for (; *names; names++)
		if (strcmp(*names, e->name) == 0)
			return true;
	return false;
}

static int check_names(char *const *names, struct slu_err *err)
{
	const char *known[64] = {0}, *nearest;

	for (size_t i = 0; slu_extractors[i].name && i < 63; i++)
		known[i] = slu_extractors[i].name;
	for (; names && *names; names++) {
		if (slu_extractor_find(*names))
			continue;
		nearest = slu_nearest(*names, known);
		return slu_err(err, SLU_INVALID,
			       "there is no extractor \"%s\"%s%s%s", *names,
			       nearest ? "; did you mean " : "",
			       nearest ? nearest : "", nearest ? "?" : "");
	}
	return 0;
}

/* 1: a document, 0: none to be had. */
static int extract(const struct slu_root *root, const struct slu_extractor *e,
		   struct slu_document *doc, struct slu_err *err)
{
	const struct slu_source *s = e->source;
	struct json_object *obj = NULL;

	while (s->name && s->read(root, &obj, NULL))
		s++;
	if (!s->name)
		return 0;
	doc->extractor = e->name;
	doc->source = s->name;
	doc->text = strdup(slu_json_text(obj));
	json_object_put(obj);
	if (!doc->text)
		return slu_err(err, SLU_NOMEM, "%s", e->name);
	doc->len = strlen(doc->text);
	doc->hash = slu_document_hash(e->name, doc->text, doc->len);
	return 1;
}

int slu_map_extract(const struct slu_root *root, char *const *names,
		    struct slu_map *out, struct slu_err *err)
{
	size_t rows = sizeof(slu_extractors) / sizeof(slu_extractors[0]);
	struct slu_map map = {.document = calloc(rows, sizeof(*map.document))};
	int ret = map.document ? check_names(names, err)
			       : slu_err(err, SLU_NOMEM, "resource map");

	for (const struct slu_extractor *e = slu_extractors;
	     ret == 0 && e->name; e++) {
		if (!wanted(e, names))
			continue;
		ret = extract(root, e, &map.document[map.n], err);
		if (ret == 1) {
			map.n++;
			ret = 0;
		}
	}
	if (ret) {
		slu_map_free(&map);
		return -1;
	}
	*out = map;
	return 0;
}

void slu_map_free(struct slu_map *map)
{
	for (size_t i = 0; i < map->n; i++)
		free(map->document[i].text);
	free(map->document);
	*map = (struct slu_map){0};
}
