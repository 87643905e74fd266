/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_ATTRS_H
#define SLU_STAGING_ATTRS_H

/*
 * Copies extended attributes and access control lists to copies of files. Where
 * a file system has no lists, rights are reduced so that a copy never gives
 * anybody more than its source.
 */

#include <stdbool.h>
#include <sys/stat.h>
#include "common/err.h"

/* Copy the user's extended attributes (user.*) and the access control lists of
 * `in` to `out`; in -1: a source that cannot have any. It is no error if either
 * side does not support them; a list that only `out` had, or inherited, is
 * removed. Where a file has a list, the group bits of its mode are the list's
 * mask (acl(5)): for an `out` that cannot have it, the group bits of *mode are
 * reduced to what the list gives the owning group, and group and others lose
 * what the list denies to anybody, so that the copy gives nobody more rights.
 * Texts say "read"/"write"/"remove", the attribute and the system's reason, no
 * file names. Any thread. */
int slu_copy_attrs(int in, int out, mode_t *mode, struct slu_err *err);

/* Does `out` have the attributes of `in` already? Those that it cannot have are
 * ignored. */
bool slu_same_attrs(int in, int out);

/* Give the directory `out`, which only its owner can enter so far, the
 * attributes and rights of `in`, which has this mode; the owner keeps all
 * rights. Until the last copy it is marked by a mode bit without meaning for
 * directories (inode(7)). */
#define SLU_SHOWN S_ISUID
int slu_show_directory(int in, int out, mode_t mode, struct slu_err *err);

/* Lets this user, and otherwise only root, read our file; -1: the file system
 * has no lists. */
int slu_let_read(int fd, uid_t uid);

/* The mode of `fd` without the effect of its list; if that cannot be read,
 * group and others get nothing. */
mode_t slu_mode_alone(int fd, mode_t mode);
/* As slu_mode_alone() for this path below `root`. */
mode_t slu_mode_alone_at(int root, const char *path, mode_t mode);

/* The mode with which to create a copy whose attributes are set later: only its
 * owner may read and write it. Where the copy keeps no attributes (plain_out),
 * the mode of its source without its list: `in` is the source, or a directory
 * that has it as `path`; plain_in: the source has no lists. */
mode_t slu_first_mode(int in, const char *path, mode_t mode, bool plain_in,
		      bool plain_out);

/* Can this path below `root` have a list, as far as this process can see? */
bool slu_can_have_list(int root, const char *path);

#endif
