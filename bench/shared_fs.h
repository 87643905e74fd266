/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_SHARED_FS_H
#define SLU_BENCH_SHARED_FS_H

/*
 * A simulated file system that jobs share. Each job computes and then moves
 * bytes, so many times; whoever moves any at a moment has its max-min fair
 * share of the bandwidth, at most its own peak.
 */

#include <stdint.h>
#include <stddef.h>

struct fs_io {		 /* of a job */
	uint32_t bursts; /* at least 1 */
	double compute;	 /* s before each */
	double bytes;	 /* of each */
	double peak;	 /* bytes/s; > 0 */
};

/* How long it takes where it is alone. */
double fs_alone(const struct fs_io *io, double capacity);

struct fs;
/* io[]: of every job that may come, borrowed. NULL without memory. */
struct fs *fs_new(const struct fs_io *io, size_t jobs, double capacity);
void fs_free(struct fs *fs);

void fs_begin(struct fs *fs, size_t job, double now);
/* Go on to `now`. The next job that has ended since, or (size_t)-1. */
size_t fs_ended(struct fs *fs, double now);
/* Before this time none ends; INFINITY: none runs. */
double fs_next(const struct fs *fs);

/* Of a running job: bytes that it has moved by now. */
double fs_moved(const struct fs *fs, size_t job);
/* Bytes/s of all at this moment. */
double fs_rate(const struct fs *fs);

#endif
