/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts devices to JSON, with keys in a fixed order, so that equal devices
 * give equal texts. */
#include "config.h"
#include "sysmap/device_models.h"

#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"

#define TERABYTE UINT64_C(1000000000000)

static void text_opt(struct json_object *obj, const char *key,
		     const char *value)
{
	if (value && *value)
		slu_json_set_str(obj, key, value);
}

static void number_opt(struct json_object *obj, const char *key, uint64_t value)
{
	if (value)
		slu_json_set_u64(obj, key, value);
}

static void hex(struct json_object *obj, const char *key, uint32_t value,
		int digits)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%0*x", digits, value);
	slu_json_set_str(obj, key, text);
}

static void add_place(struct json_object *obj,
		      const struct slu_device_place *place)
{
	text_opt(obj, "address", place->address);
	text_opt(obj, "driver", place->driver);
	if (place->numa_node >= 0)
		slu_json_set_u64(obj, "numa_node", (uint64_t)place->numa_node);
}

static void add_link(struct json_object *obj, const struct slu_pci_link *link,
		     bool now)
{
	if (now && link->gts > 0)
		slu_json_set_double(obj, "link_gts", link->gts);
	if (now)
		number_opt(obj, "link_width", link->width);
	if (link->gts_max > 0)
		slu_json_set_double(obj, "link_gts_max", link->gts_max);
	number_opt(obj, "link_width_max", link->width_max);
}

void slu_nvme_add(struct json_object *out, const struct slu_nvme *nvme)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *list = json_object_new_array(), *ns;
	uint64_t size = 0;

	for (uint32_t i = 0; i < nvme->n_ns; i++) {
		ns = json_object_new_object();
		slu_json_set_str(ns, "name", nvme->ns[i].name);
		slu_json_set_u64(ns, "size_bytes", nvme->ns[i].size);
		number_opt(ns, "block_size", nvme->ns[i].block_size);
		json_object_array_add(list, ns);
		size += nvme->ns[i].size;
	}
	slu_json_set_str(obj, "name", nvme->name);
	slu_json_set_str(obj, "model", nvme->model ? nvme->model : "");
	text_opt(obj, "firmware", nvme->firmware);
	text_opt(obj, "transport", nvme->transport);
	slu_json_set_u64(obj, "size_bytes", size);
	add_place(obj, &nvme->place);
	add_link(obj, &nvme->link, true);
	json_object_object_add(obj, "namespaces", list);
	json_object_array_add(out, obj);
}

void slu_nvme_health_add(struct json_object *out,
			 const struct slu_nvme_health *health)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "name", health->name);
	slu_json_set_u64(obj, "percentage_used", health->used);
	slu_json_set_u64(obj, "available_spare", health->spare);
	slu_json_set_u64(obj, "spare_threshold", health->spare_threshold);
	slu_json_set_u64(obj, "critical_warning", health->warning);
	slu_json_set_u64(obj, "media_errors", health->media_errors);
	slu_json_set_u64(obj, "written_bytes",
			 health->written - health->written % TERABYTE);
	json_object_array_add(out, obj);
}

/* A short name of the PCI class, such as "NVMe"; NULL: not in the list. */
static const char *class_name(uint32_t class_code)
{
	static const struct {
		uint32_t class_code, mask;
		const char *name;
	} known[] = {
		{0x010802, 0xffffff, "NVMe"},
		{0x010600, 0xffff00, "SATA"},
		{0x010700, 0xffff00, "SAS"},
		{0x010400, 0xffff00, "RAID"},
		{0x0c0400, 0xffff00, "Fibre Channel"},
		{0x010000, 0xff0000, "storage"},
		{0x020000, 0xffff00, "Ethernet"},
		{0x020700, 0xffff00, "InfiniBand"},
		{0x0c0600, 0xffff00, "InfiniBand"},
		{0x020800, 0xffff00, "fabric"},
		{0x020000, 0xff0000, "network"},
		{0x030000, 0xffff00, "VGA"},
		{0x030200, 0xffff00, "3D"},
		{0x030000, 0xff0000, "display"},
		{0x120000, 0xff0000, "accelerator"},
		{0x0b4000, 0xffff00, "co-processor"},
		{0x050200, 0xffff00, "CXL memory"},
		{0x050000, 0xff0000, "memory"},
		{0x060400, 0xffff00, "PCI bridge"},
		{0x060000, 0xff0000, "bridge"},
		{0x0c0300, 0xffff00, "USB"},
		{0x080600, 0xffff00, "IOMMU"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((class_code & known[i].mask) == known[i].class_code)
			return known[i].name;
	return NULL;
}

void slu_pci_device_add(struct json_object *out,
			const struct slu_pci_device *device)
{
	struct json_object *obj = json_object_new_object();

	text_opt(obj, "address", device->place.address);
	hex(obj, "class", device->class_code, 6);
	text_opt(obj, "class_name", class_name(device->class_code));
	hex(obj, "vendor", device->vendor, 4);
	hex(obj, "device", device->device, 4);
	hex(obj, "subsystem_vendor", device->subsystem_vendor, 4);
	hex(obj, "subsystem_device", device->subsystem_device, 4);
	text_opt(obj, "vendor_name", device->vendor_name);
	text_opt(obj, "device_name", device->device_name);
	text_opt(obj, "driver", device->place.driver);
	if (device->place.numa_node >= 0)
		slu_json_set_u64(obj, "numa_node",
				 (uint64_t)device->place.numa_node);
	add_link(obj, &device->link, false);
	json_object_array_add(out, obj);
}

void slu_network_device_add(struct json_object *out,
			    const struct slu_network_device *device)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "name", device->name);
	slu_json_set_str(obj, "type", device->type);
	text_opt(obj, "state", device->state);
	if (device->speed > 0)
		slu_json_set_i64(obj, "speed_mbits", device->speed);
	number_opt(obj, "mtu", device->mtu);
	add_place(obj, &device->place);
	json_object_array_add(out, obj);
}

void slu_ib_port_add(struct json_object *out, const struct slu_ib_port *port)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "device", port->device);
	slu_json_set_u64(obj, "port", port->port);
	text_opt(obj, "type", port->type);
	text_opt(obj, "board", port->board);
	text_opt(obj, "firmware", port->firmware);
	text_opt(obj, "link_layer", port->link_layer);
	text_opt(obj, "state", port->state);
	text_opt(obj, "physical_state", port->physical_state);
	text_opt(obj, "rate", port->rate);
	add_place(obj, &port->place);
	json_object_array_add(out, obj);
}

void slu_gpu_add(struct json_object *out, const struct slu_gpu *gpu)
{
	struct json_object *obj = json_object_new_object();

	text_opt(obj, "model", gpu->model);
	hex(obj, "vendor", gpu->vendor, 4);
	hex(obj, "device", gpu->device, 4);
	number_opt(obj, "memory_bytes", gpu->memory);
	add_place(obj, &gpu->place);
	text_opt(obj, "driver_version", gpu->driver_version);
	add_link(obj, &gpu->link, false);
	json_object_array_add(out, obj);
}

bool slu_is_gpu(uint32_t class_code, uint32_t vendor, uint32_t device)
{
	uint32_t base = class_code >> 16;
	bool maker =
		vendor == 0x10de /* NVIDIA */ || vendor == 0x1002 /* AMD */;
	bool intel = vendor == 0x8086;
	bool phi = intel && (device & 0xfff0) == 0x2250;

	return base == 0x12 || (class_code >> 8 == 0x0b40 && (maker || phi)) ||
	       (base == 0x03 && (maker || intel));
}

/* The devices of an array that are near a NUMA node, by the value of `key`.
 * NULL: none. */
static struct json_object *near_node(struct json_object *devices,
				     const char *key, uint32_t node)
{
	struct json_object *list, *one, *value;

	if (!devices)
		return NULL;
	list = json_object_new_array();
	for (size_t i = 0; i < json_object_array_length(devices); i++) {
		one = json_object_array_get_idx(devices, i);
		if (json_object_object_get_ex(one, "numa_node", &value) &&
		    json_object_get_uint64(value) == node &&
		    json_object_object_get_ex(one, key, &value))
			json_object_array_add(list, json_object_get(value));
	}
	return list;
}

/* Appends b to a, and frees b. Either may be NULL. */
static struct json_object *join(struct json_object *a, struct json_object *b)
{
	struct json_object *one, *last = NULL;

	if (!a || !b)
		return a ? a : b;
	for (size_t i = 0; i < json_object_array_length(b); i++) {
		one = json_object_array_get_idx(b, i);
		if (!last || strcmp(json_object_get_string(last),
				    json_object_get_string(one)) != 0)
			json_object_array_add(a, json_object_get(one));
		last = one; /* ports of an adapter are consecutive */
	}
	json_object_put(b);
	return a;
}

void slu_numa_devices_free(struct slu_numa_devices *d)
{
	json_object_put(d->disks);
	json_object_put(d->networks);
	json_object_put(d->ports);
	json_object_put(d->gpus);
}

static void array_opt(struct json_object *obj, const char *key,
		      struct json_object *array)
{
	if (array && json_object_array_length(array))
		json_object_object_add(obj, key, array);
	else
		json_object_put(array);
}

void slu_numa_node_add(struct json_object *out,
		       const struct slu_numa_node *node,
		       const struct slu_numa_devices *d)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_u64(obj, "node", node->node);
	slu_json_set_u64(obj, "memory_bytes", node->memory);
	slu_json_set_str(obj, "cpus", node->cpus ? node->cpus : "");
	array_opt(obj, "distances", node->distances);
	number_opt(obj, "read_mbytes_per_s", node->read_bandwidth);
	number_opt(obj, "read_latency_ns", node->read_latency);
	array_opt(obj, "disks", near_node(d->disks, "name", node->node));
	array_opt(obj, "networks",
		  join(near_node(d->networks, "name", node->node),
		       near_node(d->ports, "device", node->node)));
	array_opt(obj, "gpus", near_node(d->gpus, "address", node->node));
	json_object_array_add(out, obj);
}
