/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the errors of predicted run times, by week and by user. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"

#define TOP    24.0
#define BOTTOM 190.0
#define USERS  20
#define ROW    20.0
#define LABEL  74.0 /* wide */

static const struct slu_legend legend[] = {
	{"bar", "median error of the prediction", SLU_MARK_AREA},
	{"bar2", "median error of what was asked for", SLU_MARK_AREA},
	{NULL, NULL, SLU_MARK_AREA},
};

#define REST                                                               \
	{"jobs", "Jobs", SLU_COL_PLAIN},                                   \
		{"median_error", "Median error", SLU_COL_SECONDS},         \
		{"mean_error", "Mean error", SLU_COL_SECONDS},             \
		{"median_error_asked", "Of the request", SLU_COL_SECONDS}, \
		{"under", "Ran longer (share)", SLU_COL_ROUND},            \
		{"tightened", "Limits tightened", SLU_COL_PLAIN},          \
		{"extended", "Extended again", SLU_COL_PLAIN},             \
		{NULL, NULL, SLU_COL_PLAIN},
static const struct slu_html_column week_columns[] = {
	{"week", "Week of", SLU_COL_PLAIN}, REST};
static const struct slu_html_column user_columns[] = {
	{"user", "User", SLU_COL_PLAIN}, REST};

/* The largest error of the first n. */
static double most_error(struct json_object *list, size_t n)
{
	struct json_object *one;
	double most = 1;

	for (size_t i = 0; i < n; i++) {
		one = slu_doc_at(list, i);
		most = fmax(most, slu_doc_number(one, "median_error"));
		most = fmax(most, slu_doc_number(one, "median_error_asked"));
	}
	return most;
}

static void week_bars(const struct slu_page *p, const struct slu_scale *y,
		      struct json_object *week, double x, double width)
{
	double ours = slu_scale_at(y, slu_doc_number(week, "median_error"));
	double asked =
		slu_scale_at(y, slu_doc_number(week, "median_error_asked"));

	slu_svg_rect(p->out, "bar", x + width * 0.15, ours, width * 0.33,
		     BOTTOM - ours, NULL);
	slu_svg_rect(p->out, "bar2", x + width * 0.5, asked, width * 0.33,
		     BOTTOM - asked, NULL);
}

/* Those of all weeks, or of every so manieth that they have room. */
static void week_labels(const struct slu_page *p, struct json_object *list,
			double width)
{
	size_t step = (size_t)ceil(LABEL / width);

	for (size_t i = 0; i < slu_doc_length(list); i += step)
		slu_svg_text(p->out, "label",
			     SLU_SVG_LEFT + width * ((double)i + 0.5),
			     BOTTOM + 16, "middle", 0,
			     slu_doc_text(slu_doc_at(list, i), "week"));
}

void slu_draw_error_weeks(const struct slu_page *p, struct json_object *list)
{
	size_t n = slu_doc_length(list);
	struct slu_scale y = slu_scale_up(most_error(list, n), SLU_AXIS_SECONDS,
					  BOTTOM, TOP);
	double width = fmin((SLU_SVG_RIGHT - SLU_SVG_LEFT) / (double)n, 140);

	slu_svg_begin(p->out, "weeks", "Errors of predicted run times, by week",
		      "Two bars for each week in which jobs ended: how far off "
		      "the prediction was, and how far off the limit that was "
		      "asked for.",
		      BOTTOM + 50);
	slu_svg_axis_y(p->out, &y, SLU_SVG_RIGHT, SLU_AXIS_SECONDS, "");
	for (size_t i = 0; i < n; i++)
		week_bars(p, &y, slu_doc_at(list, i),
			  SLU_SVG_LEFT + width * (double)i, width);
	week_labels(p, list, width);
	slu_svg_line(p->out, "axis", SLU_SVG_LEFT, BOTTOM, SLU_SVG_RIGHT,
		     BOTTOM);
	slu_svg_legend(p->out, BOTTOM + 42, legend);
	slu_svg_end(p->out);
	slu_html_details(p->out, "Errors by week", list, week_columns);
}

static int by_jobs(const void *a, const void *b)
{
	struct json_object *x = *(struct json_object *const *)a;
	struct json_object *y = *(struct json_object *const *)b;
	double n = slu_doc_number(x, "jobs"), m = slu_doc_number(y, "jobs");

	if (n != m)
		return n < m ? 1 : -1;
	return strcmp(slu_doc_text(x, "user"), slu_doc_text(y, "user"));
}

static void user_bars(const struct slu_page *p, const struct slu_scale *x,
		      struct json_object *user, double y)
{
	double ours = slu_scale_at(x, slu_doc_number(user, "median_error"));
	double asked =
		slu_scale_at(x, slu_doc_number(user, "median_error_asked"));

	slu_svg_text(p->out, "", x->at - 8, y + 13, "end", 20,
		     slu_doc_text(user, "user"));
	slu_svg_rect(p->out, "bar", x->at, y + 2, ours - x->at, 7, NULL);
	slu_svg_rect(p->out, "bar2", x->at, y + 10, asked - x->at, 7, NULL);
}

/* The users with the most jobs. */
void slu_draw_error_users(const struct slu_page *p, struct json_object *list)
{
	size_t n = slu_doc_length(list) < USERS ? slu_doc_length(list) : USERS;
	double bottom = SLU_SVG_ROWS + ROW * (double)n;
	struct slu_scale x;

	json_object_array_sort(list, by_jobs);
	x = slu_scale_up(most_error(list, n), SLU_AXIS_SECONDS, 160,
			 SLU_SVG_RIGHT);
	slu_svg_begin(p->out, "users", "The same by user, those with most jobs",
		      "Two bars for each user: how far off predictions were, "
		      "and how far off what was asked for.",
		      bottom + 60);
	slu_svg_axis_x(p->out, &x, SLU_SVG_ROWS, bottom, SLU_AXIS_SECONDS, "");
	for (size_t i = 0; i < n; i++)
		user_bars(p, &x, slu_doc_at(list, i),
			  SLU_SVG_ROWS + ROW * (double)i);
	slu_svg_legend(p->out, bottom + 50, legend);
	slu_svg_end(p->out);
	slu_html_details(p->out, "Errors by user", list, user_columns);
}

void slu_draw_errors(const struct slu_page *p)
{
	struct json_object *errors = slu_doc_object(p->doc, "errors");
	struct json_object *weeks = slu_doc_list(errors, "week");
	struct json_object *users = slu_doc_list(errors, "user");

	if (!weeks || slu_doc_number(errors, "jobs") < 1) {
		slu_html_none(
			p->out, "No job that ended had a prediction.",
			"Jobs have one when PredictMode in sluice.conf is "
			"not off, job_submit/sluice is in slurm.conf and jobs "
			"like them have ended before; what was imported has "
			"none.");
		return;
	}
	slu_html_p(p->out, NULL,
		   "%.0f jobs; %.1f %% of them ran longer than predicted (a "
		   "prediction is meant as the middle: half would be right).",
		   slu_doc_number(errors, "jobs"),
		   100 * slu_doc_number(errors, "under"));
	slu_draw_error_weeks(p, weeks);
	if (users)
		slu_draw_error_users(p, users);
	slu_draw_calibration(p, errors);
}
