/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a client's Lustre mounts with their OSTs. Each mounted file system has
 * a "lov" device (scratch-clilov-ffff88105db50000, with a number that changes
 * at each boot), which has the list of OSTs. Releases moved its files between
 * /proc, /sys and debugfs, so each is searched in all of them. If only root may
 * read the list, the OSTs are the names of "osc" devices, without their state.
 */
#include "config.h"
#include "sysmap/lustre/lustre.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/linux/storage/mounts.h"

#define LIST_MAX   (1u << 20) /* bytes of an OST list */
#define OSTS_MAX   8192
#define MOUNTS_MAX 64

static const char *const trees[] = {"proc/fs/lustre", "sys/fs/lustre",
				    "sys/kernel/debug/lustre", NULL};

bool slu_lustre_ost_next(char **rest, struct slu_lustre_ost *out)
{
	char *field[3], *line, *end, *uuid;
	unsigned long index;

	while ((line = strsep(rest, "\n"))) {
		if (slu_split(line, " \t", field, 3) != 3)
			continue;
		index = strtoul(field[0], &end, 10);
		uuid = strstr(field[1], "_UUID");
		if (end == field[0] || strcmp(end, ":") != 0 || !uuid ||
		    index > UINT32_MAX)
			continue;
		*uuid = '\0';
		*out = (struct slu_lustre_ost){
			.index = (uint32_t)index,
			.name = slu_printable(field[1]),
			.active = strcmp(field[2], "ACTIVE") == 0,
		};
		return true;
	}
	return false;
}

bool slu_lustre_fsname(const char *device, char out[16])
{
	const char *at = strstr(device, ":/");
	size_t len = at ? strcspn(at + 2, "/") : 0;

	if (len == 0 || len > 8) /* Lustre's limit */
		return false;
	snprintf(out, 16, "%.*s", (int)len, at + 2);
	return true;
}

/* Does a device "FSNAME-KIND-ADDRESS" of a client belong to fsname? */
static bool is_of(const char *name, const char *fsname, const char *kind)
{
	size_t len = strlen(fsname);

	return strncmp(name, fsname, len) == 0 && name[len] == '-' &&
	       strncmp(name + len + 1, kind, strlen(kind)) == 0;
}

/* Reads a whole file of the file system's lov device. */
static int read_lov(const struct slu_root *root, const char *fsname,
		    const char *file, struct slu_buf *out)
{
	char path[512], **names;
	int ret = -1;

	for (const char *const *tree = trees; *tree && ret; tree++) {
		snprintf(path, sizeof(path), "%s/lov", *tree);
		names = slu_root_list(root, path, NULL);
		for (char **name = names; name && *name && ret; name++) {
			if (!is_of(*name, fsname, "clilov-"))
				continue;
			snprintf(path, sizeof(path), "%s/lov/%.200s/%s", *tree,
				 *name, file);
			ret = slu_root_read(root, path, LIST_MAX, out, NULL);
		}
		slu_strv_free(names);
	}
	return ret;
}

static void add_ost(struct json_object *list, uint32_t index, const char *name,
		    const bool *active)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_u64(obj, "index", index);
	slu_json_set_str(obj, "name", name);
	if (active)
		slu_json_set_bool(obj, "active", *active);
	json_object_array_add(list, obj);
}

/* "-osc-" and the address of the client's superblock, whose first digits depend
 * on the architecture; but not an MDT's "-osc-MDT0000". */
static bool is_client(const char *rest)
{
	return strncmp(rest, "-osc-", 5) == 0 &&
	       strspn(rest + 5, "0123456789abcdef") == 16 && !rest[21];
}

/* From the names of osc devices: "scratch-OST001f-osc-ffff88105db50000". */
static void osts_by_name(const struct slu_root *root, const char *fsname,
			 struct json_object *list)
{
	size_t len = strlen(fsname) + strlen("-OST0000");
	char path[64], **names, text[32];

	for (const char *const *tree = trees;
	     *tree && json_object_array_length(list) == 0; tree++) {
		snprintf(path, sizeof(path), "%s/osc", *tree);
		names = slu_root_list(root, path, NULL);
		for (char **name = names; name && *name; name++) {
			if (!is_of(*name, fsname, "OST") ||
			    strlen(*name) <= len || !is_client(*name + len))
				continue;
			snprintf(text, sizeof(text), "%.*s", (int)len, *name);
			add_ost(list,
				(uint32_t)strtoul(text + len - 4, NULL, 16),
				slu_printable(text), NULL);
		}
		slu_strv_free(names);
	}
}

static struct json_object *osts_of(const struct slu_root *root,
				   const char *fsname)
{
	struct json_object *list = json_object_new_array();
	struct slu_lustre_ost ost;
	struct slu_buf text = {0};
	char *rest;

	if (read_lov(root, fsname, "target_obd", &text) == 0)
		for (rest = text.data;
		     json_object_array_length(list) < OSTS_MAX &&
		     slu_lustre_ost_next(&rest, &ost);)
			add_ost(list, ost.index, ost.name, &ost.active);
	slu_buf_free(&text);
	if (json_object_array_length(list) == 0)
		osts_by_name(root, fsname, list);
	return list;
}

/* A number of the lov device, e.g. the default stripe count (-1: all). */
static void add_number(const struct slu_root *root, const char *fsname,
		       const char *file, const char *key,
		       struct json_object *obj)
{
	struct slu_buf text = {0};
	char *end;
	long long value;

	if (read_lov(root, fsname, file, &text) == 0) {
		value = strtoll(text.data, &end, 10);
		if (end != text.data)
			slu_json_set_i64(obj, key, value);
	}
	slu_buf_free(&text);
}

static void add_mount(const struct slu_root *root,
		      const struct slu_mount *mount, struct json_object *out)
{
	struct json_object *obj;
	char fsname[16], version[64];

	if (strcmp(mount->filesystem, "lustre") != 0 ||
	    !slu_lustre_fsname(mount->device, fsname))
		return; /* servers mount their targets with this type, too */
	obj = json_object_new_object();
	slu_json_set_str(obj, "fsname", fsname);
	slu_json_set_str(obj, "mountpoint", mount->mountpoint);
	slu_json_set_str(obj, "device", mount->device);
	if (slu_root_attr(root, version, sizeof(version),
			  "sys/fs/lustre/version") ||
	    slu_root_attr(root, version, sizeof(version),
			  "proc/fs/lustre/version"))
		slu_json_set_str(obj, "version", version);
	add_number(root, fsname, "stripecount", "stripe_count", obj);
	add_number(root, fsname, "stripesize", "stripe_size", obj);
	json_object_object_add(obj, "osts", osts_of(root, fsname));
	json_object_array_add(out, obj);
}

int slu_lustre_mounts(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err)
{
	struct slu_mounts mounts;

	if (slu_mounts_read(root, &mounts, err))
		return -1;
	*out = json_object_new_array();
	for (size_t i = 0;
	     i < mounts.n && json_object_array_length(*out) < MOUNTS_MAX; i++)
		add_mount(root, &mounts.mount[i], *out);
	slu_mounts_free(&mounts);
	return 0;
}
