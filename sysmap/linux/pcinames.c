/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses pci.ids: "VVVV  Vendor" lines, followed by "\tDDDD  Device" lines,
 * followed by subsystems (two tabs), which are ignored; classes ("C 01 ...")
 * come after all vendors and end the file for us.
 */
#include "config.h"
#include "sysmap/linux/pcinames.h"

#include <stdlib.h>
#include <string.h>

/* "8086  Intel Corporation": four hexadecimal digits and two blanks. */
static bool parse_entry(char *line, uint32_t *id, char **name)
{
	if (strspn(line, "0123456789abcdef") != 4 || line[4] != ' ' ||
	    line[5] != ' ')
		return false;
	*id = (uint32_t)strtoul(line, NULL, 16);
	*name = slu_trim(line + 6);
	return true;
}

static void put(char *out, size_t size, const char *name)
{
	if (out[0])
		return;
	slu_copy(out, size, name);
	slu_printable(out);
}

/* Sets the name of all functions of this vendor; were there any? */
static bool take_vendor(struct slu_pci_name *name, size_t n, uint32_t vendor,
			const char *text)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (name[i].vendor != vendor)
			continue;
		put(name[i].vendor_name, sizeof(name[i].vendor_name), text);
		any = true;
	}
	return any;
}

static void take_device(struct slu_pci_name *name, size_t n, uint32_t vendor,
			uint32_t device, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (name[i].vendor == vendor && name[i].device == device)
			put(name[i].device_name, sizeof(name[i].device_name),
			    text);
}

void slu_pci_names_parse(char *text, struct slu_pci_name *name, size_t n)
{
	char *rest = text, *line, *entry;
	uint32_t vendor = 0, id;
	bool wanted = false;

	while ((line = strsep(&rest, "\n"))) {
		if (line[0] == 'C' && line[1] == ' ')
			break;
		if (line[0] != '\t') {
			if (parse_entry(line, &vendor, &entry))
				wanted = take_vendor(name, n, vendor, entry);
		} else if (wanted && parse_entry(line + 1, &id, &entry)) {
			take_device(name, n, vendor, id, entry);
		}
	}
}

void slu_pci_names_read(const struct slu_root *root, struct slu_pci_name *name,
			size_t n)
{
	static const char *const places[] = {"usr/share/misc/pci.ids",
					     "usr/share/hwdata/pci.ids", NULL};
	struct slu_buf text = {0};

	for (const char *const *p = places; *p; p++) {
		if (slu_root_read(root, *p, SLU_PCI_IDS_MAX, &text, NULL))
			continue;
		slu_pci_names_parse(text.data, name, n);
		break;
	}
	slu_buf_free(&text);
}
