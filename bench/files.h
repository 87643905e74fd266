/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_FILES_H
#define SLU_BENCH_FILES_H

/* Creates the files that benchmarks of staging copy, and makes them cold. */

#include <stddef.h>

/* Creates a file of so many bytes of incompressible data; exits when it cannot.
 */
void bench_write_file(const char *path, size_t size);

/* Drops the page cache; without root's rights `program` prints that it is warm.
 */
void bench_make_cold(const char *program);

#endif
