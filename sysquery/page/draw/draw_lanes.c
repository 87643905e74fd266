/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the chart "I/O nodes by job" of sysquery's HTML page: a row (lane) for
 * each of the last jobs that had I/O nodes, in it a bar (span) for each time
 * with the same number of them, and below the chart the same as a table. Input:
 * the array "lanes" of the page's document.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"

#define ROW 17.0 /* height of a lane, SVG units */

static const struct slu_html_column columns[] = {
	{"job", "Job", SLU_COL_PLAIN},
	{"name", "Name", SLU_COL_PLAIN},
	{"user", "User", SLU_COL_PLAIN},
	{"from", "From", SLU_COL_TIME},
	{"to", "To", SLU_COL_TIME},
	{"most", "I/O nodes, at most", SLU_COL_PLAIN},
	{"predicted_mbps", "Predicted MB/s", SLU_COL_ROUND},
	{"reached_mbps", "Reached MB/s", SLU_COL_ROUND},
	{.key = NULL},
};

/* Adds to a lane the first and last time and the maximum of its spans, for the
 * time axis and the table. */
static void add_ends(struct json_object *lane)
{
	struct json_object *spans = slu_doc_list(lane, "spans"), *span;
	double from = INFINITY, to = 0, most = 0;

	for (size_t i = 0; i < slu_doc_length(spans); i++) {
		span = slu_doc_at(spans, i);
		from = fmin(from, slu_doc_number(span, "from"));
		to = fmax(to, slu_doc_number(span, "to"));
		most = fmax(most, slu_doc_number(span, "ions"));
	}
	if (!lane || isinf(from))
		return;
	json_object_object_add(lane, "from",
			       json_object_new_int64((int64_t)from));
	json_object_object_add(lane, "to", json_object_new_int64((int64_t)to));
	json_object_object_add(lane, "most",
			       json_object_new_int64((int64_t)most));
}

/* The time axis: from the first lane's start, but not before the page's period,
 * until now. */
static struct slu_scale time_of(const struct slu_page *p,
				struct json_object *list)
{
	double first = (double)p->now - 60, from;

	for (size_t i = 0; i < slu_doc_length(list); i++) {
		from = slu_doc_number(slu_doc_at(list, i), "from");
		if (from > 0)
			first = fmin(first, from);
	}
	first = fmax(first, (double)p->since);
	return (struct slu_scale){fmin(first, (double)p->now - 1),
				  (double)p->now, 190, SLU_SVG_RIGHT, false};
}

/* The CSS class of a span's colour; as in the legend below. */
static const char *shade(double ions)
{
	if (ions < 2)
		return "h1";
	if (ions < 4)
		return "h2";
	return ions < 8 ? "h3" : "h4";
}

static void draw_span(const struct slu_page *p, const struct slu_scale *x,
		      struct json_object *span, double y)
{
	double ions = slu_doc_number(span, "ions");
	double at = slu_scale_at(x, slu_doc_number(span, "from"));
	double end = slu_scale_at(x, slu_doc_number(span, "to"));
	char text[32];

	if (slu_doc_number(span, "to") < x->from)
		return;
	snprintf(text, sizeof(text), "%.0f", ions);
	slu_svg_rect(p->out, shade(ions), at, y + 1, fmax(end - at, 1), ROW - 2,
		     NULL);
	if (end - at > 22)
		slu_svg_text(p->out, ions < 4 ? "cell" : "hot", (at + end) / 2,
			     y + 12, "middle", 0, text);
}

static void draw_lane(const struct slu_page *p, const struct slu_scale *x,
		      struct json_object *lane, double y)
{
	struct json_object *spans = slu_doc_list(lane, "spans");
	char *label = slu_asprintf("%s %s", slu_doc_text(lane, "job"),
				   slu_doc_text(lane, "name"));

	slu_svg_text(p->out, "", x->at - 8, y + 13, "end", 26, label);
	for (size_t i = 0; i < slu_doc_length(spans); i++)
		draw_span(p, x, slu_doc_at(spans, i), y);
	free(label);
}

void slu_draw_lanes(const struct slu_page *p, struct json_object *ions)
{
	static const struct slu_legend legend[] = {
		{"h1", "1", SLU_MARK_AREA},
		{"h2", "2 or 3", SLU_MARK_AREA},
		{"h3", "4 to 7", SLU_MARK_AREA},
		{"h4", "8 or more I/O nodes", SLU_MARK_AREA},
		{NULL, NULL, SLU_MARK_AREA},
	};
	struct json_object *list = slu_doc_list(ions, "lanes");
	size_t n = slu_doc_length(list);
	double bottom = SLU_SVG_ROWS + ROW * (double)n;
	struct slu_scale x;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		add_ends(slu_doc_at(list, i));
	x = time_of(p, list);
	slu_svg_begin(
		p->out, "lanes", "I/O nodes by job, the last jobs",
		"A row for each job, the newest last; the number in it is "
		"how many I/O nodes it had.",
		bottom + 50);
	slu_svg_axis_time(p->out, &x, SLU_SVG_ROWS, bottom);
	for (size_t i = 0; i < n; i++)
		draw_lane(p, &x, slu_doc_at(list, i),
			  SLU_SVG_ROWS + ROW * (double)i);
	slu_svg_legend(p->out, bottom + 42, legend);
	slu_svg_end(p->out);
	slu_html_details(p->out, "I/O nodes by job", list, columns);
}
