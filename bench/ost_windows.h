/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_OST_WINDOWS_H
#define SLU_BENCH_OST_WINDOWS_H

/* The imbalance of servers in windows of a second to an hour, and the times to
 * write files, which means over hours do not show. */

#include <stddef.h>
#include <stdint.h>

#define OST_WINDOWS 5 /* 1, 10, 60, 600 and 3,600 s */
extern const uint32_t ost_window_seconds[OST_WINDOWS];

struct ost_series {
	double *value;
	size_t n, cap;
};

struct ost_windows {
	struct ost_series even[OST_WINDOWS]; /* busiest server to mean */
	struct ost_series written;	     /* seconds of a file */
	double *moved[OST_WINDOWS];	     /* of servers, in this window */
};

/* Adds a second in which n servers moved so much. Windows without traffic are
 * left out. */
void ost_windows_second(struct ost_windows *w, const double *moved, uint32_t n,
			uint32_t second);
void ost_series_add(struct ost_series *s, double value);
double ost_series_mean(const struct ost_series *s);
double ost_series_p95(struct ost_series *s); /* sorts it */
void ost_windows_free(struct ost_windows *w);

/* Prints the table for so many targets. */
void ost_run_windows(uint32_t targets, uint32_t per_server, double hours,
		     uint64_t first_seed, size_t runs);

#endif
