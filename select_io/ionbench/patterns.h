/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_IONBENCH_PATTERNS_H
#define SLU_SELECT_IO_IONBENCH_PATTERNS_H

/*
 * Lists the access patterns to measure: from names that describe them
 * ("write-1MiB-shared", "read-32KiB-fpp-strided"), from a table with their
 * properties, or from the I/O of programs that Darshan has recorded. The
 * caller reads the files.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "select_io/curves/performance_table.h"

struct slu_bench_pattern {
	char *name; /* in the table */
	bool reads; /* else it writes */
	bool shared, strided;
	uint64_t request; /* bytes of a call */
};

struct slu_bench_patterns {
	struct slu_bench_pattern *pattern;
	size_t n;
};

/* Describes a pattern, whatever its name in the table: "write-1MiB-shared".
 * Returns out. */
#define SLU_BENCH_KEY 64
const char *slu_bench_key(const struct slu_bench_pattern *p,
			  char out[SLU_BENCH_KEY]);

/* Add those of a list, "NAME[:SIZE],...", which may be a whole line
 * "#BB forward pattern=...". Names that do not say what they are stand in the
 * table (NULL: there is none), else SLU_INVALID. Those that are there already
 * are not added again. */
int slu_bench_add_list(struct slu_bench_patterns *out, const char *list,
		       const struct slu_patterns *table, struct slu_err *err);

/* Add all of a table that say op and request; SLU_NOTFOUND: none does. */
int slu_bench_add_table(struct slu_bench_patterns *out,
			const struct slu_patterns *table, struct slu_err *err);

/* Add what the logs did: of each that has read, and of each that has written,
 * the pattern nearest to it (requests to the nearest power of two). text[len]
 * is 0: that of darshan-parser, which is written to. SLU_NOTFOUND: no POSIX
 * calls are in it. */
int slu_bench_add_darshan(struct slu_bench_patterns *out, char *text,
			  size_t len, struct slu_err *err);

void slu_bench_patterns_free(struct slu_bench_patterns *patterns);

#endif
