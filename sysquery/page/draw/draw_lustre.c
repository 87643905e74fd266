/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the HTML page's section about Lustre's storage targets: used space and
 * load.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/size.h"
#include "sysquery/page/document.h"
#include "sysquery/page/draw/draw.h"

#define CELL 34.0
#define ROW  20.0
#define AT   130.0 /* x of the targets, after the servers' names */
#define LINE ((int)((SLU_SVG_RIGHT - AT) / CELL))

static const struct slu_html_column columns[] = {
	{"name", "Target", SLU_COL_PLAIN},
	{"server", "Server", SLU_COL_PLAIN},
	{"total", "Size", SLU_COL_BYTES},
	{"available", "Available", SLU_COL_BYTES},
	{"read", "Read/s", SLU_COL_BYTES},
	{"write", "Written/s", SLU_COL_BYTES},
	{"left_out", "Not used for new files", SLU_COL_PLAIN},
	{.key = NULL},
};

/* The server's report of a target; NULL: none. */
static struct json_object *said(struct json_object *osts,
				struct json_object *target)
{
	struct json_object *server =
		slu_doc_object(slu_doc_object(osts, "servers"),
			       slu_doc_text(target, "server"));
	struct json_object *list = slu_doc_list(server, "osts"), *one;

	for (size_t i = 0; i < slu_doc_length(list); i++) {
		one = slu_doc_at(list, i);
		if (!strcmp(slu_doc_text(one, "name"),
			    slu_doc_text(target, "name")))
			return one;
	}
	return NULL;
}

static int by_server(const void *a, const void *b)
{
	struct json_object *x = *(struct json_object *const *)a;
	struct json_object *y = *(struct json_object *const *)b;
	int rc = strcmp(slu_doc_text(x, "server"), slu_doc_text(y, "server"));

	return rc ? rc
		  : strcmp(slu_doc_text(x, "name"), slu_doc_text(y, "name"));
}

static void add_number(struct json_object *to, const char *key, double v)
{
	json_object_object_add(to, key, json_object_new_double(v));
}

/* The targets' data for the picture: shares from 0 to 1. */
static struct json_object *targets_of(struct json_object *osts)
{
	struct json_object *list = slu_doc_list(osts, "osts"), *one, *out, *now;
	double total, most = 1;

	out = json_object_new_array();
	for (size_t i = 0; i < slu_doc_length(list); i++) {
		one = slu_doc_at(list, i);
		if (!one)
			continue;
		now = said(osts, one);
		total = fmax(slu_doc_number(one, "total"), 1);
		add_number(one, "full",
			   1 - slu_doc_number(one, "available") / total);
		add_number(one, "read", slu_doc_number(now, "read"));
		add_number(one, "write", slu_doc_number(now, "write"));
		most = fmax(most, slu_doc_number(one, "read") +
					  slu_doc_number(one, "write"));
		json_object_array_add(out, json_object_get(one));
	}
	for (size_t i = 0; i < json_object_array_length(out); i++) {
		one = slu_doc_at(out, i);
		add_number(one, "busy",
			   (slu_doc_number(one, "read") +
			    slu_doc_number(one, "write")) /
				   most);
	}
	json_object_array_sort(out, by_server);
	return out;
}

static void draw_cell(const struct slu_page *p, struct json_object *target,
		      const char *key, double x, double y)
{
	static const char *const class[] = {"h0", "h1", "h2", "h3", "h4"};
	double share = fmin(fmax(slu_doc_number(target, key), 0), 1);
	const char *left_out = slu_doc_text(target, "left_out");
	int shade = (int)fmin(share * 5, 4);
	char text[16], *tip;

	tip = slu_asprintf("%s: %.0f %%%s%s", slu_doc_text(target, "name"),
			   100 * share, *left_out ? ", " : "", left_out);
	slu_svg_rect(p->out, class[shade], x, y, CELL - 2, ROW - 2,
		     tip ? tip : "");
	snprintf(text, sizeof(text), "%s%.0f", *left_out ? "×" : "",
		 100 * share);
	slu_svg_text(p->out, shade >= 3 ? "hot" : "cell", x + CELL / 2 - 1,
		     y + 13, "middle", 0, text);
	free(tip);
}

/* The position of the i-th target: each server begins a line. */
struct place {
	const char *server;
	int line, column;
};
static void next_place(struct place *at, const char *server)
{
	bool begins = !at->server || strcmp(at->server, server) != 0;

	at->column++;
	if (begins || at->column == LINE) {
		at->line++;
		at->column = 0;
	}
	at->server = server;
}

static int lines_of(struct json_object *list)
{
	struct place at = {NULL, -1, -1};

	for (size_t i = 0; i < slu_doc_length(list); i++)
		next_place(&at, slu_doc_text(slu_doc_at(list, i), "server"));
	return at.line + 1;
}

static void draw_map(const struct slu_page *p, struct json_object *list,
		     const char *key, const char *title, const char *text)
{
	struct place at = {NULL, -1, -1};
	struct json_object *one;
	const char *server;
	double y;

	slu_svg_begin(p->out, key, title, text, ROW * lines_of(list) + 4);
	for (size_t i = 0; i < slu_doc_length(list); i++) {
		one = slu_doc_at(list, i);
		server = slu_doc_text(one, "server");
		if (!at.server || strcmp(at.server, server) != 0)
			slu_svg_text(p->out, "", AT - 8,
				     ROW * (at.line + 1) + 13, "end", 18,
				     server);
		next_place(&at, server);
		y = ROW * at.line;
		draw_cell(p, one, key, AT + CELL * at.column, y);
	}
	slu_svg_end(p->out);
}

static bool any_left_out(struct json_object *list)
{
	for (size_t i = 0; i < slu_doc_length(list); i++)
		if (*slu_doc_text(slu_doc_at(list, i), "left_out"))
			return true;
	return false;
}

void slu_draw_lustre(const struct slu_page *p)
{
	struct json_object *osts = slu_doc_object(p->doc, "osts"), *list;
	const char *error = slu_doc_text(p->doc, "osts_error");

	if (!slu_doc_list(osts, "osts")) {
		slu_html_none(
			p->out,
			*error ? error
			       : "No Lustre storage server has reported.",
			"sluice-tbfd --publish on the servers reports to "
			"sluiced, which keeps the reports in memory only: "
			"with -f there are none.");
		return;
	}
	list = targets_of(osts);
	draw_map(p, list, "full", "Space in use, percent of each target",
		 "A line for each server, a cell for each of its targets; a "
		 "cross marks those that get no new files.");
	draw_map(p, list, "busy",
		 "Read and written now, percent of the busiest target",
		 "A line for each server, a cell for each of its targets.");
	if (any_left_out(list))
		slu_html_p(p->out, NULL,
			   "×: gets no new files; the table says why.");
	slu_html_details(p->out, "Storage targets", list, columns);
	json_object_put(list);
}
