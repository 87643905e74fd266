/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_SHARED_FS_H
#define SLU_BENCH_SHARED_FS_H

/*
 * Simulates a file system that jobs share, to compute when each job ends. Each
 * job computes and then moves bytes, so many times; jobs that move bytes have
 * max-min fair shares of the bandwidth, each at most its own peak.
 */

#include <stdint.h>
#include <stddef.h>

struct fs_io {		 /* of a job */
	uint32_t bursts; /* at least 1 */
	double compute;	 /* s before each */
	double bytes;	 /* of each */
	double peak;	 /* bytes/s; > 0 */
};

/* The time that it takes alone. */
double fs_alone(const struct fs_io *io, double capacity);

struct fs;
/* io[]: of every job, borrowed. NULL without memory. */
struct fs *fs_new(const struct fs_io *io, size_t jobs, double capacity);
void fs_free(struct fs *fs);

void fs_start(struct fs *fs, size_t job, double now);
/* Advances to `now`. The next job that has ended since, or (size_t)-1. */
size_t fs_ended(struct fs *fs, double now);
/* A lower bound of the next end; INFINITY: no job runs. */
double fs_next_end(const struct fs *fs);

/* Bytes moved so far by a running job. */
double fs_moved(const struct fs *fs, size_t job);
/* Total bytes/s now. */
double fs_rate(const struct fs *fs);

#endif
