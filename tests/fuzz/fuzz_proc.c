/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the parsers of files in a recorded machine's /proc and /sys. The first
 * byte of the input selects the file: 'i' mountinfo, 'm' mounts, 'c' cpuinfo,
 * 'f' meminfo, 'l' a list of CPUs, 's' swaps, '6' if_inet6, 'k' a kernel
 * configuration, 'z' the same packed with gzip, 'p' pci.ids, 'o' a list of
 * OSTs, 'd' DMI, 'h' an NVMe controller's health, 'a' a path of sysfs.
 */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/linux/storage/health.h"
#include "sysmap/linux/kernel/kconfig.h"
#include "sysmap/linux/storage/mounts.h"
#include "sysmap/linux/pci.h"
#include "sysmap/linux/pcinames.h"
#include "sysmap/linux/procs.h"
#include "sysmap/linux/cpu/smbios.h"
#include "sysmap/lustre/lustre.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* As it goes into a document: it must be a text that SQLite and JSON take. */
static void printable(const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (copy) {
		slu_utf8_clean(copy);
		must(strcmp(copy, text) == 0);
	}
	free(copy);
	for (; text && *text; text++)
		must((unsigned char)*text >= ' ' && *text != 0x7f);
}

static void mounts(enum slu_mount_form form, const char *text)
{
	struct slu_mounts table = {0};
	const struct slu_mount *m;

	slu_buf_puts(&table.text, text);
	must(slu_mounts_parse(&table, form, NULL) == 0);
	for (size_t i = 0; i < table.n; i++) {
		m = &table.mount[i];
		must(m->mountpoint[0] == '/');
		printable(m->mountpoint);
		printable(m->device);
		printable(m->options);
		printable(m->number);
		slu_mounts_find(&table, "8:1", "/dev/sda1");
	}
	slu_mounts_free(&table);
}

static void cpuinfo(char *text)
{
	struct slu_cpuinfo info;

	slu_cpuinfo_parse(text, &info);
	must(info.cores <= info.cpus);
	printable(info.model);
	printable(info.flags);
	must(slu_model_mhz(info.model) >= 0);
}

static void lines(char which, char *text)
{
	struct slu_lustre_ost ost;
	struct slu_inet6 inet6;
	struct slu_swap swap;

	while (which == 's' && slu_swap_next(&text, &swap))
		printable(swap.device);
	while (which == '6' && slu_inet6_next(&text, &inet6))
		printable(inet6.interface);
	while (which == 'o' && slu_lustre_ost_next(&text, &ost))
		printable(ost.name);
}

static void kconfig(char *text)
{
	struct json_object *obj = json_object_new_object();

	slu_kernel_config_parse(text, obj);
	json_object_object_foreach(obj, key, value)
	{
		printable(key);
		printable(json_object_get_string(value));
	}
	json_object_put(obj);
}

static void packed(const uint8_t *data, size_t size)
{
	struct slu_buf out = {0};

	if (slu_gunzip(data, size, 1 << 16, &out) == 0)
		must(out.len <= 1 << 16);
	slu_buf_free(&out);
}

static void pci_names(char *text)
{
	struct slu_pci_name name[] = {{.vendor = 0x8086, .device = 0x0a54}};

	slu_pci_names_parse(text, name, 1);
	printable(name[0].vendor_name);
	printable(name[0].device_name);
}

static void dmi(const uint8_t *data, size_t size)
{
	struct slu_dimm dimm;
	size_t len;

	for (; (len = slu_smbios_len(data, size)); data += len, size -= len) {
		must(len <= size);
		if (!slu_smbios_dimm(data, len, &dimm))
			continue;
		printable(dimm.locator);
		printable(dimm.maker);
		printable(dimm.part);
	}
}

static void health(const uint8_t *data, size_t size)
{
	unsigned char log[SLU_SMART_BYTES] = {0};
	struct slu_nvme_health out;

	memcpy(log, data, size < sizeof(log) ? size : sizeof(log));
	slu_nvme_health_parse(log, &out);
	must(out.name == NULL && out.used <= 255);
}

/* Those that are not of lines; whether it was one of them. */
static bool binary(const uint8_t *data, size_t size)
{
	switch (size ? data[0] : 0) {
	case 'z':
		packed(data + 1, size - 1);
		return true;
	case 'd':
		dmi(data + 1, size - 1);
		return true;
	case 'h':
		health(data + 1, size - 1);
		return true;
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char address[32], fsname[16];
	char *text = strndup((const char *)data + 1, size ? size - 1 : 0);
	long first;

	must(text != NULL);
	switch (binary(data, size) || !size ? 0 : data[0]) {
	case 'i':
		mounts(SLU_MOUNTINFO, text);
		break;
	case 'm':
		mounts(SLU_MTAB, text);
		break;
	case 'c':
		cpuinfo(text);
		break;
	case 'f':
		slu_meminfo_bytes(text, "MemTotal");
		break;
	case 'l':
		slu_cpulist_count(text, &first);
		must(first >= -1);
		break;
	case 's':
	case '6':
	case 'o':
		lines((char)data[0], text);
		break;
	case 'k':
		kconfig(text);
		break;
	case 'p':
		pci_names(text);
		break;
	case 'a':
		if (slu_pci_address(text, address))
			printable(address);
		slu_lustre_fsname(text, fsname);
		break;
	}
	free(text);
	return 0;
}
