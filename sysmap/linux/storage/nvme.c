/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads NVMe controllers from /sys/class/nvme; if a kernel or recording has no
 * such class, from block devices with names of NVMe namespaces. Wear is read by
 * an admin command, by root only. sysmap waits for it at most a second, but the
 * command keeps the kernel's own timeout (a minute): when an admin command
 * times out, Linux resets the controller, with mounted file systems on it.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include "common/proc.h"
#include "sysmap/linux/storage/health.h"
#include "sysmap/linux/pci.h"
#include "sysmap/model.h"

#define CLASS	  "sys/class/nvme"
#define BLOCK	  "sys/class/block"
#define WAIT_MS	  1000
#define LOG_SMART 0x02
#define GET_LOG	  0x02
#define ALL_NS	  0xffffffff
#define NAME	  96

/* The controller's number in nvme0, nvme0n1 or, with several paths, nvme0c1n1;
 * -1: none. *what: the rest of the name. */
static long controller(const char *name, const char **what)
{
	char *end;
	long number;

	if (strncmp(name, "nvme", 4) != 0 || name[4] < '0' || name[4] > '9')
		return -1;
	number = strtol(name + 4, &end, 10);
	*what = end;
	return number;
}

/* Is it a namespace ("n1"), not a partition ("n1p2") or path ("c0n1")? */
static bool is_namespace(const char *rest)
{
	return rest[0] == 'n' && rest[1] &&
	       rest[1 + strspn(rest + 1, "0123456789")] == '\0';
}

static void add_namespace(const struct slu_root *root, const char *name,
			  struct slu_nvme *nvme)
{
	struct slu_nvme_namespace *ns = &nvme->ns[nvme->n_ns];
	uint64_t sectors = 0;

	if (nvme->n_ns == SLU_NVME_NAMESPACES ||
	    !slu_root_number(root, &sectors, BLOCK "/%s/size", name) ||
	    sectors > UINT64_MAX / SLU_SECTOR)
		return;
	slu_copy(ns->name, sizeof(ns->name), name);
	ns->size = sectors * SLU_SECTOR;
	slu_root_number(root, &ns->block_size,
			BLOCK "/%s/queue/logical_block_size", name);
	nvme->n_ns++;
}

/* The namespaces in a controller's directory: "nvme0n1", or with several paths
 * to a drive "nvme0c1n1", a path to the block device nvme0n1. */
static void add_namespaces(const struct slu_root *root, const char *name,
			   struct slu_nvme *nvme)
{
	char path[64], block[64], **entries;
	unsigned int subsystem, ns;
	int len;

	snprintf(path, sizeof(path), CLASS "/%.32s", name);
	entries = slu_root_list(root, path, NULL);
	for (char **e = entries; e && *e; e++) {
		len = 0;
		sscanf(*e, "nvme%8uc%*8un%8u%n", &subsystem, &ns, &len);
		if (!len)
			sscanf(*e, "nvme%8un%8u%n", &subsystem, &ns, &len);
		if (!len || (*e)[len])
			continue;
		snprintf(block, sizeof(block), "nvme%un%u", subsystem, ns);
		add_namespace(root, block, nvme);
	}
	slu_strv_free(entries);
}

static void add_controller(const struct slu_root *root, const char *name,
			   struct json_object *out)
{
	char model[NAME], firmware[32], transport[32];
	struct slu_nvme nvme = {.name = name,
				.model = model,
				.firmware = firmware,
				.transport = transport};
	const char *rest;
	struct slu_pci pci;

	if (controller(name, &rest) < 0 || *rest)
		return;
	slu_root_attr(root, model, sizeof(model), CLASS "/%s/model", name);
	slu_root_attr(root, firmware, sizeof(firmware),
		      CLASS "/%s/firmware_rev", name);
	slu_root_attr(root, transport, sizeof(transport), CLASS "/%s/transport",
		      name);
	if (slu_pci_of(root, &pci, CLASS "/%s", name))
		nvme.link = slu_pci_link_read(root, pci.address);
	nvme.place = slu_pci_place(&pci);
	add_namespaces(root, name, &nvme);
	slu_nvme_add(out, &nvme);
}

int slu_linux_nvme(const struct slu_root *root, struct json_object **out,
		   struct slu_err *err)
{
	char **names = slu_root_list(root, CLASS, err);

	if (!names)
		return -1;
	*out = json_object_new_array();
	for (char **name = names; *name; name++)
		add_controller(root, *name, *out);
	slu_strv_free(names);
	return 0;
}

/* All block devices that are namespaces with this controller's number. */
static void add_by_number(const struct slu_root *root, char *const *blocks,
			  long number, struct slu_nvme *nvme)
{
	const char *rest;

	for (; *blocks; blocks++)
		if (controller(*blocks, &rest) == number && is_namespace(rest))
			add_namespace(root, *blocks, nvme);
}

/* A controller that is only known from a block device. */
static void add_by_block(const struct slu_root *root, char *const *blocks,
			 const char *block, long number,
			 struct json_object *out)
{
	char name[32], model[NAME];
	struct slu_nvme nvme = {.name = name, .model = model};
	struct slu_pci pci;

	snprintf(name, sizeof(name), "nvme%ld", number);
	slu_root_attr(root, model, sizeof(model), BLOCK "/%s/device/model",
		      block);
	if (slu_pci_of(root, &pci, BLOCK "/%s", block))
		nvme.link = slu_pci_link_read(root, pci.address);
	nvme.place = slu_pci_place(&pci);
	add_by_number(root, blocks, number, &nvme);
	slu_nvme_add(out, &nvme);
}

int slu_linux_nvme_blocks(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err)
{
	char **blocks = slu_root_list(root, BLOCK, err);
	long number, last = -1;
	const char *rest;

	if (!blocks)
		return -1;
	*out = json_object_new_array();
	for (char **block = blocks; *block; block++) {
		number = controller(*block, &rest);
		if (number < 0 || number == last || !is_namespace(rest))
			continue;
		add_by_block(root, blocks, *block, number, *out);
		last = number; /* names are sorted */
	}
	slu_strv_free(blocks);
	return 0;
}

struct drive {
	const struct slu_root *root;
	const char *name;
};

/* Runs in a child, as it may hang. timeout_ms 0 is the kernel's default. */
static int ask_smart(void *arg, void *log)
{
	struct nvme_admin_cmd cmd = {
		.opcode = GET_LOG,
		.nsid = ALL_NS,
		.addr = (uintptr_t)log,
		.data_len = SLU_SMART_BYTES,
		.cdw10 = (SLU_SMART_BYTES / 4 - 1) << 16 | LOG_SMART,
	};
	const struct drive *drive = arg;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "dev/%.32s", drive->name);
	fd = openat(drive->root->fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -1 : ioctl(fd, NVME_IOCTL_ADMIN_CMD, &cmd);
}

static int read_smart(const struct slu_root *root, const char *name,
		      unsigned char log[SLU_SMART_BYTES])
{
	struct drive drive = {.root = root, .name = name};

	return slu_ask_apart(ask_smart, &drive, log, SLU_SMART_BYTES, WAIT_MS);
}

int slu_linux_nvme_health(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err)
{
	unsigned char log[SLU_SMART_BYTES] = {0};
	struct slu_nvme_health health;
	char **names, **name;
	const char *rest;

	if (!root->live)
		return slu_err(err, SLU_NOTFOUND,
			       "a recorded machine's drives cannot be asked");
	names = slu_root_list(root, CLASS, err);
	if (!names)
		return -1;
	*out = json_object_new_array();
	for (name = names; *name; name++) {
		if (controller(*name, &rest) < 0 || *rest ||
		    read_smart(root, *name, log))
			continue;
		slu_nvme_health_parse(log, &health);
		health.name = *name;
		slu_nvme_health_add(*out, &health);
	}
	slu_strv_free(names);
	if (json_object_array_length(*out))
		return 0;
	json_object_put(*out);
	return slu_err(err, SLU_NOTFOUND, "no NVMe drive that may be asked");
}
