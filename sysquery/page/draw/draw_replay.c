/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the result of `sysquery ions --replay`: node hours of the simulated
 * jobs by the number of I/O nodes. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"
#include "sysquery/page/page.h"

#define TOP    24.0
#define BOTTOM 300.0

static double most_of(struct json_object *list, const char *key)
{
	double most = 0;

	for (size_t i = 0; i < slu_doc_length(list); i++)
		most = fmax(most, slu_doc_number(slu_doc_at(list, i), key));
	return most;
}

static void draw_points(struct slu_buf *out, struct json_object *list,
			const struct slu_scale *x, const struct slu_scale *y)
{
	double at_x = 0, at_y = 0;

	for (size_t i = 0; i < slu_doc_length(list); i++) {
		struct json_object *row = slu_doc_at(list, i);
		double pool = slu_doc_number(row, "pool");
		double hours = slu_doc_number(row, "node_hours");
		double to_x = slu_scale_at(x, pool),
		       to_y = slu_scale_at(y, hours);
		char *tip = slu_asprintf("%.0f I/O nodes: %.6g node hours",
					 pool, hours);

		if (i)
			slu_svg_line(out, "l1", at_x, at_y, to_x, to_y);
		slu_svg_dot(out, "dot", to_x, to_y, tip);
		free(tip);
		at_x = to_x;
		at_y = to_y;
	}
}

static void draw(struct slu_buf *out, struct json_object *list)
{
	struct slu_scale x =
		slu_scale_up(most_of(list, "pool"), SLU_AXIS_NUMBER,
			     SLU_SVG_LEFT, SLU_SVG_RIGHT);
	struct slu_scale y = slu_scale_up(most_of(list, "node_hours"),
					  SLU_AXIS_NUMBER, BOTTOM, TOP);

	slu_svg_begin(out, "replay", "Node hours by the number of I/O nodes",
		      "Node hours of the recorded jobs of which it is known "
		      "what they reach, for each number of I/O nodes.",
		      BOTTOM + 40);
	slu_svg_axis_y(out, &y, SLU_SVG_RIGHT, SLU_AXIS_NUMBER, "node hours");
	slu_svg_axis_x(out, &x, TOP, BOTTOM, SLU_AXIS_NUMBER, "I/O nodes");
	draw_points(out, list, &x, &y);
	slu_svg_end(out);
}

static const struct slu_html_column columns[] = {
	{"policy", "Policy", SLU_COL_PLAIN},
	{"pool", "I/O nodes", SLU_COL_PLAIN},
	{"run_hours", "Run hours", SLU_COL_ROUND},
	{"node_hours", "Node hours", SLU_COL_ROUND},
	{"saved", "Saved", SLU_COL_ROUND},
	{"bandwidth", "MB/s of a job", SLU_COL_ROUND},
	{.key = NULL},
};

void slu_page_replay(struct json_object *replay, struct slu_buf *out)
{
	struct json_object *pools = slu_doc_list(replay, "pools");

	slu_draw_alone_begin(out, "I/O nodes, replayed");
	if (pools)
		draw(out, pools);
	slu_html_table(out, "By policy", slu_doc_list(replay, "policies"),
		       columns);
	if (pools)
		slu_html_table(out, "By number of I/O nodes", pools, columns);
	slu_draw_alone_end(out);
}
