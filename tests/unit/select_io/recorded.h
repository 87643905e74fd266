/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_RECORDED_H
#define SLU_TESTS_RECORDED_H

/* Finds recordings of other systems, which are not part of the sources: in the
 * directory $SLUICE_DATA, or in ../shared/data beside the checkout. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include "common/file.h"
#include "tests/unit/harness.h"

/* Path of a recording; good until the next call. NULL (and a word why) when
 * there are none here. */
static inline const char *recorded(const char *name)
{
	static char path[4096];
	const char *dir = getenv("SLUICE_DATA"), *src = getenv("srcdir");
	const char *places[] = {dir ? dir : "", "../shared/data",
				"../../shared/data"};

	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s%s%s/%s", i && src ? src : "",
			 i && src ? "/" : "", places[i], name);
		if (access(path, R_OK) == 0)
			return path;
	}
	skip(name);
	return NULL;
}

/* The text of a recording; false when there is none. */
static inline bool recorded_text(const char *name, struct slu_buf *out)
{
	const char *path = recorded(name);

	return path && slu_file_read(AT_FDCWD, path, 64 << 20, out, NULL) == 0;
}

#endif
