/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws predicted against measured run times, by classes of predicted times. */
#include "config.h"
#include <math.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"

#define TOP    24.0
#define BOTTOM 330.0

static const struct slu_html_column columns[] = {
	{"predicted_seconds", "Predicted (median)", SLU_COL_SECONDS},
	{"jobs", "Jobs", SLU_COL_PLAIN},
	{"q10_seconds", "10 % ran less than", SLU_COL_SECONDS},
	{"q25_seconds", "25 %", SLU_COL_SECONDS},
	{"q50_seconds", "Half", SLU_COL_SECONDS},
	{"q75_seconds", "75 %", SLU_COL_SECONDS},
	{"q90_seconds", "90 %", SLU_COL_SECONDS},
	{.key = NULL},
};

/* The range of all values. */
static struct slu_scale times(struct json_object *list)
{
	static const char *const keys[] = {"predicted_seconds", "q10_seconds",
					   "q90_seconds"};
	double low = INFINITY, high = 0, v;

	for (size_t i = 0; i < 3 * slu_doc_length(list); i++) {
		v = slu_doc_number(slu_doc_at(list, i / 3), keys[i % 3]);
		low = fmin(low, fmax(v, 1));
		high = fmax(high, v);
	}
	low = isinf(low) ? 1 : low * 0.6;
	return (struct slu_scale){low, fmax(high * 1.3, low * 10), SLU_SVG_LEFT,
				  560, true};
}

static void draw_class(const struct slu_page *p, const struct slu_scale *x,
		       const struct slu_scale *y, struct json_object *one)
{
	double at = slu_scale_at(x, slu_doc_number(one, "predicted_seconds"));
	double low = slu_scale_at(y, slu_doc_number(one, "q10_seconds"));
	double high = slu_scale_at(y, slu_doc_number(one, "q90_seconds"));
	double a = slu_scale_at(y, slu_doc_number(one, "q25_seconds"));
	double b = slu_scale_at(y, slu_doc_number(one, "q75_seconds"));

	slu_svg_rect(p->out, "band", at - 9, high, 18, fmax(low - high, 1),
		     NULL);
	slu_svg_rect(p->out, "band2", at - 9, b, 18, fmax(a - b, 1), NULL);
	slu_svg_rect(p->out, "mid", at - 12,
		     slu_scale_at(y, slu_doc_number(one, "q50_seconds")) - 2.5,
		     24, 5, NULL);
}

void slu_draw_calibration(const struct slu_page *p, struct json_object *errors)
{
	static const struct slu_legend legend[] = {
		{"band", "80 % of the jobs", SLU_MARK_AREA},
		{"band2", "half of them", SLU_MARK_AREA},
		{"mid", "their median", SLU_MARK_AREA},
		{"diag", "as predicted", SLU_MARK_LINE},
		{NULL, NULL, SLU_MARK_AREA},
	};
	struct json_object *list = slu_doc_list(errors, "calibration");
	struct slu_scale x = times(list), y = x;

	if (!list) {
		slu_html_none(
			p->out, "Too few jobs for a calibration.",
			"It takes five that were predicted about the same "
			"run time.");
		return;
	}
	y.at = BOTTOM;
	y.end = TOP;
	slu_svg_begin(p->out, "calibration",
		      "Calibration: what jobs ran against what was predicted",
		      "Jobs in classes of about the same predicted run time; "
		      "where predictions are right, the median mark of a class "
		      "lies on the dashed line.",
		      BOTTOM + 62);
	slu_svg_axis_y(p->out, &y, x.end, SLU_AXIS_SECONDS, "ran");
	slu_svg_axis_x(p->out, &x, TOP, BOTTOM, SLU_AXIS_SECONDS, "predicted");
	for (size_t i = 0; i < slu_doc_length(list); i++)
		draw_class(p, &x, &y, slu_doc_at(list, i));
	slu_svg_line(p->out, "diag", x.at, y.at, x.end, y.end);
	slu_svg_legend(p->out, BOTTOM + 54, legend);
	slu_svg_end(p->out);
	slu_html_details(p->out, "Calibration", list, columns);
}
