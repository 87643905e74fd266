/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recorded machine may have in /proc: the first byte of the input says
 * which file the rest is ('i' mountinfo, 'm' mounts, 'c' cpuinfo, 'f' meminfo,
 * 'l' a list of CPUs). */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/linux/mounts.h"
#include "sysmap/linux/procs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

/* As it goes into a document: it must be a text that SQLite and JSON take. */
static void printable(const char *text)
{
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data + 1, size ? size - 1 : 0);
	long first;

	must(text != NULL);
	switch (size ? data[0] : 0) {
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
	}
	free(text);
	return 0;
}
