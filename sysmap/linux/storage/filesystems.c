/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads mount points ("mountpoints") and their usage ("mountusage"). statfs()
 * is called only for file systems on disks and in memory. If the path leads
 * through a network file system, a child process calls it, because it hangs
 * when the server is down; then the size of the device is used instead.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include "common/proc.h"
#include "common/tiers.h"
#include "sysmap/linux/storage/mounts.h"
#include "sysmap/model.h"

#define WAIT_MS 2000 /* for a path through a network file system */

struct asking {
	const struct slu_mounts *mounts;
	bool silent; /* a statfs() has hung: no further ones are tried */
};

/* No blocks: the file system has no usage, which is a valid result. */
static int look(void *path, void *out)
{
	if (statvfs(path, out))
		memset(out, 0, sizeof(struct statvfs));
	return 0;
}

static bool ask(struct asking *a, const struct slu_mount *mount,
		struct statvfs *st)
{
	if (mount->category != SLU_MOUNT_LOCAL &&
	    mount->category != SLU_MOUNT_MEMORY)
		return false;
	if (!slu_mount_below_network(a->mounts, mount))
		return statvfs(mount->mountpoint, st) == 0;
	if (!a->silent)
		a->silent = slu_ask_apart(look, mount->mountpoint, st,
					  sizeof(*st), WAIT_MS) != 0;
	return !a->silent && st->f_blocks;
}

/* A parameter of a block device's queue: a partition has that of its disk;
 * volumes and RAID sets have their own, copied from the devices below. */
static bool queue_number(const struct slu_root *root, const char *device,
			 const char *what, uint64_t *out)
{
	return slu_root_number(root, out, "%s/queue/%s", device, what) ||
	       slu_root_number(root, out, "%s/../queue/%s", device, what);
}

static bool has_number(const struct slu_mount *mount)
{
	return mount->number && strncmp(mount->number, "0:", 2) != 0;
}

/* NULL: not known. Persistent memory can be mapped (DAX). */
static const char *tier_of(const struct slu_root *root,
			   const struct slu_mount *mount)
{
	const char *slash = strrchr(mount->device, '/');
	char device[PATH_MAX];
	uint64_t dax = 0, rotational;

	if (has_number(mount))
		snprintf(device, sizeof(device), "sys/dev/block/%s",
			 mount->number);
	else
		snprintf(device, sizeof(device), "sys/class/block/%s",
			 slash ? slash + 1 : mount->device);
	queue_number(root, device, "dax", &dax);
	if (dax || strncmp(mount->device, "/dev/pmem", 9) == 0)
		return slu_tier_names[SLU_TIER_PMEM];
	if (!queue_number(root, device, "rotational", &rotational))
		return NULL;
	return slu_tier_names[rotational ? SLU_TIER_DISK : SLU_TIER_FLASH];
}

/* A recorded tmpfs: "rw,size=65536k"; the kernel always writes KiB. */
static uint64_t memory_size(const struct slu_mount *mount)
{
	const char *at = mount->super_options
				 ? strstr(mount->super_options, "size=")
				 : NULL;
	uint64_t kib = at ? strtoull(at + strlen("size="), NULL, 10) : 0;

	return kib <= UINT64_MAX / 1024 ? kib * 1024 : 0;
}

static uint64_t device_size(const struct slu_root *root,
			    const struct slu_mount *mount)
{
	const char *slash = strrchr(mount->device, '/');
	uint64_t sectors = 0;

	if (mount->category == SLU_MOUNT_MEMORY)
		return memory_size(mount);
	if (mount->category != SLU_MOUNT_LOCAL)
		return 0;
	if (!mount->number ||
	    !slu_root_number(root, &sectors, "sys/dev/block/%s/size",
			     mount->number))
		slu_root_number(root, &sectors, "sys/class/block/%s/size",
				slash ? slash + 1 : mount->device);
	return sectors <= UINT64_MAX / SLU_SECTOR ? sectors * SLU_SECTOR : 0;
}

/* Removes options that differ between equal machines: the client's address, and
 * sizes derived from the memory. Takes the text. */
static char *without_own(char *options)
{
	static const char *const own[] = {
		"clientaddr=", "size=", "nr_inodes=", NULL};
	char *rest = options, *to = options, *word;
	const char *const *o;

	while (rest && (word = strsep(&rest, ","))) {
		for (o = own; *o; o++)
			if (strncmp(word, *o, strlen(*o)) == 0)
				break;
		if (*o)
			continue;
		if (to != options)
			*to++ = ',';
		memmove(to, word, strlen(word) + 1);
		to += strlen(to);
	}
	if (options)
		*to = '\0';
	return options;
}

/* The options as /proc/mounts shows them: first the mount's own, then the
 * file system's without its "rw". Caller frees. */
static char *options_of(const struct slu_mount *mount)
{
	const char *super = mount->super_options;
	bool read_only = super && strncmp(super, "ro", 2) == 0 &&
			 (super[2] == ',' || super[2] == '\0');
	const char *own = mount->options;

	if (!super || strcmp(mount->filesystem, "autofs") == 0)
		return strdup(own); /* without autofs's pid and pipe */
	super = strchr(super, ',');
	if (read_only && strncmp(own, "rw", 2) == 0)
		return slu_asprintf("ro%s%s", own + 2, super ? super : "");
	return slu_asprintf("%s%s", own, super ? super : "");
}

/* Is it the root of a file system rather than a bind mount (Btrfs mounts
 * subvolumes, which have names)? */
static bool is_whole(const struct slu_mount *mount)
{
	return !mount->subtree || strcmp(mount->subtree, "/") == 0 ||
	       strcmp(mount->filesystem, "btrfs") == 0;
}

/* Is it a candidate for jobs' storage? */
static bool has_usage(const struct slu_mount *mount)
{
	return mount->category == SLU_MOUNT_LOCAL ||
	       (mount->category == SLU_MOUNT_MEMORY &&
		!slu_mount_of_system(mount->mountpoint));
}

static int add_mount(const struct slu_root *root, struct asking *asking,
		     const struct slu_mount *mount, struct json_object *out)
{
	bool local = mount->category == SLU_MOUNT_LOCAL;
	bool whole = !mount->subtree || strcmp(mount->subtree, "/") == 0;
	char *options = without_own(options_of(mount));
	struct slu_mountpoint point = {
		.device = mount->device,
		.mountpoint = mount->mountpoint,
		.filesystem = mount->filesystem,
		.options = options,
		.device_number =
			local && has_number(mount) ? mount->number : NULL,
		.subtree = local && !whole ? mount->subtree : NULL,
		.tier = local ? tier_of(root, mount) : NULL,
		.category = mount->category,
	};
	struct statvfs st;

	if (!options)
		return -1;
	if (root->live && ask(asking, mount, &st)) {
		point.size = (uint64_t)st.f_frsize * st.f_blocks;
		point.blksize = st.f_bsize;
	} else {
		point.size = device_size(root, mount);
	}
	slu_mountpoint_add(out, &point);
	free(options);
	return 0;
}

static int mountpoints(const struct slu_root *root, struct slu_mounts *mounts,
		       struct json_object **out, struct slu_err *err)
{
	struct json_object *array = json_object_new_array();
	struct asking asking = {.mounts = mounts};
	int ret = 0;

	for (size_t i = 0; i < mounts->n && ret == 0; i++)
		ret = add_mount(root, &asking, &mounts->mount[i], array);
	slu_mounts_free(mounts);
	if (ret) {
		json_object_put(array);
		return slu_err(err, SLU_NOMEM, "mount points");
	}
	*out = array;
	return 0;
}

int slu_linux_mountinfo(const struct slu_root *root, struct json_object **out,
			struct slu_err *err)
{
	struct slu_mounts mounts;

	if (slu_mounts_read_mountinfo(root, &mounts, err))
		return -1;
	return mountpoints(root, &mounts, out, err);
}

int slu_linux_mtab(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err)
{
	struct slu_mounts mounts;

	if (slu_mounts_read_mtab(root, &mounts, err))
		return -1;
	return mountpoints(root, &mounts, out, err);
}

int slu_linux_mountusage(const struct slu_root *root, struct json_object **out,
			 struct slu_err *err)
{
	struct slu_mountusage usage;
	struct json_object *array;
	struct slu_mounts mounts;
	struct asking asking = {.mounts = &mounts};
	struct statvfs st;

	if (!root->live)
		return slu_err(err, SLU_NOTFOUND,
			       "a recorded machine is not in use");
	if (slu_mounts_read(root, &mounts, err))
		return -1;
	array = json_object_new_array();
	for (size_t i = 0; i < mounts.n; i++) {
		usage.mountpoint = mounts.mount[i].mountpoint;
		if (!has_usage(&mounts.mount[i]) ||
		    !is_whole(&mounts.mount[i]) ||
		    !ask(&asking, &mounts.mount[i], &st) || st.f_blocks == 0)
			continue;
		usage.size = (uint64_t)st.f_frsize * st.f_blocks;
		usage.available = (uint64_t)st.f_frsize * st.f_bavail;
		usage.files = st.f_files;
		usage.files_available = st.f_favail;
		slu_mountusage_add(array, &usage);
	}
	slu_mounts_free(&mounts);
	*out = array;
	return 0;
}
