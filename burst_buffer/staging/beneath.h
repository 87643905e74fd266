/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_BENEATH_H
#define SLU_STAGING_BENEATH_H

/*
 * Opening what lies below a directory, and only there: no symbolic link is
 * followed in any component and ".." leads nowhere, whatever somebody renames
 * meanwhile (openat2, Linux 5.6). Paths may be longer than PATH_MAX.
 */

#include <sys/types.h>

/* Like openat(2); errno is set on failure (ELOOP: a link is in the way). */
int slu_open_beneath(int root, const char *path, int flags, mode_t mode);

/* Open the directory that holds `path` (a descriptor the caller closes) and
 * point *name at its last component. "" is ".", in the root itself. */
int slu_open_parent(int root, const char *path, const char **name);

/* Create or empty a regular file for writing. A link, or a file that may not be
 * written, is replaced. */
int slu_create_beneath(int root, const char *path, mode_t mode);

/* A path for a message: one line, at most 200 bytes, its end rather than its
 * beginning; returns out. */
#define SLU_PATH_TEXT 208
const char *slu_path_text(const char *path, char out[SLU_PATH_TEXT]);

#endif
