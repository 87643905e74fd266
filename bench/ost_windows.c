/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/ost: sums up what each server moves in each window of time, and
 * at a window's end adds the ratio of the busiest server to the mean to a
 * series.
 */
#include "config.h"
#include "bench/ost_windows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/measure.h"
#include "bench/ost.h"

const uint32_t ost_window_seconds[OST_WINDOWS] = {1, 10, 60, 600, 3600};

void ost_series_add(struct ost_series *s, double value)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		s->value = realloc(s->value, s->cap * sizeof(*s->value));
		if (!s->value)
			ost_die("no memory");
	}
	s->value[s->n++] = value;
}

double ost_series_mean(const struct ost_series *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->value[i];
	return s->n ? sum / (double)s->n : 0;
}

double ost_series_p95(struct ost_series *s)
{
	if (s->n == 0)
		return 0;
	qsort(s->value, s->n, sizeof(*s->value), bench_by_value);
	return s->value[s->n * 95 / 100];
}

/* Busiest server to mean, 0: none did anything; and begin anew. */
static double close_window(struct ost_series *even, double *moved, uint32_t n)
{
	double sum = 0, most = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += moved[i];
		most = moved[i] > most ? moved[i] : most;
		moved[i] = 0;
	}
	if (sum <= 0)
		return 0;
	ost_series_add(even, most * n / sum);
	return most * n / sum;
}

static void note_alike(struct ost_windows *w, uint32_t stripes, double even)
{
	if (even <= 0 || stripes >= OST_UNDER_WAY)
		return;
	w->alike[stripes].n++;
	w->alike[stripes].even += even;
}

#define SELDOM 20 /* seconds */

double ost_windows_alike(const struct ost_windows *w,
			 const struct ost_windows *others)
{
	double mine = 0, theirs = 0;

	for (uint32_t k = 0; k < OST_UNDER_WAY; k++) {
		const struct ost_alike *a = &w->alike[k];
		const struct ost_alike *b = &others->alike[k];

		if (a->n < SELDOM || b->n < SELDOM)
			continue;
		mine += a->even / a->n * b->n;
		theirs += b->even;
	}
	return theirs > 0 ? mine / theirs : 0;
}

void ost_windows_second(struct ost_windows *w, const double *moved, uint32_t n,
			uint32_t stripes, uint32_t second)
{
	double even;

	for (int k = 0; k < OST_WINDOWS; k++) {
		if (!w->moved[k])
			w->moved[k] = calloc(n, sizeof(double));
		if (!w->moved[k])
			ost_die("no memory");
		for (uint32_t i = 0; i < n; i++)
			w->moved[k][i] += moved[i];
		if ((second + 1) % ost_window_seconds[k])
			continue;
		even = close_window(&w->even[k], w->moved[k], n);
		if (k == 0)
			note_alike(w, stripes, even);
	}
}

void ost_windows_free(struct ost_windows *w)
{
	for (int k = 0; k < OST_WINDOWS; k++) {
		free(w->even[k].value);
		free(w->moved[k]);
	}
	free(w->written.value);
	*w = (struct ost_windows){0};
}

static void print_row(const char *name, struct ost_windows *w,
		      const struct ost_windows *first)
{
	double alike = ost_windows_alike(w, first);

	printf("%-12s", name);
	for (int k = 0; k < OST_WINDOWS; k++)
		printf(" %6.3f %6.3f", ost_series_mean(&w->even[k]),
		       ost_series_p95(&w->even[k]));
	printf(" %7.2f %7.2f", ost_series_mean(&w->written),
	       ost_series_p95(&w->written));
	printf(alike > 0 ? " %7.3f\n" : "       -\n", alike);
	fflush(stdout);
}

static void print_head(uint32_t targets, double hours, double busy)
{
	printf("\n%u targets, %g hours, busy for %g of the time: busiest server "
	       "to mean (mean, p95) in windows of so many seconds; seconds to "
	       "write a file; and of seconds with as many stripes under way, as "
	       "a ratio to the first\n%-12s",
	       targets, hours, busy, "");
	for (int k = 0; k < OST_WINDOWS; k++)
		printf(" %13u", ost_window_seconds[k]);
	printf(" %15s %7s\n", "file, p95", "alike");
}

void ost_run_windows(uint32_t targets, uint32_t per_server, double hours,
		     uint64_t first_seed, size_t runs)
{
	static const struct {
		enum ost_allocator by;
		const char *name;
	} kind[] = {{ROUND_ROBIN, "round-robin"}, {QOS, "QOS"},
		    {FLOW_RAW, "flow, raw"},	  {FLOW, "flow"},
		    {OURS, "ours jointly"},	  {SHIPPED, "ours"}};
	static const double busy[] = {0.1, 0.3, 0.5, 0.7};

	for (size_t b = 0; b < 4; b++) {
		static struct ost_windows w[sizeof(kind) / sizeof(*kind)];

		print_head(targets, hours, busy[b]);
		for (size_t i = 0; i < sizeof(kind) / sizeof(*kind); i++) {
			static struct ost_outcome o;

			o.windows = &w[i];
			for (size_t run = 0; run < runs; run++)
				ost_simulate(kind[i].by, targets, per_server,
					     hours, busy[b], first_seed + run,
					     &o);
			print_row(kind[i].name, &w[i], &w[0]);
		}
		for (size_t i = 0; i < sizeof(kind) / sizeof(*kind); i++)
			ost_windows_free(&w[i]);
	}
}
