/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_CGROUP_H
#define SLU_HOST_CGROUP_H

/*
 * Leaving the cgroups that this process was started in (slurmd's, which a
 * service manager may stop as a whole, or whose memory limit would count what
 * a job's file system uses), for groups of our own in every hierarchy: by them
 * it is known what was started for a job, however it hides.
 */

#include "common/err.h"

/* Move the calling process, and so what it starts, into the group `name` below
 * the root of every cgroup hierarchy that is mounted. Best effort: a hierarchy
 * that cannot be used is left as it is. Returns how many were entered. */
int slu_cgroup_enter(const char *name);

/* End whatever is in the groups of that name, and remove them: who is not root
 * cannot leave them. SLU_BUSY after five seconds names one that does not die.
 * No such group is success. Each try looks at all processes. */
int slu_cgroup_end(const char *name, struct slu_err *err);

#endif
