/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads disks and partitions from /sys/class/block, where every block device
 * has a directory: disks are those with a link "device" to hardware, partitions
 * those with a file "partition", and logical volumes and RAID sets. Labels and
 * UUIDs come from the links that udev keeps in /dev/disk.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sysmap/linux/storage/mounts.h"
#include "sysmap/linux/pci.h"
#include "sysmap/model.h"

#define BLOCK "sys/class/block"
#define NAME  128

static uint64_t size_of(const struct slu_root *root, const char *name)
{
	uint64_t sectors = 0;

	slu_root_number(root, &sectors, BLOCK "/%s/size", name);
	return sectors <= UINT64_MAX / SLU_SECTOR ? sectors * SLU_SECTOR : 0;
}

static bool is_set(const struct slu_root *root, const char *name,
		   const char *what)
{
	uint64_t value = 0;

	return slu_root_number(root, &value, BLOCK "/%s/%s", name, what) &&
	       value == 1;
}

/* The PCI function of a disk. An NVMe drive with several paths is virtual, but
 * refers to its controllers. */
static void place_of(const struct slu_root *root, const char *name,
		     struct slu_pci *pci)
{
	char path[NAME], **entries;

	if (slu_pci_of(root, pci, BLOCK "/%s", name) ||
	    strncmp(name, "nvme", 4) != 0)
		return;
	snprintf(path, sizeof(path), BLOCK "/%.32s/device", name);
	entries = slu_root_list(root, path, NULL);
	for (char **e = entries; e && *e; e++)
		if (strncmp(*e, "nvme", 4) == 0 &&
		    slu_pci_of(root, pci, "sys/class/nvme/%s", *e))
			break;
	slu_strv_free(entries);
}

/* An optical drive (SCSI type 5, or of any other bus), which reports 1 GiB when
 * it is empty. */
static bool is_drive(const struct slu_root *root, const char *name)
{
	uint64_t type = 0;

	return strncmp(name, "sr", 2) == 0 ||
	       (slu_root_number(root, &type, BLOCK "/%s/device/type", name) &&
		type == 5);
}

static void add_disk(const struct slu_root *root, const char *name,
		     struct json_object *disks)
{
	char model[NAME], vendor[NAME], number[32];
	struct slu_disk disk = {
		.name = name,
		.model = model,
		.vendor = vendor,
		.device_number = number,
		.size = size_of(root, name),
	};
	struct slu_pci pci;

	if (disk.size == 0 || is_drive(root, name) ||
	    slu_root_exists(root, BLOCK "/%s/partition", name) ||
	    !slu_root_exists(root, BLOCK "/%s/device", name) ||
	    !slu_root_attr(root, number, sizeof(number), BLOCK "/%s/dev", name))
		return;
	slu_root_attr(root, model, sizeof(model), BLOCK "/%s/device/model",
		      name);
	slu_root_attr(root, vendor, sizeof(vendor), BLOCK "/%s/device/vendor",
		      name);
	place_of(root, name, &pci);
	disk.address = pci.address;
	disk.numa_node = pci.numa_node;
	disk.rotational = is_set(root, name, "queue/rotational");
	disk.removable = is_set(root, name, "removable");
	slu_disk_add(disks, &disk);
}

int slu_linux_disks(const struct slu_root *root, struct json_object **out,
		    struct slu_err *err)
{
	char **names = slu_root_list(root, BLOCK, err);
	struct json_object *disks;

	if (!names)
		return -1;
	disks = json_object_new_array();
	for (char **name = names; *name; name++)
		add_disk(root, slu_printable(*name), disks);
	slu_strv_free(names);
	*out = disks;
	return 0;
}

/* One of the directories /dev/disk/by-X: names of devices. */
struct names {
	const char *dir;
	char **name;   /* names of the links */
	char **device; /* the last component of their targets */
};

static void names_free(struct names *names)
{
	slu_strv_free(names->name);
	slu_strv_free(names->device);
}

/* Leaves it empty if the directory is missing. */
static void names_read(const struct slu_root *root, struct names *names)
{
	char target[NAME];
	size_t n;

	names->name = slu_root_list(root, names->dir, NULL);
	n = names->name ? slu_strv_len(names->name) : 0;
	names->device = calloc(n + 1, sizeof(char *));
	for (size_t i = 0; names->device && i < n; i++) {
		slu_root_link(root, target, sizeof(target), "%s/%s", names->dir,
			      names->name[i]);
		names->device[i] = strdup(target);
		if (!names->device[i])
			break;
		slu_printable(names->name[i]);
	}
}

static const char *names_find(const struct names *names, const char *device)
{
	for (size_t i = 0; names->device && names->device[i]; i++)
		if (strcmp(names->device[i], device) == 0)
			return names->name[i];
	return NULL;
}

/* Lookup tables for partitions. */
struct context {
	const struct slu_root *root;
	struct slu_mounts mounts;
	struct names uuid, partuuid, label;
	struct json_object *out;
};

/* Path of a partition, volume or RAID set; "" for other block devices. */
static void device_path(const struct slu_root *root, const char *name,
			char path[NAME])
{
	char volume[NAME - sizeof("/dev/mapper/")];

	path[0] = '\0';
	if (slu_root_attr(root, volume, sizeof(volume), BLOCK "/%s/dm/name",
			  name))
		snprintf(path, NAME, "/dev/mapper/%s", volume);
	else if (slu_root_exists(root, BLOCK "/%s/partition", name) ||
		 slu_root_exists(root, BLOCK "/%s/md", name))
		snprintf(path, NAME, "/dev/%s", name);
}

static void add_partition(struct context *c, const char *name)
{
	const struct slu_mount *mount;
	char path[NAME], number[32];
	struct slu_partition partition = {
		.name = path,
		.device_number = number,
		.uuid = names_find(&c->uuid, name),
		.partuuid = names_find(&c->partuuid, name),
		.label = names_find(&c->label, name),
	};

	device_path(c->root, name, path);
	if (!path[0] || !slu_root_attr(c->root, number, sizeof(number),
				       BLOCK "/%s/dev", name))
		return;
	mount = slu_mounts_find(&c->mounts, number, path);
	partition.mountpoint = mount ? mount->mountpoint : NULL;
	partition.size = size_of(c->root, name);
	slu_partition_add(c->out, &partition);
}

int slu_linux_partitions(const struct slu_root *root, struct json_object **out,
			 struct slu_err *err)
{
	struct context c = {.root = root,
			    .uuid.dir = "dev/disk/by-uuid",
			    .partuuid.dir = "dev/disk/by-partuuid",
			    .label.dir = "dev/disk/by-label"};
	char **names = slu_root_list(root, BLOCK, err);

	if (!names)
		return -1;
	slu_mounts_read(root, &c.mounts, NULL); /* else no mount points */
	names_read(root, &c.uuid);
	names_read(root, &c.partuuid);
	names_read(root, &c.label);
	c.out = json_object_new_array();
	for (char **name = names; *name; name++)
		add_partition(&c, slu_printable(*name));
	slu_strv_free(names);
	names_free(&c.uuid);
	names_free(&c.partuuid);
	names_free(&c.label);
	slu_mounts_free(&c.mounts);
	*out = c.out;
	return 0;
}
