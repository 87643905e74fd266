/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_SERVER_FILES_H
#define SLU_TESTS_SERVER_FILES_H

/* Writes the simulated files of a Lustre server below tmpdir()/root. */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include "common/file.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static inline void put(const char *path, const char *text)
{
	char full[512];
	struct slu_err err;

	snprintf(full, sizeof(full), "%s/root/%s", tmpdir(), path);
	*strrchr(full, '/') = '\0';
	expect_ok(slu_mkdirs(full, 0755, &err), err);
	snprintf(full, sizeof(full), "%s/root/%s", tmpdir(), path);
	expect_ok(slu_file_write(AT_FDCWD, full, text, strlen(text), 0644,
				 false, &err),
		  err);
}

#endif
