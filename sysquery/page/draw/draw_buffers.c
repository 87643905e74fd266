/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the HTML page's section about buffers (job file systems): number by
 * state over time, and timelines of the last ones. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/size.h"
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"
#include "sysquery/page/page.h"

#define STATES 5
#define TOP    24.0
#define BOTTOM 220.0
#define ROW    16.0

static const char *const states[STATES] = {"RUNNING", "STAGE_IN", "STAGE_OUT",
					   "SETUP", "TEARDOWN"};
static const struct slu_legend legend[] = {
	{"SETUP", "set up", SLU_MARK_AREA},
	{"STAGE_IN", "stage in", SLU_MARK_AREA},
	{"RUNNING", "job runs", SLU_MARK_AREA},
	{"STAGE_OUT", "stage out", SLU_MARK_AREA},
	{"TEARDOWN", "torn down", SLU_MARK_AREA},
	{"fail", "failed", SLU_MARK_CROSS},
	{NULL, NULL, SLU_MARK_AREA},
};
static const struct slu_html_column columns[] = {
	{"job", "Job", SLU_COL_PLAIN},
	{"name", "Name", SLU_COL_PLAIN},
	{"user", "User", SLU_COL_PLAIN},
	{"created", "Created", SLU_COL_TIME},
	{"SETUP", "Set up", SLU_COL_SECONDS},
	{"STAGE_IN", "Stage in", SLU_COL_SECONDS},
	{"RUNNING", "Job ran", SLU_COL_SECONDS},
	{"STAGE_OUT", "Stage out", SLU_COL_SECONDS},
	{"TEARDOWN", "Torn down", SLU_COL_SECONDS},
	{"failure", "Failure", SLU_COL_PLAIN},
	{.key = NULL},
};

/* A smaller mean of a column cannot be seen. */
#define SEEN 0.1

static void draw_alive(const struct slu_page *p, struct json_object *bins)
{
	double sum[STATES + 1][SLU_BINS] = {{0}}, most = 0;
	struct slu_scale x = slu_scale_time(p->since, p->now), y;

	for (int s = 0; s < STATES; s++) {
		slu_doc_numbers(bins, states[s], sum[s + 1], SLU_BINS);
		for (int i = 0; i < SLU_BINS; i++) {
			sum[s + 1][i] += sum[s][i];
			most = fmax(most, sum[s + 1][i]);
		}
	}
	y = slu_scale_up(most, SLU_AXIS_NUMBER, BOTTOM, TOP);
	slu_svg_begin(p->out, "alive", "Buffers alive, by phase",
		      "How many buffers there were at a time (means), stacked "
		      "by what they did.",
		      BOTTOM + 50);
	slu_svg_axis_y(p->out, &y, SLU_SVG_RIGHT, SLU_AXIS_NUMBER, "buffers");
	slu_svg_axis_time(p->out, &x, TOP, BOTTOM);
	for (int s = 0; s < STATES; s++)
		slu_svg_area(p->out, states[s], &x, &y, sum[s], sum[s + 1],
			     SLU_BINS);
	slu_svg_legend(p->out, BOTTOM + 42, legend);
	slu_svg_end(p->out);
	if (most < SEEN)
		slu_html_p(p->out, NULL,
			   "They lived so shortly that there was less than "
			   "one in ten moments: see the next picture, or a "
			   "shorter time (--since).");
}

/* From the start of the first of these, with a minimum length. */
static struct slu_scale time_of(const struct slu_page *p,
				struct json_object *list)
{
	double first = (double)p->now - 60, created;

	for (size_t i = 0; i < slu_doc_length(list); i++) {
		created = slu_doc_number(slu_doc_at(list, i), "created");
		if (created > 0)
			first = fmin(first, created);
	}
	first = fmax(first, (double)p->since);
	return (struct slu_scale){fmin(first, (double)p->now - 1),
				  (double)p->now, 190, SLU_SVG_RIGHT, false};
}

static bool is_state(const char *name)
{
	for (int s = 0; s < STATES; s++)
		if (!strcmp(name, states[s]))
			return true;
	return false;
}

static void draw_span(const struct slu_page *p, const struct slu_scale *x,
		      struct json_object *span, double y)
{
	const char *state = slu_doc_text(span, "state");
	double from = slu_doc_number(span, "from");
	double to = slu_doc_number(span, "to");
	char time[SLU_TIME_TEXT], tip[64];
	double at = slu_scale_at(x, from), end = slu_scale_at(x, to);

	if (!is_state(state) || to < x->from)
		return;
	snprintf(tip, sizeof(tip), "%s %s", state,
		 slu_seconds_text(fmax(to - from, 0), time));
	slu_svg_rect(p->out, state, at, y + 2, fmax(end - at, 2), ROW - 4, tip);
}

static void draw_row(const struct slu_page *p, const struct slu_scale *x,
		     struct json_object *row, double y)
{
	struct json_object *spans = slu_doc_list(row, "spans");
	size_t n = slu_doc_length(spans);
	const char *failure = slu_doc_text(row, "failure");
	char *label;
	double at;

	label = slu_asprintf("%s %s", slu_doc_text(row, "job"),
			     slu_doc_text(row, "name"));
	slu_svg_text(p->out, "", x->at - 8, y + 12, "end", 26, label);
	free(label);
	for (size_t i = 0; i < n; i++)
		draw_span(p, x, slu_doc_at(spans, i), y);
	if (!*failure || !n)
		return;
	at = slu_scale_at(x, slu_doc_number(slu_doc_at(spans, n - 1), "to"));
	slu_svg_cross(p->out, "fail", at, y + ROW / 2, 5);
}

/* Adds the length of each phase to the rows, for the table. */
static void add_times(struct json_object *list)
{
	struct json_object *row, *spans, *span;
	const char *state;
	double took;

	for (size_t i = 0; i < slu_doc_length(list); i++) {
		row = slu_doc_at(list, i);
		spans = slu_doc_list(row, "spans");
		for (size_t k = 0; k < slu_doc_length(spans); k++) {
			span = slu_doc_at(spans, k);
			state = slu_doc_text(span, "state");
			if (!is_state(state))
				continue;
			took = slu_doc_number(row, state) +
			       slu_doc_number(span, "to") -
			       slu_doc_number(span, "from");
			json_object_object_add(row, state,
					       json_object_new_double(took));
		}
	}
}

static void draw_timeline(const struct slu_page *p, struct json_object *list)
{
	struct slu_scale x = time_of(p, list);
	size_t n = slu_doc_length(list);
	double bottom = SLU_SVG_ROWS + ROW * (double)n;

	slu_svg_begin(p->out, "lives", "The last buffers and their phases",
		      "A row for each buffer, the newest last: when it was set "
		      "up, staged, used and torn down.",
		      bottom + 50);
	slu_svg_axis_time(p->out, &x, SLU_SVG_ROWS, bottom);
	for (size_t i = 0; i < n; i++)
		draw_row(p, &x, slu_doc_at(list, i),
			 SLU_SVG_ROWS + ROW * (double)i);
	slu_svg_legend(p->out, bottom + 42, legend);
	slu_svg_end(p->out);
}

void slu_draw_buffers(const struct slu_page *p)
{
	struct json_object *buffers = slu_doc_object(p->doc, "buffers");
	struct json_object *list = slu_doc_list(buffers, "timeline");

	if (!list) {
		slu_html_none(p->out, "No buffer in this time.",
			      "Jobs get one with #BB or #DW lines in their "
			      "script (sluice(7)); --since shows an earlier "
			      "time.");
		return;
	}
	slu_html_p(p->out, NULL,
		   "%.0f buffers, of which %.0f failed; the last "
		   "%zu one by one.",
		   slu_doc_number(buffers, "total"),
		   slu_doc_number(buffers, "failed"), slu_doc_length(list));
	draw_alive(p, slu_doc_object(buffers, "bins"));
	draw_timeline(p, list);
	add_times(list);
	slu_html_details(p->out, "The last buffers and their phases", list,
			 columns);
}
