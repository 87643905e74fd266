/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the timeline of a job's file system as text. A column is drawn if the
 * phase covers its middle, so that consecutive phases never share one. */
#include "config.h"
#include "sysquery/cli/timeline.h"

#include <math.h>
#include <string.h>
#include "common/size.h"

#define BESIDE 24 /* columns beside the scale, and one free at the end */
#define LEAST  10

static bool is_time(const struct slu_span *s)
{
	return isfinite(s->began) && isfinite(s->seconds) && s->seconds >= 0;
}

/* The time from the first begin to the last end, s; 0: nothing to draw. */
static double find_length(const struct slu_span *spans, size_t n, double *begin)
{
	double first = INFINITY, last = -INFINITY;

	for (size_t i = 0; i < n; i++) {
		if (!is_time(&spans[i]))
			continue;
		first = fmin(first, spans[i].began);
		last = fmax(last, spans[i].began + spans[i].seconds);
	}
	*begin = first;
	return last > first ? last - first : 0;
}

static int column(double x, int columns)
{
	return x < 0 ? 0 : x >= columns ? columns - 1 : (int)x;
}

/* from, to: in columns. */
static void draw(double from, double to, bool goes_on, int columns,
		 char bar[SLU_TIMELINE_BAR + 1])
{
	bool any = false;

	memset(bar, ' ', (size_t)columns);
	bar[columns] = '\0';
	for (int i = 0; i < columns; i++)
		if (from <= i + 0.5 && i + 0.5 < to) {
			bar[i] = '=';
			any = true;
		}
	if (!any)
		bar[column(from, columns)] = ':';
	if (goes_on)
		bar[column(ceil(to) - 1, columns)] = '>';
}

static int bar_of(size_t width)
{
	if (!width || width >= BESIDE + SLU_TIMELINE_BAR)
		return SLU_TIMELINE_BAR;
	return width > BESIDE + LEAST ? (int)(width - BESIDE) : LEAST;
}

void slu_timeline(const struct slu_span *spans, size_t n, size_t width,
		  struct slu_buf *out)
{
	char bar[SLU_TIMELINE_BAR + 1], time[SLU_TIME_TEXT];
	const int columns = bar_of(width);
	double begin, scale = find_length(spans, n, &begin) / columns;

	if (!(scale > 0))
		return;
	slu_buf_printf(out, "%-9s %10s  a column: %s\n", "PHASE", "TOOK",
		       slu_seconds_text(scale, time));
	for (size_t i = 0; i < n; i++) {
		const struct slu_span *s = &spans[i];

		if (!is_time(s))
			continue;
		draw((s->began - begin) / scale,
		     (s->began - begin + s->seconds) / scale, s->goes_on,
		     columns, bar);
		slu_buf_printf(out, "%-9.9s %10s |%s|\n", s->name,
			       slu_seconds_text(s->seconds, time), bar);
	}
}
