/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_PCINAMES_H
#define SLU_SYSMAP_LINUX_PCINAMES_H

/*
 * Finds the names of PCI vendors and devices in the machine's pci.ids. The
 * caller lists those that it needs, and all are found in one pass over the
 * file.
 */

#include <stddef.h>
#include <stdint.h>
#include "sysmap/root.h"

#define SLU_PCI_IDS_MAX (2u << 20) /* bytes of a pci.ids */

struct slu_pci_name {
	uint32_t vendor, device;
	char vendor_name[80], device_name[96]; /* "": not found */
};

/* Fill in the names of n entries; a machine without pci.ids leaves them "". */
void slu_pci_names_read(const struct slu_root *root, struct slu_pci_name *name,
			size_t n);
/* The parser alone; cuts up the text. */
void slu_pci_names_parse(char *text, struct slu_pci_name *name, size_t n);

#endif
