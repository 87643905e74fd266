/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the axes of a chart: ticks at round values, with a grid line at each.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <time.h>
#include "common/size.h"
#include "sysquery/page/svg/svg.h"

#define MINUTE 60
#define HOUR   3600
#define DAY    86400
#define TICKS  9 /* most ticks of a time axis */

static int64_t time_step(double span)
{
	static const int64_t step[] = {
		MINUTE,	  5 * MINUTE, 15 * MINUTE, HOUR,     3 * HOUR,
		6 * HOUR, 12 * HOUR,  DAY,	   2 * DAY,  4 * DAY,
		7 * DAY,  14 * DAY,   30 * DAY,	   91 * DAY, 365 * DAY};
	size_t i = 0;

	while (i + 1 < sizeof(step) / sizeof(step[0]) &&
	       span / (double)step[i] > TICKS)
		i++;
	return step[i];
}

/* The midnight before, in local time. */
static int64_t midnight(int64_t when)
{
	time_t t = (time_t)when;
	struct tm tm;

	if (!localtime_r(&t, &tm))
		return when - when % DAY;
	return when - tm.tm_hour * HOUR - tm.tm_min * MINUTE - tm.tm_sec;
}

static void time_label(int64_t when, int64_t step, char out[16])
{
	time_t t = (time_t)when;
	struct tm tm;

	if (!localtime_r(&t, &tm) ||
	    !strftime(out, 16, step < DAY ? "%m-%d %H:%M" : "%m-%d", &tm))
		snprintf(out, 16, "?");
}

void slu_svg_axis_time(struct slu_buf *out, const struct slu_scale *x,
		       double top, double bottom)
{
	int64_t step = time_step(x->to - x->from), t;
	char label[16];
	double at;

	t = midnight((int64_t)x->from);
	while ((double)t < x->from)
		t += step;
	for (; (double)t <= x->to && (x->to - (double)t) / (double)step < 999;
	     t += step) {
		at = slu_scale_at(x, (double)t);
		slu_svg_line(out, "grid", at, top, at, bottom);
		time_label(t, step, label);
		slu_svg_text(out, "label", at, bottom + 16, "middle", 0, label);
	}
	slu_svg_line(out, "axis", x->at, bottom, x->end, bottom);
}

static void value_label(double v, enum slu_axis kind, char out[SLU_TIME_TEXT])
{
	if (kind == SLU_AXIS_MBPS && v >= 1e6)
		snprintf(out, SLU_TIME_TEXT, "%.4g TB/s", v / 1e6);
	else if (kind == SLU_AXIS_MBPS && v >= 1e3)
		snprintf(out, SLU_TIME_TEXT, "%.4g GB/s", v / 1e3);
	else if (kind == SLU_AXIS_MBPS)
		snprintf(out, SLU_TIME_TEXT, "%.4g MB/s", v);
	else if (kind != SLU_AXIS_SECONDS)
		snprintf(out, SLU_TIME_TEXT, "%.6g", v);
	else if (v >= 2 * DAY)
		snprintf(out, SLU_TIME_TEXT, "%.3g d", v / DAY);
	else if (v >= HOUR)
		snprintf(out, SLU_TIME_TEXT, "%.3g h", v / HOUR);
	else if (v >= MINUTE)
		snprintf(out, SLU_TIME_TEXT, "%.3g min", v / MINUTE);
	else
		snprintf(out, SLU_TIME_TEXT, "%.3g s", v);
}

/* The next tick after v; begins with 0. */
static double next_value(const struct slu_scale *s, enum slu_axis kind,
			 double v)
{
	static const double times[] = {1,	 10,	   MINUTE, 10 * MINUTE,
				       HOUR,	 6 * HOUR, DAY,	   7 * DAY,
				       30 * DAY, INFINITY};
	size_t i = 0;

	if (!s->log)
		return v + s->to / 4;
	if (kind != SLU_AXIS_SECONDS)
		return v > 0 ? v * 10 : pow(10, ceil(log10(s->from) - 1e-9));
	while (times[i] <= v || times[i] < s->from)
		i++;
	return times[i];
}

void slu_svg_axis_y(struct slu_buf *out, const struct slu_scale *y,
		    double right, enum slu_axis kind, const char *label)
{
	char text[SLU_TIME_TEXT];
	double v = y->log ? next_value(y, kind, 0) : 0, at;

	for (; v <= y->to * 1.0001; v = next_value(y, kind, v)) {
		at = slu_scale_at(y, v);
		slu_svg_line(out, "grid", SLU_SVG_LEFT, at, right, at);
		value_label(v, kind, text);
		slu_svg_text(out, "label", SLU_SVG_LEFT - 6, at + 4, "end", 0,
			     text);
	}
	slu_svg_text(out, "label", 2, y->end - 11, "start", 0, label);
}

void slu_svg_axis_x(struct slu_buf *out, const struct slu_scale *x, double top,
		    double bottom, enum slu_axis kind, const char *label)
{
	char text[SLU_TIME_TEXT];
	double v = x->log ? next_value(x, kind, 0) : 0, at;

	for (; v <= x->to * 1.0001; v = next_value(x, kind, v)) {
		at = slu_scale_at(x, v);
		slu_svg_line(out, "grid", at, top, at, bottom);
		value_label(v, kind, text);
		slu_svg_text(out, "label", at, bottom + 16, "middle", 0, text);
	}
	slu_svg_line(out, "axis", x->at, bottom, x->end, bottom);
	slu_svg_text(out, "label", x->end, bottom + 32, "end", 0, label);
}
