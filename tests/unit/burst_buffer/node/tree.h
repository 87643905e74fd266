/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_TREE_H
#define SLU_TESTS_TREE_H

/* Creates, fills, compares (byte by byte) and deletes trees of files for tests.
 * Every failure ends the test. */

#include <stdint.h>
#include <sys/types.h>

/* A fresh directory under $TMPDIR; removed by tree_remove. Caller frees. */
char *tree_new(void);
void tree_remove(char *dir); /* frees too */

/* "dir/name" in one of eight static buffers. */
const char *in(const char *dir, const char *name);

void make_dir(const char *path, mode_t mode);
/* A file with `size` bytes that depend on seed. */
void make_file(const char *path, uint64_t size, unsigned seed);
void make_text(const char *path, const char *text);
void make_link(const char *path, const char *target);

/* NULL when the trees hold the same (kinds, contents, links; with `times` also
 * modes and times), else one sentence in a static buffer. */
const char *tree_differs(const char *a, const char *b, int times);

#endif
