/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the result of `sysquery backtest`: errors by week and user, whether
 * quantiles held, and for each PredictMode what became of limits and how long
 * jobs waited.
 */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"
#include "sysquery/page/page.h"

#define TOP    24.0
#define BOTTOM 200.0
#define SQUARE 330.0 /* bottom of a picture as wide as it is high */
#define WIDEST 220.0 /* a mode's part of a picture */
#define LEAST  2.0   /* bars that it has room for */

struct bar {
	const char *class, *key, *text;
};
static const struct bar limits[] = {
	{"bar", "lowered", "limits below the request"},
	{"band2", "raised", "above the default"},
	{"bar2", "extended", "extended again"},
	{"wrong", "cut", "extended too late"},
};
static const struct bar waits[] = {{"bar", "wait", "mean wait"}};

static const struct slu_html_column mode_columns[] = {
	{"mode", "PredictMode", SLU_COL_PLAIN},
	{"jobs", "Jobs", SLU_COL_PLAIN},
	{"lowered", "Limits below the request", SLU_COL_PLAIN},
	{"raised", "Above the default", SLU_COL_PLAIN},
	{"extended", "Extended again", SLU_COL_PLAIN},
	{"late", "With less than a minute left", SLU_COL_PLAIN},
	{"cut", "Too late", SLU_COL_PLAIN},
	{"freed", "Hours not booked", SLU_COL_PLAIN},
	{"wait", "Mean wait", SLU_COL_SECONDS},
	{"longest_wait", "Longest", SLU_COL_SECONDS},
	{"slowdown", "Slowdown", SLU_COL_PLAIN},
	{"delayed", "Planned starts put off", SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_html_column share_columns[] = {
	{"share", "Share that should end within", SLU_COL_PLAIN},
	{"below", "That did", SLU_COL_PLAIN},
	{"worst", "Off by, in the worst week", SLU_COL_PLAIN},
	{"week", "Week of", SLU_COL_PLAIN},
	{.key = NULL},
};

static double most_of(struct json_object *modes, const struct bar *bar,
		      size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n * slu_doc_length(modes); i++)
		most = fmax(most, slu_doc_number(slu_doc_at(modes, i / n),
						 bar[i % n].key));
	return most;
}

/* The bars of one mode, and its name below. */
static void draw_mode(struct slu_buf *out, const struct slu_scale *y,
		      struct json_object *mode, const struct bar *bar, size_t n,
		      double x, double width)
{
	double each = width * 0.8 / fmax((double)n, LEAST);
	double left = x + (width - each * (double)n) / 2;

	for (size_t i = 0; i < n; i++) {
		double value = slu_doc_number(mode, bar[i].key);
		double top = slu_scale_at(y, value);
		char *tip = slu_asprintf("%s: %.0f", bar[i].text, value);

		slu_svg_rect(out, bar[i].class, left + each * (double)i, top,
			     each * 0.9, BOTTOM - top, tip);
		free(tip);
	}
	slu_svg_text(out, "label", x + width / 2, BOTTOM + 16, "middle", 0,
		     slu_doc_text(mode, "mode"));
}

static void draw_modes(struct slu_buf *out, struct json_object *modes,
		       enum slu_axis axis, const struct bar *bar, size_t n)
{
	struct slu_scale y =
		slu_scale_up(most_of(modes, bar, n), axis, BOTTOM, TOP);
	double width = fmin((SLU_SVG_RIGHT - SLU_SVG_LEFT) /
				    (double)slu_doc_length(modes),
			    WIDEST);

	slu_svg_axis_y(out, &y, SLU_SVG_RIGHT, axis, "");
	for (size_t i = 0; i < slu_doc_length(modes); i++)
		draw_mode(out, &y, slu_doc_at(modes, i), bar, n,
			  SLU_SVG_LEFT + width * (double)i, width);
	slu_svg_line(out, "axis", SLU_SVG_LEFT, BOTTOM, SLU_SVG_RIGHT, BOTTOM);
}

static void draw_limits(struct slu_buf *out, struct json_object *modes)
{
	static const struct slu_legend legend[] = {
		{"bar", "limits below the request", SLU_MARK_AREA},
		{"band2", "above the default", SLU_MARK_AREA},
		{"bar2", "extended again", SLU_MARK_AREA},
		{"wrong", "extended too late", SLU_MARK_AREA},
		{NULL, NULL, SLU_MARK_AREA},
	};

	slu_svg_begin(
		out, "granted", "Limits that would have been granted",
		"For each PredictMode numbers of jobs: with a limit below "
		"the request, above the default, extended again, and "
		"extended too late.",
		BOTTOM + 50);
	draw_modes(out, modes, SLU_AXIS_NUMBER, limits,
		   sizeof(limits) / sizeof(limits[0]));
	slu_svg_legend(out, BOTTOM + 42, legend);
	slu_svg_end(out);
}

static void draw_waits(struct slu_buf *out, struct json_object *modes)
{
	slu_svg_begin(out, "waits", "Mean wait, simulated",
		      "For each PredictMode how long jobs would have waited; "
		      "advise changes no limit.",
		      BOTTOM + 30);
	draw_modes(out, modes, SLU_AXIS_SECONDS, waits, 1);
	slu_svg_end(out);
	slu_html_details(out, "PredictModes", modes, mode_columns);
}

static void draw_shares(struct slu_buf *out, struct json_object *list)
{
	struct slu_scale x = {0, 1, SLU_SVG_LEFT, 560, false};
	struct slu_scale y = {0, 1, SQUARE, TOP, false};

	slu_svg_begin(out, "shares", "Whether quantiles held",
		      "The share of jobs that ended within each quantile of "
		      "their predictions; right are those on the dashed line.",
		      SQUARE + 40);
	slu_svg_axis_y(out, &y, x.end, SLU_AXIS_NUMBER, "ended within it");
	slu_svg_axis_x(out, &x, TOP, SQUARE, SLU_AXIS_NUMBER, "quantile");
	slu_svg_line(out, "diag", x.at, y.at, x.end, y.end);
	for (size_t i = 0; i < slu_doc_length(list); i++) {
		struct json_object *one = slu_doc_at(list, i);

		slu_svg_dot(out, "dot",
			    slu_scale_at(&x, slu_doc_number(one, "share")),
			    slu_scale_at(&y, slu_doc_number(one, "below")),
			    NULL);
	}
	slu_svg_end(out);
	slu_html_details(out, "Quantiles", list, share_columns);
}

static void draw_errors(struct slu_buf *out, struct json_object *errors)
{
	const struct slu_page page = {.out = out};
	struct json_object *weeks = slu_doc_list(errors, "week");
	struct json_object *users = slu_doc_list(errors, "user"), *copy = NULL;

	if (weeks)
		slu_draw_error_weeks(&page, weeks);
	if (users && json_object_deep_copy(users, &copy, NULL) == 0)
		slu_draw_error_users(&page, copy); /* sorted by it */
	json_object_put(copy);
}

void slu_page_backtest(struct json_object *answer, struct slu_buf *out)
{
	struct json_object *calibration = slu_doc_list(answer, "calibration");
	struct json_object *modes = slu_doc_list(answer, "modes");

	slu_draw_alone_begin(out, "PredictModes, tried on the past");
	slu_html_p(out, NULL,
		   "%.0f jobs, %.0f of which are judged; waiting is simulated "
		   "on %.0f %s.",
		   slu_doc_number(answer, "jobs"),
		   slu_doc_number(answer, "judged"),
		   slu_doc_number(answer, "machine"),
		   slu_doc_text(answer, "unit"));
	draw_errors(out, slu_doc_object(answer, "errors"));
	if (calibration)
		draw_shares(out, calibration);
	if (modes) {
		draw_limits(out, modes);
		draw_waits(out, modes);
	}
	slu_draw_alone_end(out);
}
