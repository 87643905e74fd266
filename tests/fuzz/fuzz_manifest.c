/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the reader of manifests: it ends, stays inside its memory, and gives
 * only paths below the root. */
#include "config.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/staging/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(const char *path)
{
	const char *up = strstr(path, "..");

	if (path[0] == '/')
		abort();
	for (; up; up = strstr(up + 1, ".."))
		if ((up == path || up[-1] == '/') && (!up[2] || up[2] == '/'))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slu_manifest *m;
	struct slu_totals totals;
	struct slu_entry entry;
	uint64_t at;
	FILE *file = size ? fmemopen((void *)data, size, "r") : NULL;

	if (!file)
		return 0;
	m = slu_manifest_open(file, &totals, NULL);
	while (m && slu_manifest_next(m, &entry, NULL) == 1)
		check_path(entry.path);
	if (m && !slu_manifest_seek(m, totals.cost / 2, &at, NULL))
		while (slu_manifest_next(m, &entry, NULL) == 1)
			check_path(entry.path);
	slu_manifest_free(m);
	fclose(file);
	return 0;
}
