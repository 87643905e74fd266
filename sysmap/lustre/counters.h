/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LUSTRE_COUNTERS_H
#define SLU_LUSTRE_COUNTERS_H

/*
 * Parses the counters of Lustre's servers and targets (2.10 to 2.17): "stats"
 * (of obdfilter), "md_stats" (of mdt), "brw_stats", "lnet/stats"; and of the
 * kernel, /proc/stat and /proc/meminfo. All of them count since they were last
 * cleared.
 */

#include <stdbool.h>
#include <stdint.h>

/* The row "NAME N samples [UNIT] MIN MAX SUM ..." of a text: *samples is N,
 * *sum SUM (0 where the row ends before). False: no such row. */
bool slu_stats_row(const char *text, const char *name, uint64_t *samples,
		   uint64_t *sum);

/* The sum of all samples in a text, without those of bytes, which other rows
 * count already: the number of requests. */
uint64_t slu_stats_requests(const char *text);

/* Does a row (of md_stats, or of job_stats where a ':' ends the name) count a
 * metadata operation as IOMetadata means it: what MDS_REQUEST_PORTAL receives
 * (lustre/mdt/mdt_mds.c), and that no other row counts (samedir_rename)? */
bool slu_stats_is_metadata(const char *row, const char *end);
/* The sum of the samples of these rows of md_stats. */
uint64_t slu_stats_metadata(const char *md_stats);

/* Two histograms of brw_stats. */
#define SLU_OST_IO_TIME "I/O time (1/1000s)"
#define SLU_OST_IO_SIZE "disk I/O size"
/* Reads and writes together: their number and their sum; a bucket counts with
 * its label as the value. */
void slu_ost_io_sum(const char *brw_stats, const char *histogram, double *n,
		    double *sum);
/* Their mean. -1: no I/O in it. */
double slu_ost_io(const char *brw_stats, const char *histogram);

/* Bytes sent and received by this server: the 8th and 9th of 11 numbers. */
bool slu_stats_lnet(const char *text, uint64_t *sent, uint64_t *received);
/* Ticks of all processors: at work, and in all. */
bool slu_stats_cpu(const char *text, uint64_t *busy, uint64_t *all);
/* Percent of the memory that is in use. */
bool slu_stats_memory(const char *text, double *percent);

#endif
