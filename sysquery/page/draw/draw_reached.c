/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws predicted against measured bandwidths of jobs with I/O nodes. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"

#define TOP    24.0
#define BOTTOM 300.0

static const struct slu_html_column columns[] = {
	{"job", "Job", SLU_COL_PLAIN},
	{"name", "Name", SLU_COL_PLAIN},
	{"user", "User", SLU_COL_PLAIN},
	{"predicted_mbps", "Predicted MB/s", SLU_COL_ROUND},
	{"reached_mbps", "Reached MB/s", SLU_COL_ROUND},
	{.key = NULL},
};

/* A logarithmic scale over the range of all values. */
static struct slu_scale decades(struct json_object *list)
{
	static const char *const keys[] = {"predicted_mbps", "reached_mbps"};
	double low = INFINITY, high = 0, v;

	for (size_t i = 0; i < 2 * slu_doc_length(list); i++) {
		v = slu_doc_number(slu_doc_at(list, i / 2), keys[i % 2]);
		if (v <= 0)
			continue;
		low = fmin(low, v);
		high = fmax(high, v);
	}
	if (!(high > 0))
		low = high = 1;
	low = pow(10, floor(log10(fmax(low, high / 1e6))));
	return (struct slu_scale){low,
				  fmax(pow(10, ceil(log10(high))), low * 10),
				  SLU_SVG_LEFT, 500, true};
}

static void draw_dot(const struct slu_page *p, const struct slu_scale *x,
		     const struct slu_scale *y, struct json_object *run)
{
	double predicted = slu_doc_number(run, "predicted_mbps");
	double reached = slu_doc_number(run, "reached_mbps");
	char *tip;

	if (predicted <= 0 || reached <= 0)
		return;
	tip = slu_asprintf("%s %s: %.4g MB/s, predicted %.4g",
			   slu_doc_text(run, "job"), slu_doc_text(run, "name"),
			   reached, predicted);
	slu_svg_dot(p->out, "dot", slu_scale_at(x, predicted),
		    slu_scale_at(y, reached), tip);
	free(tip);
}

void slu_draw_reached(const struct slu_page *p, struct json_object *ions)
{
	struct json_object *list = slu_doc_list(ions, "runs");
	size_t n = slu_doc_length(list);
	struct slu_scale x = decades(list), y = x;

	if (!n) {
		slu_html_none(p->out, "No job's bandwidth is known.",
			      "The I/O of ended jobs is known where "
			      "sluice-node or a profiler reported it; see "
			      "sysquery(1), jobs.");
		return;
	}
	y.at = BOTTOM;
	y.end = TOP;
	slu_svg_begin(
		p->out, "reached", "Bandwidth: reached against predicted",
		"A point for each job; on the dashed line it reached what "
		"was predicted, above it more.",
		BOTTOM + 40);
	slu_svg_axis_y(p->out, &y, x.end, SLU_AXIS_MBPS, "reached");
	slu_svg_axis_x(p->out, &x, TOP, BOTTOM, SLU_AXIS_MBPS, "predicted");
	slu_svg_line(p->out, "diag", x.at, y.at, x.end, y.end);
	for (size_t i = 0; i < n; i++)
		draw_dot(p, &x, &y, slu_doc_at(list, i));
	slu_svg_end(p->out);
	slu_html_details(p->out, "Reached against predicted", list, columns);
}
