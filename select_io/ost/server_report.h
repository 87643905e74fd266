/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_SERVER_REPORT_H
#define SLU_SELECT_IO_OST_SERVER_REPORT_H

/*
 * Reports the state of a Lustre server and its targets, by which files are
 * placed: read from the files of Lustre 2.10 to 2.17 below a root, reduced to a
 * few numbers, as one small JSON document.
 */

/*
 * {"lustre":"2.15.8","cpu":12.5,"memory":40,"network":1.2e9,"moved":9e8,
 *   "peak":3e9,"osts":[{"name":"fs-OST0003",
 *   "index":3,"total":KiB,"available":KiB,"io_ms":8.1,"io_bytes":1048576,
 *   "state":"degraded"}]}
 *
 * cpu and memory are percents in use; network is bytes a second through LNET,
 * moved its mean over about the last SLU_OST_MOVED_SECONDS and peak the highest
 * of about a day (once a quarter of SLU_OST_MOVED_SECONDS has been seen); cpu
 * and network are means since the reading before, and missing in the first.
 * available is what users can get (kbytesavail); io_ms and io_bytes are the
 * mean time and size of a disk I/O in about the last SLU_OST_IO_SECONDS, and
 * missing until there have been some. state is left out when all is well:
 * "degraded", "readonly", "no_create".
 *
 * counter_rates.h adds to each target, and on a metadata server "mdts" (where
 * "osts" is an empty list when it serves none) and "closed", the targets on
 * which its MDTs create no objects (left out where there is none).
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"
#include "select_io/ost/counter_rates.h"

#define SLU_OST_MOVED_SECONDS 1200.0
#define SLU_OST_PEAK_SECONDS  86400.0
#define SLU_OST_IO_SECONDS    600.0

/* A mean over time in which what is old counts less and less; over all there
 * is, at first. Start from {0}. */
struct slu_ost_moved {
	double mean, seconds;
	double peak; /* the highest rate, which fades over a day */
};
void slu_ost_moved_add(struct slu_ost_moved *moved, double rate,
		       double seconds);
/* False: a few minutes, of which nothing can be said yet. */
bool slu_ost_moved_known(const struct slu_ost_moved *moved);

/* A histogram of a target's disk I/O: of all that brw_stats has, what came
 * since the reading before counts most. Start from {0}. */
struct slu_ost_io {
	double seen_n, seen_sum; /* in brw_stats */
	double n, sum;		 /* that count */
	double time;
};
/* n disk I/Os of so much (ms, bytes) together are in brw_stats now; the mean,
 * < 0: none is known, or of too few. */
double slu_ost_io_mean(struct slu_ost_io *io, double n, double sum, double now);

/* What the reading before said; start from {0}. */
struct slu_ost_meter {
	uint64_t busy, all; /* CPU ticks */
	uint64_t bytes;	    /* through LNET */
	double time;
	struct slu_ost_moved moved;
	struct slu_stats_meter stats; /* of the targets */
	struct slu_ost_disk {
		char name[64];
		struct slu_ost_io time, size;
	} disk[SLU_STATS_TARGETS];
	size_t n_disk;
};

/* root: "/" is this server. now: seconds of any clock. SLU_NOTFOUND: there are
 * no targets here. Caller puts *out. */
int slu_ost_server_read(const char *root, double now,
			struct slu_ost_meter *meter, struct json_object **out,
			struct slu_err *err);

/* "fs-OST001a" is number 26; -1: no name of a target. */
long slu_ost_index(const char *name);

#endif
