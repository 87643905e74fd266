/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws which share of their time limit jobs used: of the requested limit and
 * of the granted one. */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"

#define TENTHS 11
#define TOP    24.0
#define BOTTOM 200.0

static const struct slu_html_column columns[] = {
	{"user", "User", SLU_COL_PLAIN},
	{"jobs", "Jobs", SLU_COL_PLAIN},
	{"asked_node_hours", "Asked for, node-hours", SLU_COL_PLAIN},
	{"granted_node_hours", "Granted", SLU_COL_PLAIN},
	{"used_node_hours", "Used", SLU_COL_PLAIN},
	{"timeouts", "Ended at the limit", SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_html_column tenth_columns[] = {
	{"share", "Used of the limit", SLU_COL_PLAIN},
	{"asked", "Jobs, of what was asked for", SLU_COL_PLAIN},
	{"granted", "Jobs, of what was granted", SLU_COL_PLAIN},
	{.key = NULL},
};

static void label_of(int i, char out[16])
{
	if (i == TENTHS - 1)
		snprintf(out, 16, "more");
	else
		snprintf(out, 16, "%d–%d %%", i * 10, i * 10 + 10);
}

static void bars(const struct slu_page *p, const struct slu_scale *y, int i,
		 double asked, double granted)
{
	double width = (SLU_SVG_RIGHT - SLU_SVG_LEFT) / TENTHS;
	double x = SLU_SVG_LEFT + width * i, top = slu_scale_at(y, granted);
	char label[16];

	slu_svg_rect(p->out, "bar", x + 8, top, width / 2 - 10, BOTTOM - top,
		     NULL);
	top = slu_scale_at(y, asked);
	slu_svg_rect(p->out, "bar2", x + width / 2, top, width / 2 - 10,
		     BOTTOM - top, NULL);
	label_of(i, label);
	slu_svg_text(p->out, "label", x + width / 2, BOTTOM + 16, "middle", 0,
		     label);
}

static struct json_object *rows_of(const double *asked, const double *granted)
{
	struct json_object *rows = json_object_new_array(), *row;
	char label[16];

	for (int i = 0; i < TENTHS; i++) {
		row = json_object_new_object();
		label_of(i, label);
		json_object_object_add(row, "share",
				       json_object_new_string(label));
		json_object_object_add(row, "asked",
				       json_object_new_double(asked[i]));
		json_object_object_add(row, "granted",
				       json_object_new_double(granted[i]));
		json_object_array_add(rows, row);
	}
	return rows;
}

static void draw(const struct slu_page *p, const double *asked,
		 const double *granted)
{
	static const struct slu_legend legend[] = {
		{"bar", "of the limit that was granted", SLU_MARK_AREA},
		{"bar2", "of the limit that was asked for", SLU_MARK_AREA},
		{NULL, NULL, SLU_MARK_AREA},
	};
	struct json_object *rows = rows_of(asked, granted);
	struct slu_scale y;
	double most = 0;

	for (int i = 0; i < TENTHS; i++)
		most = fmax(most, fmax(asked[i], granted[i]));
	y = slu_scale_up(most, SLU_AXIS_NUMBER, BOTTOM, TOP);
	slu_svg_begin(p->out, "used", "How much of their limits jobs used",
		      "Numbers of jobs by the share of their limit that they "
		      "used, in tenths.",
		      BOTTOM + 50);
	slu_svg_axis_y(p->out, &y, SLU_SVG_RIGHT, SLU_AXIS_NUMBER, "jobs");
	for (int i = 0; i < TENTHS; i++)
		bars(p, &y, i, asked[i], granted[i]);
	slu_svg_line(p->out, "axis", SLU_SVG_LEFT, BOTTOM, SLU_SVG_RIGHT,
		     BOTTOM);
	slu_svg_legend(p->out, BOTTOM + 42, legend);
	slu_svg_end(p->out);
	slu_html_details(p->out, "Use of limits", rows, tenth_columns);
	json_object_put(rows);
}

void slu_draw_limits(const struct slu_page *p)
{
	struct json_object *limits = slu_doc_object(p->doc, "limits");
	double asked[TENTHS], granted[TENTHS];

	if (slu_doc_number(limits, "jobs") < 1) {
		slu_html_none(
			p->out, "No job with a limit ended in this time.",
			"Ended jobs are kept for HistoryDays "
			"(sluice.conf(5)); those of before can be brought "
			"with sysquery import.");
		return;
	}
	slu_doc_numbers(limits, "asked", asked, TENTHS);
	slu_doc_numbers(limits, "granted", granted, TENTHS);
	draw(p, asked, granted);
	slu_html_details(p->out,
			 "Users, those first who left most of what was granted "
			 "unused",
			 slu_doc_list(limits, "user"), columns);
}
