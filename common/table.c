/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints a JSON array of objects as a table. Every cell is formatted once into
 * a grid; a column wants the width of its widest cell and gets the one that
 * common/fit.h computes; then lines are written.
 */
#include "config.h"
#include "common/table.h"

#include <stdio.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "common/fit.h"
#include "common/jsonx.h"
#include "common/size.h"
#include "common/width.h"

#define USUAL_WIDTH 80 /* of a terminal of unknown width */

#define COLUMNS_MAX 64
#define GAP	    2
#define LEAST	    10	/* of a text that is cut */
#define LEAST_TEXT  30	/* of a sentence */
#define UNUSED	    256 /* dropped before all others */

struct grid {
	const struct slu_column *column[COLUMNS_MAX];
	struct slu_column found[COLUMNS_MAX]; /* if none were given */
	size_t columns, rows;
	char **cell; /* [(row + 1) * columns + column], titles first */
	bool right[COLUMNS_MAX];
	struct slu_fit fit[COLUMNS_MAX];
	bool color, whole;
};

static void add_found(struct grid *g, const char *key)
{
	for (size_t i = 0; i < g->columns; i++)
		if (strcmp(g->found[i].key, key) == 0)
			return;
	if (g->columns == COLUMNS_MAX)
		return;
	g->found[g->columns] =
		(struct slu_column){.key = key, .drop = (unsigned)g->columns};
	g->column[g->columns] = &g->found[g->columns];
	g->columns++;
}

static int find_columns(struct grid *g, struct json_object *rows,
			const struct slu_column *columns, struct slu_err *err)
{
	struct json_object *row;

	g->rows = json_object_array_length(rows);
	for (; columns && columns->key && g->columns < COLUMNS_MAX; columns++)
		g->column[g->columns++] = columns;
	for (size_t i = 0; i < g->rows; i++) {
		row = json_object_array_get_idx(rows, i);
		if (!json_object_is_type(row, json_type_object))
			return slu_err(err, SLU_INVALID,
				       "row %zu is not an object", i);
		if (columns)
			continue;
		json_object_object_foreach(row, key, value)
		{
			(void)value;
			add_found(g, key);
		}
	}
	return 0;
}

/* A copy that may be shown, and cut. */
static char *safe(const char *text)
{
	char *copy = slu_asprintf("%s" SLU_ELLIPSIS, text);

	if (!copy)
		return NULL;
	copy[strlen(text)] = '\0';
	return slu_printable(copy);
}

static char *time_text(int64_t seconds)
{
	time_t t = (time_t)seconds;
	char text[32];
	struct tm tm;

	if (seconds == 0 || !localtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return safe("-");
	return safe(text);
}

static bool is_number(struct json_object *value)
{
	return json_object_is_type(value, json_type_int) ||
	       json_object_is_type(value, json_type_double);
}

static char *cell_text(struct json_object *value, enum slu_column_type type)
{
	char size[SLU_SIZE_TEXT], seconds[SLU_TIME_TEXT], round[32];

	if (!value)
		return safe("-");
	if (json_object_is_type(value, json_type_string))
		return safe(json_object_get_string(value));
	if (is_number(value)) {
		switch (type) {
		case SLU_COL_ROUND:
			snprintf(round, sizeof(round), "%.6g",
				 json_object_get_double(value));
			return safe(round);
		case SLU_COL_BYTES:
			return safe(slu_size_text(json_object_get_uint64(value),
						  size));
		case SLU_COL_SECONDS:
			return safe(slu_seconds_text(
				json_object_get_double(value), seconds));
		case SLU_COL_TIME:
			return time_text(json_object_get_int64(value));
		case SLU_COL_PLAIN:
		case SLU_COL_TEXT:
			break;
		}
	}
	return safe(slu_json_text(value));
}

static int fill(struct grid *g, struct json_object *rows)
{
	struct json_object *row, *value;
	const char *title;

	g->cell = calloc((g->rows + 1) * g->columns + 1, sizeof(*g->cell));
	if (!g->cell)
		return -1;
	for (size_t c = 0; c < g->columns; c++) {
		title = g->column[c]->title;
		g->cell[c] = safe(title ? title : g->column[c]->key);
		for (char *p = g->cell[c]; g->column[c]->capitals && p && *p;
		     p++)
			*p = (char)toupper((unsigned char)*p);
		for (size_t r = 0; r < g->rows; r++) {
			row = json_object_array_get_idx(rows, r);
			value = json_object_object_get(row, g->column[c]->key);
			g->cell[(r + 1) * g->columns + c] =
				cell_text(value, g->column[c]->type);
			g->right[c] |= is_number(value);
		}
	}
	for (size_t i = 0; i < (g->rows + 1) * g->columns; i++)
		if (!g->cell[i])
			return -1;
	return 0;
}

/* May its cells be cut? */
static bool is_text(const struct grid *g, size_t c)
{
	return !g->right[c] && (g->column[c]->type == SLU_COL_PLAIN ||
				g->column[c]->type == SLU_COL_TEXT);
}

static void want_width(struct grid *g, size_t c)
{
	struct slu_fit *fit = &g->fit[c];
	size_t floor = g->column[c]->type == SLU_COL_TEXT ? LEAST_TEXT : LEAST;
	size_t title = slu_width(g->cell[c]), w;
	bool used = false;

	fit->want = title;
	for (size_t i = g->columns + c; i < (g->rows + 1) * g->columns;
	     i += g->columns) {
		w = slu_width(g->cell[i]);
		if (w > fit->want)
			fit->want = w;
		used |= strcmp(g->cell[i], "-") != 0;
	}
	if (floor < title)
		floor = title;
	fit->least = is_text(g, c) && floor < fit->want ? floor : fit->want;
	fit->drop = g->column[c]->drop + (used || !g->rows ? 0 : UNUSED);
	fit->width = fit->want;
}

static void pad(struct slu_buf *out, size_t n)
{
	while (n--)
		slu_buf_add(out, " ", 1);
}

static void write_cell(const struct grid *g, const char *sgr, const char *text,
		       struct slu_buf *out)
{
	if (!g->color)
		sgr = NULL;
	slu_buf_puts(out, sgr ? sgr : "");
	slu_buf_puts(out, text);
	slu_buf_puts(out, sgr ? "\033[0m" : "");
}

/* NULL: no color. */
static const char *sgr_of(const struct grid *g, size_t row, size_t c,
			  const char *text)
{
	static const char *const sgr[] = {
		[SLU_COLOR_NONE] = NULL,
		[SLU_COLOR_GOOD] = "\033[32m",
		[SLU_COLOR_CAUTION] = "\033[33m",
		[SLU_COLOR_BAD] = "\033[31m",
	};
	slu_color_f *color = g->column[c]->color;

	if (row == 0)
		return "\033[1m";
	return color ? sgr[color(text)] : NULL;
}

static size_t last_shown(const struct grid *g)
{
	size_t c = g->columns - 1;

	while (!g->fit[c].width)
		c--;
	return c;
}

/* Writes a sentence in the last column, on as many lines as it needs. */
static void write_broken(const struct grid *g, size_t c, const char *sgr,
			 const char *text, struct slu_buf *out)
{
	size_t before = 0, n;
	char *line;

	for (size_t i = 0; i < c; i++)
		before += g->fit[i].width ? g->fit[i].width + GAP : 0;
	for (const char *p = text; *p; p += n + strspn(p + n, " ")) {
		n = slu_width_line(p, g->fit[c].width);
		if (p > text) {
			slu_buf_add(out, "\n", 1);
			pad(out, before);
		}
		line = strndup(p, n);
		write_cell(g, sgr, line ? line : "", out);
		out->failed |= !line;
		free(line);
	}
}

static void write_row(const struct grid *g, size_t row, struct slu_buf *out)
{
	size_t last = last_shown(g), space;
	const char *sgr;
	char *cell;

	for (size_t c = 0; c <= last; c++) {
		if (!g->fit[c].width)
			continue;
		cell = g->cell[row * g->columns + c];
		sgr = sgr_of(g, row, c, cell);
		if (c == last && g->whole && g->fit[c].width > 1 &&
		    g->column[c]->type == SLU_COL_TEXT) {
			write_broken(g, c, sgr, cell, out);
			continue;
		}
		slu_width_cut(cell, g->fit[c].width);
		space = g->fit[c].width - slu_width(cell);
		if (g->right[c])
			pad(out, space);
		write_cell(g, sgr, cell, out);
		if (c < last)
			pad(out, (g->right[c] ? 0 : space) + GAP);
	}
	slu_buf_add(out, "\n", 1);
}

/* Writes which columns were dropped, and how to see them. */
static void write_more(const struct grid *g, const struct slu_table_look *look,
		       struct slu_buf *out)
{
	struct slu_buf names = {0};
	const char *comma = "";
	char *line;

	for (size_t c = 0; look->more && c < g->columns; c++) {
		if (g->fit[c].width)
			continue;
		slu_buf_printf(&names, "%s%s", comma, g->cell[c]);
		comma = ", ";
	}
	line = names.data ? slu_asprintf("(%s also shows %s)" SLU_ELLIPSIS,
					 look->more, names.data)
			  : NULL;
	if (line) {
		line[strlen(line) - strlen(SLU_ELLIPSIS)] = '\0';
		slu_width_cut(line, look->width);
		slu_buf_printf(out, "%s\n", line);
	}
	free(line);
	slu_buf_free(&names);
}

static void write_grid(struct grid *g, const struct slu_table_look *look,
		       struct slu_buf *out)
{
	for (size_t c = 0; c < g->columns; c++)
		want_width(g, c);
	if (look && look->width)
		slu_fit(g->fit, g->columns, look->width, GAP);
	g->color = look && look->color;
	g->whole = look && look->whole;
	for (size_t r = 0; r <= g->rows; r++)
		write_row(g, r, out);
	if (look && look->width)
		write_more(g, look, out);
}

/* 0: it is unset, or no width. */
static size_t width_of_environment(void)
{
	const char *text = getenv("COLUMNS");
	long columns = text ? strtol(text, NULL, 10) : 0;

	return columns > 0 && columns < 10000 ? (size_t)columns : 0;
}

size_t slu_table_width(void)
{
	const size_t width = width_of_environment();
	struct winsize size = {0};

	if (width || !isatty(STDOUT_FILENO))
		return width;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return USUAL_WIDTH;
}

int slu_table(struct json_object *rows, const struct slu_column *columns,
	      const struct slu_table_look *look, struct slu_buf *out,
	      struct slu_err *err)
{
	struct grid *g = calloc(1, sizeof(*g));
	int ret = -1;

	if (!g)
		return slu_err(err, SLU_NOMEM, "table");
	if (!json_object_is_type(rows, json_type_array)) {
		slu_err(err, SLU_INVALID, "not an array");
	} else if (find_columns(g, rows, columns, err) == 0) {
		ret = fill(g, rows);
		if (ret)
			slu_err(err, SLU_NOMEM, "table");
		else if (g->columns)
			write_grid(g, look, out);
	}
	for (size_t i = 0; g->cell && i < (g->rows + 1) * g->columns; i++)
		free(g->cell[i]);
	free(g->cell);
	free(g);
	if (ret == 0 && out->failed)
		return slu_err(err, SLU_NOMEM, "table");
	return ret;
}
