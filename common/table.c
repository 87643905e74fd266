/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two passes: every cell is formatted once into a grid, widths are the widest
 * cell of each column, then lines are written. Widths count characters, not
 * bytes.
 */
#include "config.h"
#include "common/table.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/jsonx.h"
#include "common/size.h"

#define COLUMNS_MAX 64
#define GAP	    2

struct grid {
	const struct slu_column *column[COLUMNS_MAX];
	struct slu_column found[COLUMNS_MAX]; /* when none were given */
	size_t columns, rows;
	char **cell; /* [(row + 1) * columns + column], titles first */
	bool right[COLUMNS_MAX];
};

static void add_found(struct grid *g, const char *key)
{
	for (size_t i = 0; i < g->columns; i++)
		if (strcmp(g->found[i].key, key) == 0)
			return;
	if (g->columns == COLUMNS_MAX)
		return;
	g->found[g->columns] = (struct slu_column){.key = key};
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

static char *time_text(int64_t seconds)
{
	time_t t = (time_t)seconds;
	char text[32];
	struct tm tm;

	if (seconds == 0 || !localtime_r(&t, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		return strdup("-");
	return strdup(text);
}

static char *safe(const char *text)
{
	char *copy = strdup(text);

	return copy ? slu_printable(copy) : NULL;
}

static bool is_number(struct json_object *value)
{
	return json_object_is_type(value, json_type_int) ||
	       json_object_is_type(value, json_type_double);
}

static char *cell_text(struct json_object *value, enum slu_column_type type)
{
	char size[SLU_SIZE_TEXT], seconds[SLU_TIME_TEXT];

	if (!value)
		return strdup("-");
	if (json_object_is_type(value, json_type_string))
		return safe(json_object_get_string(value));
	if (is_number(value)) {
		switch (type) {
		case SLU_COL_ROUND:
			return slu_asprintf("%.6g",
					    json_object_get_double(value));
		case SLU_COL_BYTES:
			return strdup(slu_size_text(
				json_object_get_uint64(value), size));
		case SLU_COL_SECONDS:
			return strdup(slu_seconds_text(
				json_object_get_double(value), seconds));
		case SLU_COL_TIME:
			return time_text(json_object_get_int64(value));
		case SLU_COL_PLAIN:
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

/* Characters of a text: bytes that do not continue one. */
static size_t width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

static void pad(struct slu_buf *out, size_t n)
{
	while (n--)
		slu_buf_add(out, " ", 1);
}

static void write_row(const struct grid *g, char *const *cell,
		      const size_t *widths, struct slu_buf *out)
{
	size_t space;

	for (size_t c = 0; c < g->columns; c++) {
		space = widths[c] - width(cell[c]);
		if (g->right[c])
			pad(out, space);
		slu_buf_puts(out, cell[c]);
		if (c + 1 < g->columns)
			pad(out, (g->right[c] ? 0 : space) + GAP);
	}
	slu_buf_add(out, "\n", 1);
}

static void write_grid(const struct grid *g, struct slu_buf *out)
{
	size_t widths[COLUMNS_MAX] = {0}, w;

	for (size_t i = 0; i < (g->rows + 1) * g->columns; i++) {
		w = width(g->cell[i]);
		if (w > widths[i % g->columns])
			widths[i % g->columns] = w;
	}
	for (size_t r = 0; r <= g->rows; r++)
		write_row(g, g->cell + r * g->columns, widths, out);
}

int slu_table(struct json_object *rows, const struct slu_column *columns,
	      struct slu_buf *out, struct slu_err *err)
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
			write_grid(g, out);
	}
	for (size_t i = 0; g->cell && i < (g->rows + 1) * g->columns; i++)
		free(g->cell[i]);
	free(g->cell);
	free(g);
	if (ret == 0 && out->failed)
		return slu_err(err, SLU_NOMEM, "table");
	return ret;
}
