/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_OST_WINDOWS_H
#define SLU_BENCH_OST_WINDOWS_H

/*
 * Measures what means over hours do not show in the simulation of bench/ost:
 * the imbalance of servers in windows of a second to an hour, and the times to
 * write files.
 */

#include <stddef.h>
#include <stdint.h>

#define OST_WINDOWS 5 /* 1, 10, 60, 600 and 3,600 s */
extern const uint32_t ost_window_seconds[OST_WINDOWS];

struct ost_series {
	double *value;
	size_t n, cap;
};

#define OST_UNDER_WAY 4096 /* numbers of stripes that are counted */

struct ost_windows {
	struct ost_series even[OST_WINDOWS]; /* busiest server to mean */
	struct ost_series written;	     /* seconds of a file */
	double *moved[OST_WINDOWS];	     /* of servers, in this window */
	/* Of windows of a second, by the number of stripes that move: a
	 * strategy that writes files sooner has fewer stripes at a time, and so
	 * is less even. */
	struct ost_alike {
		double n, even; /* how many, and their sum */
	} alike[OST_UNDER_WAY];
};

/* A second has passed, in which n servers moved so much, with so many stripes
 * under way. Windows in which nothing was moved are left out. */
void ost_windows_second(struct ost_windows *w, const double *moved, uint32_t n,
			uint32_t stripes, uint32_t second);
/* How even the seconds were, as a ratio to those of others with as many stripes
 * under way; each number of stripes counts as often as others had it, unless
 * one of the two hardly ever had it. 0: none was alike. */
double ost_windows_alike(const struct ost_windows *w,
			 const struct ost_windows *others);
void ost_series_add(struct ost_series *s, double value);
double ost_series_mean(const struct ost_series *s);
double ost_series_p95(struct ost_series *s); /* sorts it */
void ost_windows_free(struct ost_windows *w);

/* Prints the table for so many targets. */
void ost_run_windows(uint32_t targets, uint32_t per_server, double hours,
		     uint64_t first_seed, size_t runs);

#endif
