/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DEVICE_MODELS_H
#define SLU_SYSMAP_DEVICE_MODELS_H

/*
 * Converts devices (NVMe controllers, PCI functions, network interfaces,
 * InfiniBand ports, GPUs, NUMA nodes) to JSON, by the rules of sysmap/model.h.
 * What differs between two nodes of one model (addresses, GUIDs) is in a
 * document of its own, "networkaddresses". Serial numbers, and values that
 * change by themselves (LIDs, temperatures, the present speed of a link that
 * saves power), are in no document.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#define SLU_NO_NUMA_NODE -1

/* To which PCI function and NUMA node a device is connected. */
struct slu_device_place {
	const char *address; /* of its PCI function: 0000:3b:00.0 (if known) */
	const char *driver;  /* (if bound) */
	int numa_node;	     /* SLU_NO_NUMA_NODE: near none or unknown */
};

/* A PCI Express link. gts: giga transfers per second and lane. */
struct slu_pci_link {
	double gts, gts_max;
	uint32_t width, width_max; /* lanes */
};

/* "nvme": controllers. Without serial number. Unlike in other documents the
 * present state of the link is included: a drive that came up on fewer lanes is
 * a fault to report. */
struct slu_nvme_namespace {
	char name[32]; /* nvme0n1 */
	uint64_t size; /* bytes */
	uint64_t block_size;
};
#define SLU_NVME_NAMESPACES 32
struct slu_nvme {
	const char *name; /* nvme0 */
	const char *model;
	const char *firmware, *transport; /* (if known) */
	struct slu_device_place place;
	struct slu_pci_link link;
	struct slu_nvme_namespace ns[SLU_NVME_NAMESPACES];
	uint32_t n_ns;
};
void slu_nvme_add(struct json_object *out, const struct slu_nvme *nvme);

/* "nvmehealth": wear of each controller, in steps so coarse that every change
 * is worth reporting. used: percent of the life that the maker expects, may
 * exceed 100; spare: percent that is left; written: bytes, rounded down to 1
 * TB. */
struct slu_nvme_health {
	const char *name;
	uint32_t used, spare, spare_threshold;
	uint32_t warning; /* bits, as in NVMe; 0: healthy */
	uint64_t written, media_errors;
};
void slu_nvme_health_add(struct json_object *out,
			 const struct slu_nvme_health *health);

/* "pcidevices" */
struct slu_pci_device {
	struct slu_device_place place;
	uint32_t class_code; /* 0x010802 */
	uint32_t vendor, device, subsystem_vendor, subsystem_device;
	const char *vendor_name, *device_name; /* (if known) */
	struct slu_pci_link link;	       /* the maximum only */
};
void slu_pci_device_add(struct json_object *out,
			const struct slu_pci_device *device);

/* "networkdevices": interfaces of hardware, bonds and VLANs. */
struct slu_network_device {
	const char *name, *type; /* ethernet, infiniband, bond, vlan */
	const char *state;	 /* up, down (if known) */
	struct slu_device_place place;
	int64_t speed; /* Mbit/s; <= 0: unknown, as of one that is down */
	uint64_t mtu;
};
void slu_network_device_add(struct json_object *out,
			    const struct slu_network_device *device);

/* "infiniband": ports of this node's adapters. */
struct slu_ib_port {
	const char *device; /* mlx5_0 */
	uint32_t port;
	const char *type, *board, *firmware; /* (if known) */
	const char *link_layer;		     /* InfiniBand, Ethernet */
	const char *state, *physical_state;  /* ACTIVE, LinkUp */
	const char *rate;		     /* 100 Gb/sec (4X EDR) */
	struct slu_device_place place;
};
void slu_ib_port_add(struct json_object *out, const struct slu_ib_port *port);

/* "gpus" and other accelerators. */
struct slu_gpu {
	const char *model; /* (if known) */
	const char *driver_version;
	uint32_t vendor, device;
	uint64_t memory; /* bytes; 0: unknown */
	struct slu_device_place place;
	struct slu_pci_link link; /* the maximum: they let it sleep */
};
/* Accelerators, co-processors that compute (others compress or encrypt), and
 * displays of vendors of accelerators: not the console of the board's
 * management controller. */
bool slu_is_gpu(uint32_t class_code, uint32_t vendor, uint32_t device);
void slu_gpu_add(struct json_object *out, const struct slu_gpu *gpu);

/* "numa": nodes, and the names of what is near each. */
struct slu_numa_node {
	uint32_t node;
	uint64_t memory;	       /* bytes */
	const char *cpus;	       /* 0-19,40-59; "" for memory alone */
	struct json_object *distances; /* to node 0, 1, ...; NULL: unknown */
	uint64_t read_bandwidth; /* MB/s from the nearest CPUs (if known) */
	uint64_t read_latency;	 /* ns (if known) */
};
/* Documents of devices, any of them NULL. */
struct slu_numa_devices {
	struct json_object *disks, *networks, *ports, *gpus;
};
void slu_numa_devices_free(struct slu_numa_devices *devices);
/* Takes ownership of node->distances. */
void slu_numa_node_add(struct json_object *out,
		       const struct slu_numa_node *node,
		       const struct slu_numa_devices *devices);

#endif
