/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_PCI_H
#define SLU_SYSMAP_LINUX_PCI_H

/*
 * Looks up PCI functions for other sources: by address, or by a device's link.
 */

#include "sysmap/device_models.h"
#include "sysmap/root.h"

#define SLU_PCI_DEVICES "sys/bus/pci/devices"

/* The PCI function of a device, and its driver; the texts are in the struct
 * itself. */
struct slu_pci {
	char address[32]; /* 0000:3b:00.0 */
	char driver[64];
	int numa_node;
};

/* By address; false when there is no such function. */
bool slu_pci_read(const struct slu_root *root, const char *address,
		  struct slu_pci *out);
/* By a link of sysfs ("sys/class/net/eth0"): the last function on the path that
 * it points to. False, and no address, if there is none (a virtual device, or
 * one on another bus). */
bool slu_pci_of(const struct slu_root *root, struct slu_pci *out,
		const char *link, ...) __attribute__((format(printf, 3, 4)));

/* Borrowed from pci. */
struct slu_device_place slu_pci_place(const struct slu_pci *pci);

struct slu_pci_link slu_pci_link_read(const struct slu_root *root,
				      const char *address);

/* A number like "0x8086"; 0: none. */
uint32_t slu_pci_hex(const struct slu_root *root, const char *address,
		     const char *file);

/* The last component of a path that has the form of an address; false: none.
 * The path may come from a recorded machine, so it is not trusted. */
bool slu_pci_address(const char *path, char out[32]);

#endif
