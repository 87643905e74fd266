/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the present state: pools, buffers by phase, held jobs, drained nodes.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "common/size.h"
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"

#define ROW 34.0 /* height of a pool */
#define FEW 12	 /* rows of a table that is not collapsed */

static const struct slu_html_column pool_columns[] = {
	{"name", "Pool", SLU_COL_PLAIN},
	{"total_bytes", "All", SLU_COL_BYTES},
	{"used_bytes", "Used by buffers", SLU_COL_BYTES},
	{"kept_bytes", "Kept data", SLU_COL_BYTES},
	{"free_bytes", "Free on the nodes", SLU_COL_BYTES},
	{.key = NULL},
};
static const struct slu_html_column alive_columns[] = {
	{"job", "Job", SLU_COL_PLAIN},
	{"name", "Name", SLU_COL_PLAIN},
	{"user", "User", SLU_COL_PLAIN},
	{"state", "State", SLU_COL_PLAIN},
	{"since", "Since", SLU_COL_TIME},
	{"nodes", "Nodes", SLU_COL_PLAIN},
	{"capacity_bytes", "Capacity", SLU_COL_BYTES},
	{"filesystem", "File system", SLU_COL_PLAIN},
	{"progress", "Progress", SLU_COL_PLAIN},
	{"failure", "Failure", SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_html_column hold_columns[] = {
	{"job", "Job", SLU_COL_PLAIN},	   {"name", "Name", SLU_COL_PLAIN},
	{"user", "User", SLU_COL_PLAIN},   {"when", "Held", SLU_COL_TIME},
	{"failure", "Why", SLU_COL_PLAIN}, {.key = NULL},
};
static const struct slu_html_column drained_columns[] = {
	{"node", "Node", SLU_COL_PLAIN},
	{"job", "Could not be cleaned after job", SLU_COL_PLAIN},
	{"user", "User", SLU_COL_PLAIN},
	{"since", "Since", SLU_COL_TIME},
	{.key = NULL},
};

static void tile(struct slu_buf *out, size_t n, bool bad, const char *text)
{
	slu_buf_printf(out, "<li%s><b>%zu</b>%s</li>\n",
		       bad && n ? " class=\"bad\"" : "", n, text);
}

static size_t in_state(struct json_object *alive, const char *state)
{
	size_t n = 0;

	for (size_t i = 0; i < slu_doc_length(alive); i++)
		n += !strcmp(slu_doc_text(slu_doc_at(alive, i), "state"),
			     state);
	return n;
}

static void tiles(const struct slu_page *p, struct json_object *alive)
{
	slu_buf_puts(p->out, "<ul class=\"tiles\">\n");
	tile(p->out, slu_doc_length(alive), false, "buffers alive");
	tile(p->out, in_state(alive, "STAGE_IN"), false, "of them stage in");
	tile(p->out, in_state(alive, "RUNNING"), false, "with a running job");
	tile(p->out, in_state(alive, "STAGE_OUT"), false, "stage out");
	tile(p->out, slu_doc_length(slu_doc_list(p->doc, "holds")), true,
	     "held, not run since");
	tile(p->out, slu_doc_length(slu_doc_list(p->doc, "drained")), true,
	     "drains of ours");
	slu_buf_puts(p->out, "</ul>\n");
}

static void pool_bar(struct slu_buf *out, struct json_object *pool, double y)
{
	double total = slu_doc_number(pool, "total_bytes");
	double used = slu_doc_number(pool, "used_bytes");
	double kept = slu_doc_number(pool, "kept_bytes");
	struct slu_scale x = {0, fmax(total, 1), 180, SLU_SVG_RIGHT - 150,
			      false};
	char a[SLU_SIZE_TEXT], b[SLU_SIZE_TEXT], text[96];
	double end = slu_scale_at(&x, used);

	slu_svg_text(out, "", x.at - 8, y + 16, "end", 24,
		     slu_doc_text(pool, "name"));
	slu_svg_rect(out, "back", x.at, y, x.end - x.at, 22, NULL);
	slu_svg_rect(out, "bar", x.at, y, end - x.at, 22, NULL);
	slu_svg_rect(out, "kept", end, y, slu_scale_at(&x, used + kept) - end,
		     22, NULL);
	snprintf(text, sizeof(text), "%s of %s",
		 slu_size_text((uint64_t)fmax(used + kept, 0), a),
		 slu_size_text((uint64_t)fmax(total, 0), b));
	slu_svg_text(out, "label", x.end + 8, y + 16, "start", 0, text);
}

static void pools(const struct slu_page *p)
{
	static const struct slu_legend legend[] = {
		{"bar", "used by buffers", SLU_MARK_AREA},
		{"kept", "kept data of failed stage-outs", SLU_MARK_AREA},
		{"back", "the rest", SLU_MARK_AREA},
		{NULL, NULL, SLU_MARK_AREA},
	};
	struct json_object *list = slu_doc_list(p->doc, "pools");
	size_t n = slu_doc_length(list);

	if (!n) {
		slu_html_none(
			p->out, "No pools.",
			"sluiced knows them, not a database alone (-f): "
			"they are there when sluice.conf has Pool= lines, "
			"slurmctld is connected, and nodes have told what "
			"they have (sysmap --push).");
		return;
	}
	slu_svg_begin(p->out, "pools", "Pools",
		      "A bar for each pool: what buffers use of it, and what "
		      "data of failed stage-outs takes.",
		      ROW * (double)n + 24);
	for (size_t i = 0; i < n; i++)
		pool_bar(p->out, slu_doc_at(list, i), ROW * (double)i);
	slu_svg_legend(p->out, ROW * (double)n + 16, legend);
	slu_svg_end(p->out);
	slu_html_details(p->out, "Pools", list, pool_columns);
}

/* Long tables are collapsed. */
static void table(const struct slu_page *p, const char *caption,
		  struct json_object *list,
		  const struct slu_html_column *columns)
{
	if (slu_doc_length(list) > FEW)
		slu_html_details(p->out, caption, list, columns);
	else
		slu_html_table(p->out, caption, list, columns);
}

void slu_draw_now(const struct slu_page *p)
{
	struct json_object *alive =
		slu_doc_list(slu_doc_object(p->doc, "buffers"), "alive");

	tiles(p, alive);
	pools(p);
	table(p,
	      "Jobs that we held and that have not run since: scontrol "
	      "release JOB",
	      slu_doc_list(p->doc, "holds"), hold_columns);
	table(p,
	      "Nodes that we drained until they are clean: sysquery buffers "
	      "JOB says why",
	      slu_doc_list(p->doc, "drained"), drained_columns);
	table(p, "Buffers that are alive", alive, alive_columns);
}
