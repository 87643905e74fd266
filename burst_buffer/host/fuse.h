/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_FUSE_H
#define SLU_HOST_FUSE_H

/* Aborts FUSE mounts whose server does not answer, since a process that waits
 * for one in the kernel cannot be killed. */

#include <stddef.h>
#include <sys/types.h>

/* Abort every FUSE mount in our mount namespace that belongs to the user of
 * process `pid` and has pending requests; none if that user is root. Calls in
 * them fail from now on (ENOTCONN). Touches no file system but /proc and /sys;
 * mounts fusectl if needed. Returns how many. */
size_t slu_fuse_abort(pid_t pid);

#endif
