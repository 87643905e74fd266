/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_SLOW_FS_H
#define BENCH_SLOW_FS_H

/* Storage with a fixed latency, independent of the number of requests at a
 * time: a client of GlusterFS alone on a directory, with its translator
 * debug/delay-gen. Needs root. */

/* Mounts it in `work`; where it is, and where what it shows lies *beneath it,
 * in static memory. Ends the program when it cannot be had. */
const char *slow_fs_mount(const char *work, unsigned milliseconds,
			  const char **beneath);
void slow_fs_unmount(const char *work);

#endif
