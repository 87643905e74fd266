/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_CGROUP_H
#define SLU_HOST_CGROUP_H

/*
 * Moves the calling process out of slurmd's cgroups into groups of Sluice's own
 * in every hierarchy: a service manager may stop slurmd's as a whole, and their
 * memory limit would count a job's file system. By these groups all processes
 * that were started for a job are found and killed, also those that have left
 * their session or parent.
 */

#include "common/err.h"

/* Move the calling process, and so what it starts, into the group `name` below
 * the root of every cgroup hierarchy that is mounted. Best effort: a hierarchy
 * that cannot be used is left as it is. Returns how many were entered. */
int slu_cgroup_enter(const char *name);

/* Kill all processes in the groups of that name, and remove the groups: without
 * root a process cannot leave them. SLU_BUSY after five seconds names one that
 * does not die. 0 also without such groups. Each attempt scans all
 * processes. */
int slu_cgroup_end(const char *name, struct slu_err *err);

#endif
