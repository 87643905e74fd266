/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_IONBENCH_FILES_H
#define SLU_TESTS_IONBENCH_FILES_H

/* Patterns and files of a measurement with sluice-ionbench. */

#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include "common/file.h"
#include "select_io/ionbench/load.h"
#include "select_io/ionbench/measure.h"
#include "select_io/ionbench/step.h"

static struct slu_bench_patterns parsed(const char *list, const char *table,
					struct slu_err *err)
{
	struct slu_patterns *t =
		table ? slu_patterns_parse(table, "t", err) : NULL;
	struct slu_bench_patterns out = {0};

	*err = (struct slu_err){0};
	if (slu_bench_add_list(&out, list, t, err) < 0)
		slu_bench_patterns_free(&out);
	slu_patterns_free(t);
	return out;
}

static void put(const char *path, const char *text)
{
	struct slu_err err;

	expect_ok(slu_file_write(AT_FDCWD, path, text, strlen(text), 0755,
				 false, &err),
		  err);
}

static const char *in(const char *name)
{
	static char path[4][256];
	static int i;

	i = (i + 1) % 4;
	snprintf(path[i], sizeof(path[i]), "%s/%s", tmpdir(), name);
	return path[i];
}

#define MAPPING(jobs) \
	"{\"epoch\":1,\"ions\":[\"io1\",\"io2\",\"io3\"],\"jobs\":[" jobs "]}"

#endif
