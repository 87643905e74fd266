/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Choosing storage from the documents "mountpoints" and "mountusage". Of two
 * mounts of one disk the shorter path is taken, and the answer depends on the
 * documents only, so that it stays the same from job to job.
 */
#include "config.h"
#include "sysmap/database/planner_storage.h"

#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/linux/mounts.h"

struct candidate {
	const char *path, *filesystem, *device;
	uint64_t size;
	bool root; /* on the disk of the root file system */
};

static const char *get(struct json_object *obj, const char *key)
{
	const char *value = NULL;

	slu_json_str_opt(obj, key, &value, NULL);
	return value ? value : "";
}

static bool is_local(struct json_object *mount)
{
	const char *category = get(mount, "category");

	if (*category) /* the original tool's say LOCAL, or nothing */
		return strcasecmp(category, "local") == 0;
	return slu_mount_category_of(get(mount, "filesystem"),
				     get(mount, "device")) == SLU_MOUNT_LOCAL;
}

static bool is_writable(struct json_object *mount)
{
	const char *options = get(mount, "options");

	return strncmp(options, "rw", 2) == 0 &&
	       (options[2] == ',' || options[2] == '\0');
}

/* File systems that hold no files of users: for booting, or read-only. */
static bool is_special(const char *path, const char *filesystem)
{
	static const char *const types[] = {
		"vfat",	 "msdos", "exfat", "iso9660", "udf", "squashfs",
		"erofs", "ntfs",  "ntfs3", "fuseblk", NULL};
	static const char *const places[] = {"/boot", "/efi", NULL};

	for (const char *const *t = types; *t; t++)
		if (strcmp(*t, filesystem) == 0)
			return true;
	for (const char *const *p = places; *p; p++)
		if (slu_is_below(path, *p))
			return true;
	return false;
}

/* A part of a file system, mounted elsewhere: often a single file. Btrfs
 * mounts its subvolumes so. */
static bool is_part(struct json_object *mount)
{
	return *get(mount, "subtree") &&
	       strcmp(get(mount, "filesystem"), "btrfs") != 0;
}

static bool is_candidate(struct json_object *mount, struct candidate *c)
{
	*c = (struct candidate){
		.path = get(mount, "mountpoint"),
		.filesystem = get(mount, "filesystem"),
		.device = get(mount, "device"),
	};
	slu_json_u64_opt(mount, "size", &c->size, NULL);
	return c->path[0] == '/' && c->size > 0 && is_local(mount) &&
	       is_writable(mount) && !is_part(mount) &&
	       !is_special(c->path, c->filesystem) &&
	       !slu_mount_of_job(c->path);
}

static bool better(const struct candidate *a, const struct candidate *b)
{
	if (!b->path)
		return true;
	if (a->root != b->root)
		return b->root;
	if (a->size != b->size)
		return a->size > b->size;
	if (strlen(a->path) != strlen(b->path))
		return strlen(a->path) < strlen(b->path);
	return strcmp(a->path, b->path) < 0;
}

/* The element of an array with this mount point, or NULL. */
static struct json_object *at_path(struct json_object *array, const char *path)
{
	struct json_object *one;

	for (size_t i = 0; i < json_object_array_length(array); i++) {
		one = json_object_array_get_idx(array, i);
		if (strcmp(get(one, "mountpoint"), path) == 0)
			return one;
	}
	return NULL;
}

/* Fill in best->path; it stays NULL when there is no candidate. */
static void choose(struct json_object *mounts, struct candidate *best)
{
	struct json_object *root = at_path(mounts, "/"), *mount;
	struct candidate c;

	*best = (struct candidate){0};
	for (size_t i = 0; i < json_object_array_length(mounts); i++) {
		mount = json_object_array_get_idx(mounts, i);
		if (!is_candidate(mount, &c))
			continue;
		c.root = root && strcmp(c.device, get(root, "device")) == 0;
		if (better(&c, best))
			*best = c;
	}
}

int slu_storage_choose(struct json_object *mountpoints, const char *name,
		       struct slu_node_storage *out, struct slu_err *err)
{
	struct candidate best;

	choose(mountpoints, &best);
	if (!best.path)
		return slu_err(err, SLU_NOTFOUND,
			       "%s has no writable file system on a disk of "
			       "its own: set NodeStorage to a path",
			       name);
	*out = (struct slu_node_storage){.size = best.size,
					 .available = best.size};
	slu_copy(out->path, sizeof(out->path), best.path);
	slu_copy(out->filesystem, sizeof(out->filesystem), best.filesystem);
	slu_copy(out->device, sizeof(out->device), best.device);
	return 0;
}

static void add_available(struct slu_db *db, const char *host,
			  struct slu_node_storage *out)
{
	struct json_object *usage =
		slu_documents_array(db, host, "mountusage", NULL);
	struct json_object *mount = usage ? at_path(usage, out->path) : NULL;

	if (mount)
		slu_json_u64_opt(mount, "available", &out->available, NULL);
	json_object_put(usage);
}

/* Is `path` at or below the mount point `point`? */
static bool is_below(const char *path, const char *point)
{
	size_t n = strlen(point);

	if (n && point[n - 1] == '/')
		n--;
	return strncmp(path, point, n) == 0 && (!path[n] || path[n] == '/');
}

/* The mount that shows what lies at this path; best->path stays NULL when none
 * does. Borrows from `mounts`. */
static void choose_at(struct json_object *mounts, const char *path,
		      struct candidate *best)
{
	struct json_object *m;
	const char *point;

	*best = (struct candidate){0};
	for (size_t i = 0; i < json_object_array_length(mounts); i++) {
		m = json_object_array_get_idx(mounts, i);
		point = get(m, "mountpoint");
		if (!is_below(path, point) || slu_mount_of_job(point) ||
		    (best->path && strlen(point) < strlen(best->path)))
			continue;
		best->path = point;
		best->filesystem = get(m, "filesystem");
		best->device = get(m, "device");
		best->size = 0;
		slu_json_u64_opt(m, "size", &best->size, NULL);
	}
}

int slu_storage_at(struct slu_db *db, const char *host, const char *path,
		   struct slu_node_storage *out, struct slu_err *err)
{
	struct json_object *mounts =
		slu_documents_array(db, host, "mountpoints", err);
	struct candidate best;
	struct slu_node_storage found;

	if (!mounts)
		return -1;
	choose_at(mounts, path, &best);
	found = (struct slu_node_storage){.size = best.size,
					  .available = best.size};
	if (best.path) {
		slu_copy(found.path, sizeof(found.path), best.path);
		slu_copy(found.filesystem, sizeof(found.filesystem),
			 best.filesystem);
		slu_copy(found.device, sizeof(found.device), best.device);
	}
	json_object_put(mounts);
	if (!found.size)
		return slu_err(err, SLU_NOTFOUND,
			       "the resource map does not show what %s of %s "
			       "lies on",
			       path, host);
	add_available(db, host, &found);
	*out = found;
	return 0;
}

bool slu_storage_same(struct slu_db *db, const char *host, const char *a,
		      const char *b)
{
	struct json_object *mounts =
		slu_documents_array(db, host, "mountpoints", NULL);
	struct candidate x, y;
	bool same = false;

	if (!mounts)
		return false;
	choose_at(mounts, a, &x);
	choose_at(mounts, b, &y);
	if (x.path && y.path) /* "tmpfs" and the like are no device's */
		same = strcmp(x.path, y.path) == 0 ||
		       (x.device[0] == '/' && strcmp(x.device, y.device) == 0);
	json_object_put(mounts);
	return same;
}

int slu_storage_find(struct slu_db *db, const char *host,
		     struct slu_node_storage *out, struct slu_err *err)
{
	struct json_object *mounts =
		slu_documents_array(db, host, "mountpoints", err);
	int ret;

	if (!mounts) {
		if (err && err->kind == SLU_NOTFOUND)
			return slu_err(err, SLU_NOTFOUND,
				       "the resource map knows nothing of %s: "
				       "run sysmap --push there, or set "
				       "NodeStorage to a path",
				       host);
		return -1;
	}
	ret = slu_storage_choose(mounts, host, out, err);
	if (ret == 0)
		add_available(db, host, out);
	json_object_put(mounts);
	return ret;
}
