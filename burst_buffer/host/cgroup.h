/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_CGROUP_H
#define SLU_HOST_CGROUP_H

/*
 * Leaving the cgroups that this process was started in (slurmd's, which a
 * service manager may stop as a whole, or whose memory limit would count what
 * a job's file system uses), for groups of our own in every hierarchy.
 */

/* Move the calling process, and so what it starts, into the group `name` below
 * the root of every cgroup hierarchy that is mounted; nothing is done where the
 * caller is in no group but the roots. Best effort: a hierarchy that cannot be
 * used is left as it is. Returns how many were entered. */
int slu_cgroup_enter(const char *name);

/* Remove the groups of that name. Those that hold a zombie are tried again for
 * two seconds; those still in use stay. Returns how many are left. */
int slu_cgroup_remove(const char *name);

#endif
