/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_FILES_H
#define SLU_BENCH_FILES_H

/* Creates the files to copy. */

#include <stddef.h>

/* Make a file of so many bytes that no file system can compress or leave out;
 * exits when it cannot. */
void bench_write_file(const char *path, size_t size);

/* Nothing is in memory any more that could be read from disk; not for who is
 * not root, which `program` says then. */
void bench_make_cold(const char *program);

#endif
