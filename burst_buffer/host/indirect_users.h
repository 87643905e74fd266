/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_INDIRECT_USERS_H
#define SLU_HOST_INDIRECT_USERS_H

/*
 * Finds users of a device's file system that no link in /proc shows: sockets
 * bound to a name there, and mount namespaces that contain it, even one without
 * processes. For root; looking into a namespace forks.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SLU_BOUND_MAX 64 /* sockets that are remembered */
#define SLU_SEEN_MAX  64 /* namespaces that are asked only once */

struct slu_indirect_users {
	unsigned major, minor;
	uint32_t bound[SLU_BOUND_MAX]; /* inodes of sockets */
	size_t n_bound, n_seen;
	struct slu_seen_ns {
		ino_t inode;
		bool mounts;
	} seen[SLU_SEEN_MAX];
};

/* Finds the sockets of the calling process's network namespace; none where the
 * kernel cannot tell (CONFIG_UNIX_DIAG). Nothing has to be freed. */
void slu_find_indirect_users(struct slu_indirect_users *h, unsigned major,
			     unsigned minor);

/* Is the link in a directory of /proc (fd, ns) such a user? `arg` is a struct
 * slu_indirect_users. A namespace counts if it has the device mounted and is
 * not the caller's own; a kept one is that of a descriptor. */
bool slu_is_bound(void *arg, int at, const char *link);
bool slu_is_namespace(void *arg, int at, const char *name);
bool slu_is_kept_namespace(void *arg, int at, const char *name);

#endif
