/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_SLOW_FS_H
#define BENCH_SLOW_FS_H

/*
 * Mounts storage with a fixed latency, independent of the number of requests at
 * a time: a client of GlusterFS alone on a directory, with its translator
 * debug/delay-gen. Needs root.
 */

/* Mounts it in `work`; returns the mount point, and in *beneath the directory
 * that it shows, both in static memory. Exits when it cannot be mounted. */
const char *slow_fs_mount(const char *work, unsigned milliseconds,
			  const char **beneath);
void slow_fs_unmount(const char *work);

#endif
