/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_MACHINE_H
#define SLU_TESTS_MACHINE_H

/*
 * Unpacks hand-made machines for tests of sysmap: a text
 * (in tests/fixtures/machines, where the format is explained) becomes a tree of
 * files.
 */

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include "common/file.h"
#include "common/str.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

/* Path of a file of the sources; good until the next call. */
static inline const char *fixture(const char *name)
{
	static char path[PATH_MAX];
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/tests/fixtures/%s",
		 srcdir ? srcdir : ".", name);
	return path;
}

static inline struct slu_buf fixture_text(const char *name)
{
	struct slu_buf text = {0};
	struct slu_err err;

	expect_ok(slu_file_read(AT_FDCWD, fixture(name), 1 << 24, &text, &err),
		  err);
	return text;
}

/* root/path, its parents made. Caller frees. */
static char *machine_path(const char *root, const char *path)
{
	char *full = slu_asprintf("%s/%s", root, path);
	char *slash = strrchr(full, '/');
	struct slu_err err;

	*slash = '\0';
	expect_ok(slu_mkdirs(full, 0755, &err), err);
	*slash = '/';
	return full;
}

static inline void machine_file(const char *root, const char *path,
				const void *data, size_t len)
{
	char *full = machine_path(root, path);
	FILE *f = fopen(full, "w");

	expect(f != NULL, "%s", full);
	fwrite(data, 1, len, f);
	fclose(f);
	free(full);
}

static inline void machine_link(const char *root, const char *path,
				const char *target)
{
	char *full = machine_path(root, path);

	expect(symlink(target, full) == 0, "%s", full);
	free(full);
}

/* Unpack one; root is made. */
static inline void machine_unpack(const char *name, const char *root)
{
	struct slu_buf text = fixture_text(name);
	char *rest = text.data, *line, *at, *end;

	while ((line = strsep(&rest, "\n"))) {
		if (line[0] == '#' || line[0] == '\0')
			continue;
		if ((at = strstr(line, " <<"))) {
			*at = '\0';
			end = strstr(rest, ">>\n");
			machine_file(root, line, rest, (size_t)(end - rest));
			rest = end + 3;
		} else if ((at = strstr(line, " -> "))) {
			*at = '\0';
			machine_link(root, line, at + 4);
		} else if ((at = strstr(line, " = "))) {
			*at = '\0';
			end = at + strlen(at + 3) + 3;
			*end = '\n';
			machine_file(root, line, at + 3,
				     (size_t)(end - at) - 2);
		} else {
			ck_abort_msg("%s: %s", name, line);
		}
	}
	slu_buf_free(&text);
}

#endif
