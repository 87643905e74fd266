/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads an hwloc topology, and reads disks, network interfaces, PCI functions
 * and GPUs from it. For a recorded tree hwloc gets the text of one file, and
 * opens no paths itself.
 */
#include "config.h"

#ifdef HAVE_HWLOC
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sysmap/device_models.h"
#include "sysmap/hwloc/hwloc.h"
#include "sysmap/hwloc/load.h"
#include "sysmap/model.h"

#define XML_MAX (16u << 20)

static int set_source(hwloc_topology_t t, const struct slu_root *root,
		      struct slu_err *err)
{
	struct slu_buf text = {0};
	int ret = 0;

	if (root->live)
		return 0;
	ret = slu_root_read(root, SLU_HWLOC_RECORDED, XML_MAX, &text, err);
	if (ret == 0 &&
	    hwloc_topology_set_xmlbuffer(t, text.data, (int)text.len + 1))
		ret = slu_err(err, SLU_INVALID,
			      "/" SLU_HWLOC_RECORDED ": not of hwloc");
	slu_buf_free(&text);
	return ret;
}

int slu_hwloc_load(const struct slu_root *root, hwloc_topology_t *out,
		   struct slu_err *err)
{
	hwloc_topology_t t;
	int ret;

	if (hwloc_topology_init(&t))
		return slu_err(err, SLU_NOMEM, "hwloc");
	ret = set_source(t, root, err);
	if (ret == 0 && (hwloc_topology_set_io_types_filter(
				 t, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
			 hwloc_topology_load(t)))
		ret = slu_err(err, SLU_INVALID, "hwloc cannot read it");
	if (ret)
		hwloc_topology_destroy(t);
	else
		*out = t;
	return ret;
}

/* A printable info text of an object, converted in place; "": none. */
static const char *info(hwloc_obj_t obj, const char *key)
{
	const char *value = hwloc_obj_get_info_by_name(obj, key);

	return value ? slu_printable((char *)value) : "";
}

/* The place of a device: its PCI function, and its NUMA node if it is near a
 * single one. The address is stored in buf. */
static struct slu_device_place place_of(hwloc_topology_t t, hwloc_obj_t obj,
					char buf[32])
{
	struct slu_device_place place = {.numa_node = SLU_NO_NUMA_NODE};
	hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(t, obj);

	while (obj && obj->type != HWLOC_OBJ_PCI_DEVICE)
		obj = obj->parent;
	if (obj) {
		snprintf(buf, 32, "%04x:%02x:%02x.%01x",
			 obj->attr->pcidev.domain, obj->attr->pcidev.bus,
			 obj->attr->pcidev.dev, obj->attr->pcidev.func);
		place.address = buf;
	}
	if (near && near->nodeset && hwloc_bitmap_weight(near->nodeset) == 1)
		place.numa_node = hwloc_bitmap_first(near->nodeset);
	return place;
}

/* The next OS device of a type. */
static hwloc_obj_t next_os(hwloc_topology_t t, hwloc_obj_t obj,
			   hwloc_obj_osdev_type_t type)
{
	while ((obj = hwloc_get_next_osdev(t, obj)))
		if (obj->attr->osdev.type == type && obj->name) {
			slu_printable(obj->name);
			return obj;
		}
	return NULL;
}

int slu_hwloc_read_disks(const struct slu_root *root, struct json_object **out,
			 struct slu_err *err)
{
	struct slu_disk disk = {0};
	hwloc_obj_t obj = NULL;
	struct slu_device_place place;
	hwloc_topology_t t;
	char address[32];

	if (slu_hwloc_load(root, &t, err))
		return -1;
	*out = json_object_new_array();
	while ((obj = next_os(t, obj, HWLOC_OBJ_OSDEV_BLOCK))) {
		place = place_of(t, obj, address);
		disk = (struct slu_disk){
			.name = obj->name,
			.model = info(obj, "Model"),
			.vendor = info(obj, "Vendor"),
			.device_number = info(obj, "LinuxDeviceID"),
			.address = place.address,
			.numa_node = place.numa_node,
			.size = strtoull(info(obj, "Size"), NULL, 10) << 10,
		};
		slu_disk_add(*out, &disk);
	}
	hwloc_topology_destroy(t);
	return 0;
}

int slu_hwloc_read_network(const struct slu_root *root,
			   struct json_object **out, struct slu_err *err)
{
	struct slu_network_device device;
	hwloc_obj_t obj = NULL;
	hwloc_topology_t t;
	char address[32];

	if (slu_hwloc_load(root, &t, err))
		return -1;
	*out = json_object_new_array();
	while ((obj = next_os(t, obj, HWLOC_OBJ_OSDEV_NETWORK))) {
		device = (struct slu_network_device){
			.name = obj->name,
			.type = strncmp(obj->name, "ib", 2) == 0 ? "infiniband"
								 : "ethernet",
			.place = place_of(t, obj, address),
		};
		slu_network_device_add(*out, &device);
	}
	hwloc_topology_destroy(t);
	return 0;
}

int slu_hwloc_read_pci(const struct slu_root *root, struct json_object **out,
		       struct slu_err *err)
{
	struct slu_pci_device device;
	hwloc_obj_t obj = NULL;
	hwloc_topology_t t;
	char address[32];

	if (slu_hwloc_load(root, &t, err))
		return -1;
	*out = json_object_new_array();
	while ((obj = hwloc_get_next_pcidev(t, obj))) {
		device = (struct slu_pci_device){
			.place = place_of(t, obj, address),
			.class_code = (uint32_t)obj->attr->pcidev.class_id << 8,
			.vendor = obj->attr->pcidev.vendor_id,
			.device = obj->attr->pcidev.device_id,
			.subsystem_vendor = obj->attr->pcidev.subvendor_id,
			.subsystem_device = obj->attr->pcidev.subdevice_id,
			.vendor_name = info(obj, "PCIVendor"),
			.device_name = info(obj, "PCIDevice"),
		};
		slu_pci_device_add(*out, &device);
	}
	hwloc_topology_destroy(t);
	return 0;
}

/* Adds what the driver's OS device reports of a GPU. */
static void ask_driver(hwloc_obj_t pci, struct slu_gpu *gpu)
{
	const char *model;

	for (hwloc_obj_t c = pci->io_first_child; c; c = c->next_sibling) {
		model = info(c, "GPUModel");
		if (*model)
			gpu->model = model;
		if (*info(c, "CUDAGlobalMemorySize"))
			gpu->memory = strtoull(info(c, "CUDAGlobalMemorySize"),
					       NULL, 10)
				      << 10;
	}
}

int slu_hwloc_read_gpus(const struct slu_root *root, struct json_object **out,
			struct slu_err *err)
{
	hwloc_obj_t obj = NULL;
	hwloc_topology_t t;
	struct slu_gpu gpu;
	char address[32];

	if (slu_hwloc_load(root, &t, err))
		return -1;
	*out = json_object_new_array();
	while ((obj = hwloc_get_next_pcidev(t, obj))) {
		if (!slu_is_gpu((uint32_t)obj->attr->pcidev.class_id << 8,
				obj->attr->pcidev.vendor_id,
				obj->attr->pcidev.device_id))
			continue;
		gpu = (struct slu_gpu){
			.model = info(obj, "PCIDevice"),
			.vendor = obj->attr->pcidev.vendor_id,
			.device = obj->attr->pcidev.device_id,
			.place = place_of(t, obj, address),
		};
		ask_driver(obj, &gpu);
		slu_gpu_add(*out, &gpu);
	}
	hwloc_topology_destroy(t);
	return 0;
}
#else
typedef int slu_no_hwloc; /* a file may not be empty */
#endif
