/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the targets of a Lustre server: those of obdfilter, mdt and mgs in
 * /proc or /sys (releases moved them), each with its back end (osd-ldiskfs,
 * osd-zfs), which has the device and the size.
 */
#include "config.h"
#include "sysmap/lustre/lustre.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"

#define TARGETS_MAX 1024

static const char *const trees[] = {"proc/fs/lustre", "sys/fs/lustre", NULL};

/* Reads a file of the back end from the tree that has it. */
static bool back_end_attr(const struct slu_root *root, const char *kind,
			  const char *name, const char *file, char *out,
			  size_t size)
{
	for (const char *const *tree = trees; *tree; tree++)
		if (slu_root_attr(root, out, size, "%s/osd-%s/%s/%s", *tree,
				  kind, name, file))
			return true;
	return false;
}

/* With ZFS's compression the total size changes all the time: only the six
 * leading bits are kept, so that the document stays the same. */
static uint64_t steady(uint64_t bytes)
{
	int shift = 0;

	while (bytes >> shift >= 64)
		shift++;
	return bytes >> shift << shift;
}

static void add_back_end(const struct slu_root *root, const char *name,
			 struct json_object *obj)
{
	static const char *const kinds[] = {"ldiskfs", "zfs", NULL};
	char device[256], kib[32];
	uint64_t bytes;

	for (const char *const *kind = kinds; *kind; kind++) {
		if (!back_end_attr(root, *kind, name, "mntdev", device,
				   sizeof(device)))
			continue;
		slu_json_set_str(obj, "backend", *kind);
		slu_json_set_str(obj, "device", device);
		if (!back_end_attr(root, *kind, name, "kbytestotal", kib,
				   sizeof(kib)))
			return;
		bytes = strtoull(kib, NULL, 10) << 10;
		slu_json_set_u64(obj, "size_bytes",
				 strcmp(*kind, "zfs") == 0 ? steady(bytes)
							   : bytes);
		return;
	}
}

/* Splits "scratch-OST001f" into file system and index. */
static void add_identity(const char *name, struct json_object *obj)
{
	const char *dash = strrchr(name, '-');
	char fsname[64];
	size_t len = dash ? (size_t)(dash - name) : 0;

	if (!len || len >= sizeof(fsname) || strlen(dash) != 8)
		return;
	snprintf(fsname, sizeof(fsname), "%.*s", (int)len, name);
	slu_json_set_str(obj, "fsname", fsname);
	slu_json_set_u64(obj, "index", strtoul(dash + 4, NULL, 16));
}

static bool seen(struct json_object *array, const char *name)
{
	struct json_object *value;

	for (size_t i = 0; i < json_object_array_length(array); i++)
		if (json_object_object_get_ex(
			    json_object_array_get_idx(array, i), "name",
			    &value) &&
		    strcmp(json_object_get_string(value), name) == 0)
			return true;
	return false;
}

static void add_targets(const struct slu_root *root, const char *tree,
			const char *dir, const char *kind,
			struct json_object *array)
{
	struct json_object *obj;
	char path[128], **names;

	snprintf(path, sizeof(path), "%s/%s", tree, dir);
	names = slu_root_list(root, path, NULL);
	for (char **name = names; name && *name; name++) {
		slu_printable(*name);
		if (json_object_array_length(array) == TARGETS_MAX)
			break;
		if (seen(array, *name) ||
		    !slu_root_exists(root, "%s/%s/.", path, *name))
			continue; /* a file such as num_refs */
		obj = json_object_new_object();
		slu_json_set_str(obj, "name", *name);
		slu_json_set_str(obj, "kind", kind);
		add_identity(*name, obj);
		add_back_end(root, *name, obj);
		json_object_array_add(array, obj);
	}
	slu_strv_free(names);
}

int slu_lustre_targets(const struct slu_root *root, struct json_object **out,
		       struct slu_err *err)
{
	struct json_object *array = json_object_new_array();
	bool any = slu_root_exists(root, "proc/fs"); /* where it would be */

	for (const char *const *tree = trees; *tree; tree++) {
		any = any || slu_root_exists(root, "%s", *tree);
		add_targets(root, *tree, "obdfilter", "ost", array);
		add_targets(root, *tree, "mdt", "mdt", array);
		add_targets(root, *tree, "mgs", "mgt", array);
	}
	if (!any) {
		json_object_put(array);
		return slu_err(err, SLU_NOTFOUND, "no /proc/fs");
	}
	*out = array;
	return 0;
}
