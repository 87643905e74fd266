/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up PCI functions in /sys/bus/pci, and the function to which a device of
 * another class (disk, network interface) belongs. */
#include "config.h"
#include "sysmap/linux/pci.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEX "0123456789abcdef"

/* dddd:bb:dd.f, with four or more digits of the domain. */
static bool is_address(const char *text, size_t len)
{
	size_t domain = strspn(text, HEX);

	return domain >= 4 && domain <= 8 && len == domain + 8 &&
	       text[domain] == ':' && strspn(text + domain + 1, HEX) == 2 &&
	       text[domain + 3] == ':' && strspn(text + domain + 4, HEX) == 2 &&
	       text[domain + 6] == '.' && text[domain + 7] >= '0' &&
	       text[domain + 7] <= '7';
}

bool slu_pci_address(const char *path, char out[32])
{
	bool found = false;
	size_t len;

	for (; *path; path += len) {
		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (is_address(path, len)) {
			snprintf(out, 32, "%.*s", (int)len, path);
			found = true;
		}
	}
	return found;
}

bool slu_pci_read(const struct slu_root *root, const char *address,
		  struct slu_pci *out)
{
	int64_t node = SLU_NO_NUMA_NODE;

	*out = (struct slu_pci){.numa_node = SLU_NO_NUMA_NODE};
	if (!slu_root_exists(root, SLU_PCI_DEVICES "/%s", address))
		return false;
	slu_copy(out->address, sizeof(out->address), address);
	slu_root_link(root, out->driver, sizeof(out->driver),
		      SLU_PCI_DEVICES "/%s/driver", address);
	if (slu_root_signed(root, &node, SLU_PCI_DEVICES "/%s/numa_node",
			    address) &&
	    node >= 0 && node < SLU_LIST_MAX)
		out->numa_node = (int)node;
	return true;
}

bool slu_pci_of(const struct slu_root *root, struct slu_pci *out,
		const char *fmt, ...)
{
	char link[PATH_MAX], target[PATH_MAX], address[32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(link, sizeof(link), fmt, ap);
	va_end(ap);
	*out = (struct slu_pci){.numa_node = SLU_NO_NUMA_NODE};
	return slu_root_target(root, target, sizeof(target), "%s", link) &&
	       slu_pci_address(target, address) &&
	       slu_pci_read(root, address, out);
}

struct slu_device_place slu_pci_place(const struct slu_pci *pci)
{
	return (struct slu_device_place){.address = pci->address,
					 .driver = pci->driver,
					 .numa_node = pci->numa_node};
}

/* "8.0 GT/s PCIe", "Unknown" */
static double speed(const struct slu_root *root, const char *address,
		    const char *file)
{
	char text[64];
	double value;

	if (!slu_root_attr(root, text, sizeof(text), SLU_PCI_DEVICES "/%s/%s",
			   address, file))
		return 0;
	value = strtod(text, NULL);
	return value > 0 && value < 1000 ? value : 0;
}

static uint32_t width(const struct slu_root *root, const char *address,
		      const char *file)
{
	uint64_t lanes = 0;

	slu_root_number(root, &lanes, SLU_PCI_DEVICES "/%s/%s", address, file);
	return lanes <= 64 ? (uint32_t)lanes : 0; /* 255: no link */
}

struct slu_pci_link slu_pci_link_read(const struct slu_root *root,
				      const char *address)
{
	return (struct slu_pci_link){
		.gts = speed(root, address, "current_link_speed"),
		.gts_max = speed(root, address, "max_link_speed"),
		.width = width(root, address, "current_link_width"),
		.width_max = width(root, address, "max_link_width"),
	};
}

uint32_t slu_pci_hex(const struct slu_root *root, const char *address,
		     const char *file)
{
	char text[32], *end;
	unsigned long value;

	if (!slu_root_attr(root, text, sizeof(text), SLU_PCI_DEVICES "/%s/%s",
			   address, file))
		return 0;
	value = strtoul(text, &end, 16);
	return *end || value > UINT32_MAX ? 0 : (uint32_t)value;
}
