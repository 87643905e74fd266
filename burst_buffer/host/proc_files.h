/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_HOST_PROC_FILES_H
#define SLU_BURST_BUFFER_HOST_PROC_FILES_H

/*
 * Finds out which files a process has open, mapped, or as its program or
 * working directory, as /proc names them. `proc` is a descriptor of /proc/PID,
 * `task` one of /proc/PID or /proc/PID/task/TID. No function here touches the
 * files themselves, so none blocks on a file system that hangs.
 */

#include <stdbool.h>
#include <sys/types.h>

/* Does the process use a file below dir: working directory, root or open
 * file of any of its threads, program, or map? */
bool slu_proc_uses(int proc, pid_t pid, const char *dir);

/* Does the symbolic link `name` in /proc/PID point to or below dir? */
bool slu_proc_link_below(int proc, const char *name, const char *dir);

/* Has the process mapped a file below dir; shared: so that a write to memory
 * changes the file? */
bool slu_proc_maps_below(int proc, const char *dir, bool shared);

/* Calls `is` for each link in the directory `links` of /proc/PID ("fd",
 * "map_files") until it returns true. Returns whether it did. */
typedef bool slu_proc_link_f(void *arg, int dir, const char *name);
bool slu_proc_any_link(int proc, const char *links, slu_proc_link_f *is,
		       void *arg);

/* Calls `is` likewise for the process and each of its threads that does not
 * share the descriptors and the working directory of its leader. */
typedef bool slu_proc_task_f(void *arg, int task);
bool slu_proc_any_task(int proc, pid_t pid, slu_proc_task_f *is, void *arg);

#endif
