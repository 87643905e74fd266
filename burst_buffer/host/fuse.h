/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_FUSE_H
#define SLU_HOST_FUSE_H

/* File systems in user space whose server does not answer: who waits for one in
 * the kernel cannot be killed. */

#include <stddef.h>
#include <sys/types.h>

/* Abort those that are mounted here by the user of this process, if that is not
 * root, and in which requests wait. Calls in them fail from now on (ENOTCONN).
 * Touches no file system but /proc and /sys. Returns how many. */
size_t slu_fuse_abort(pid_t pid);

#endif
