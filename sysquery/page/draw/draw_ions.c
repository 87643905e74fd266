/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws the HTML page's section about I/O nodes: the number in use over time,
 * with predicted and measured bandwidth. */
#include "config.h"
#include <math.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"
#include "sysquery/page/page.h"

#define TOP    24.0
#define BOTTOM 170.0

struct bins {
	double held[SLU_BINS], predicted[SLU_BINS], fixed[SLU_BINS];
	double reached[SLU_BINS];
};

static double most_of(const double *v)
{
	double most = 0;

	for (int i = 0; i < SLU_BINS; i++)
		most = fmax(most, v[i]);
	return most;
}

static void draw_held(const struct slu_page *p, const struct bins *b,
		      double pool)
{
	static const double zero[SLU_BINS];
	struct slu_scale x = slu_scale_time(p->since, p->now);
	struct slu_scale y = slu_scale_up(fmax(most_of(b->held), pool),
					  SLU_AXIS_NUMBER, BOTTOM, TOP);

	slu_svg_begin(p->out, "held", "I/O nodes that jobs had",
		      "How many I/O nodes were assigned to jobs at a time "
		      "(means).",
		      BOTTOM + 26);
	slu_svg_axis_y(p->out, &y, SLU_SVG_RIGHT, SLU_AXIS_NUMBER, "I/O nodes");
	slu_svg_axis_time(p->out, &x, TOP, BOTTOM);
	slu_svg_area(p->out, "held", &x, &y, zero, b->held, SLU_BINS);
	if (pool > 0) {
		slu_svg_line(p->out, "l2", x.at, slu_scale_at(&y, pool), x.end,
			     slu_scale_at(&y, pool));
		slu_svg_text(p->out, "label", x.end, slu_scale_at(&y, pool) - 4,
			     "end", 0, "all that there are");
	}
	slu_svg_end(p->out);
}

static void draw_bandwidth(const struct slu_page *p, const struct bins *b)
{
	static const struct slu_legend legend[] = {
		{"l1", "predicted", SLU_MARK_LINE},
		{"l2", "predicted for STATIC", SLU_MARK_LINE},
		{"l3", "reached by jobs that have ended (mean of their run)",
		 SLU_MARK_LINE},
		{NULL, NULL, SLU_MARK_AREA},
	};
	double most = fmax(most_of(b->predicted), most_of(b->fixed));
	struct slu_scale x = slu_scale_time(p->since, p->now), y;

	y = slu_scale_up(fmax(most, most_of(b->reached)), SLU_AXIS_MBPS, BOTTOM,
			 TOP);
	slu_svg_begin(p->out, "bandwidth", "Bandwidth of jobs with I/O nodes",
		      "Sums over the jobs at a time: predicted for the "
		      "assignment in force, predicted for the policy STATIC, "
		      "and reached.",
		      BOTTOM + 50);
	slu_svg_axis_y(p->out, &y, SLU_SVG_RIGHT, SLU_AXIS_MBPS, "");
	slu_svg_axis_time(p->out, &x, TOP, BOTTOM);
	slu_svg_steps(p->out, "l2", &x, &y, b->fixed, SLU_BINS);
	slu_svg_steps(p->out, "l3", &x, &y, b->reached, SLU_BINS);
	slu_svg_steps(p->out, "l1", &x, &y, b->predicted, SLU_BINS);
	slu_svg_legend(p->out, BOTTOM + 42, legend);
	slu_svg_end(p->out);
}

void slu_draw_ions(const struct slu_page *p)
{
	struct json_object *ions = slu_doc_object(p->doc, "ions");
	struct json_object *bins = slu_doc_object(ions, "bins");
	struct bins b;

	if (slu_doc_number(ions, "events") < 1) {
		slu_html_none(
			p->out, "No I/O nodes were assigned in this time.",
			"They are when sluice.conf names I/O nodes (IONodes); see "
			"sluice.conf(5).");
		return;
	}
	slu_doc_numbers(bins, "held", b.held, SLU_BINS);
	slu_doc_numbers(bins, "predicted_mbps", b.predicted, SLU_BINS);
	slu_doc_numbers(bins, "static_mbps", b.fixed, SLU_BINS);
	slu_doc_numbers(bins, "reached_mbps", b.reached, SLU_BINS);
	slu_html_p(p->out, NULL,
		   "%.0f jobs had I/O nodes of their own, in %.0f assignments.",
		   slu_doc_number(ions, "jobs"),
		   slu_doc_number(ions, "events"));
	draw_held(p, &b, slu_doc_number(ions, "pool"));
	draw_bandwidth(p, &b);
	slu_draw_lanes(p, ions);
	slu_draw_reached(p, ions);
}
