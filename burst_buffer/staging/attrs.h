/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_ATTRS_H
#define SLU_STAGING_ATTRS_H

/* What a file has besides its content, mode and times. */

#include <stdbool.h>
#include <sys/stat.h>
#include "common/err.h"

/* The user's extended attributes (user.*) and the access control lists of `in`
 * onto `out`; -1: an `in` that can have none. That either side has none is
 * success; a list that only `out` had, or inherited, is removed. Where a file
 * has a list, the group bits of its mode are the list's mask (acl(5)): for an
 * `out` that cannot have it, *mode loses what the list does not give the owning
 * group, and its group and others what it denies to somebody, so that nobody
 * can do more with the copy. Texts say "read"/"write"/"remove", the attribute
 * and the system's reason, no names. Any thread. */
int slu_copy_attrs(int in, int out, mode_t *mode, struct slu_err *err);

/* Has `out` those of `in` already? What it cannot have is not asked for. */
bool slu_same_attrs(int in, int out);

/* Give the directory `out`, which only its owner can enter yet, the attributes
 * and the rights of `in`, which has this mode, and its owner all. It is marked
 * until the last copy by a bit that means nothing on a directory (inode(7)). */
#define SLU_SHOWN S_ISUID
int slu_show_directory(int in, int out, mode_t mode, struct slu_err *err);

/* Let this user read the file of ours, and nobody else but root; -1: where
 * there are no lists, nobody can. */
int slu_let_read(int fd, uid_t uid);

/* The mode of `fd` as it is without its list; what cannot be asked gives its
 * group and others nothing. */
mode_t slu_mode_alone(int fd, mode_t mode);
/* The same of what this path below `root` leads to. */
mode_t slu_mode_alone_at(int root, const char *path, mode_t mode);

/* The mode to create a copy with, whose attributes are set later: its owner
 * may read and write it, nobody else do anything. Where the copy keeps none
 * (plain_out), that of its source as it is without its list: `in` is the
 * source, or a directory that has it as `path`; plain_in: it has no lists. */
mode_t slu_first_mode(int in, const char *path, mode_t mode, bool plain_in,
		      bool plain_out);

/* Can what this path below `root` leads to have a list, as far as we see? */
bool slu_can_have_list(int root, const char *path);

#endif
