/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_MEASURE_STORAGE_H
#define SLU_SYSMAP_MEASURE_STORAGE_H

/*
 * Measures how fast storage is, for the document "storagespeed": a temporary
 * file without a name is written sequentially, read sequentially, and read in
 * small random pieces, without the page cache. No other data is touched, and
 * limits in bytes and seconds bound the load on other users.
 */

#include <json-c/json.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_MEASURE_BLOCK (1u << 20) /* of the sequential parts */
#define SLU_MEASURE_SMALL 4096	     /* of the random part */

struct slu_measure_limits {
	uint64_t bytes; /* at least a block; never more than a tenth of the free
			   space */
	double seconds; /* of all three parts; one request more may be completed
			 */
};

struct slu_measured {
	uint64_t bytes;	    /* written, and the most that was read */
	double write, read; /* bytes per second, sequential */
	double small_reads; /* per second, one after the other */
	double seconds;	    /* it took */
};

/* Seconds from any beginning. */
typedef double slu_clock_f(void);

/* dir: an open directory of the file system. SLU_INVALID: it does no direct
 * I/O; SLU_NOMEM: it is too full; SLU_DENIED: we may not write there. */
int slu_measure(int dir, const struct slu_measure_limits *limits,
		slu_clock_f *now, struct slu_measured *out,
		struct slu_err *err);

struct json_object *slu_measured_json(const char *path,
				      const struct slu_measure_limits *limits,
				      const struct slu_measured *measured);

#endif
