/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes HTML text, escaped, and tables. */
#include "config.h"
#include "sysquery/page/svg/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/jsonx.h"
#include "common/size.h"

#define ROWS 500 /* most rows of a table */

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	}
	return "&#39;";
}

static void escape(struct slu_buf *out, const char *p)
{
	size_t n;

	for (; *p; p += n) {
		n = strcspn(p, "&<>\"'");
		slu_buf_add(out, p, n);
		if (!p[n])
			return;
		slu_buf_puts(out, entity(p[n]));
		n++;
	}
}

void slu_html_text(struct slu_buf *out, const char *text)
{
	char *copy = strdup(text ? text : "");

	if (copy)
		escape(out, slu_one_line(copy));
	else
		out->failed = true;
	free(copy);
}

static void vtext(struct slu_buf *out, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0) {
		out->failed = true;
		return;
	}
	slu_html_text(out, text);
	free(text);
}

void slu_html_printf(struct slu_buf *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vtext(out, fmt, ap);
	va_end(ap);
}

void slu_html_p(struct slu_buf *out, const char *class, const char *fmt, ...)
{
	va_list ap;

	if (class)
		slu_buf_printf(out, "<p class=\"%s\">", class);
	else
		slu_buf_puts(out, "<p>");
	va_start(ap, fmt);
	vtext(out, fmt, ap);
	va_end(ap);
	slu_buf_puts(out, "</p>\n");
}

void slu_html_section(struct slu_buf *out, const char *id, const char *title)
{
	slu_buf_printf(out,
		       "<section id=\"%s\" aria-labelledby=\"h-%s\">\n"
		       "<h2 id=\"h-%s\">%s</h2>\n",
		       id, id, id, title);
}

void slu_html_section_end(struct slu_buf *out)
{
	slu_buf_puts(out, "</section>\n");
}

void slu_html_none(struct slu_buf *out, const char *why, const char *how)
{
	slu_buf_puts(out, "<p class=\"none\"><strong>");
	slu_html_text(out, why);
	slu_buf_puts(out, "</strong> ");
	slu_html_text(out, how);
	slu_buf_puts(out, "</p>\n");
}

static bool is_number(struct json_object *value)
{
	return json_object_is_type(value, json_type_int) ||
	       json_object_is_type(value, json_type_double);
}

static void time_text(int64_t when, char *out, size_t size)
{
	time_t t = (time_t)when;
	struct tm tm;

	if (!when || !localtime_r(&t, &tm) ||
	    !strftime(out, size, "%F %R", &tm))
		snprintf(out, size, "-");
}

/* Formats a number by the type of its column. */
static void number_text(struct json_object *value, enum slu_column_type type,
			char *out, size_t size)
{
	double v = json_object_get_double(value);
	char text[SLU_TIME_TEXT + SLU_SIZE_TEXT];

	switch (type) {
	case SLU_COL_BYTES:
		slu_size_text(v > 0 ? (uint64_t)v : 0, text);
		break;
	case SLU_COL_SECONDS:
		slu_seconds_text(v, text);
		break;
	case SLU_COL_TIME:
		time_text(json_object_get_int64(value), text, sizeof(text));
		break;
	case SLU_COL_PLAIN:
	case SLU_COL_TEXT:
	case SLU_COL_ROUND:
		snprintf(text, sizeof(text),
			 v == (double)(int64_t)v ? "%.0f" : "%.4g", v);
	}
	snprintf(out, size, "%s", text);
}

static void cell(struct slu_buf *out, struct json_object *row,
		 const struct slu_html_column *c)
{
	struct json_object *value = NULL;
	char text[64];

	json_object_object_get_ex(row, c->key, &value);
	if (!value) {
		slu_buf_puts(out, "<td>-</td>");
	} else if (is_number(value)) {
		number_text(value, c->type, text, sizeof(text));
		slu_buf_printf(out, "<td class=\"n\">%s</td>", text);
	} else {
		slu_buf_puts(out, "<td>");
		slu_html_text(out, json_object_get_string(value));
		slu_buf_puts(out, "</td>");
	}
}

/* Headings of columns with numbers, by the first row, are right-aligned. */
static void head(struct slu_buf *out, const struct slu_html_column *columns,
		 struct json_object *first)
{
	struct json_object *value;

	slu_buf_puts(out, "<thead><tr>");
	for (const struct slu_html_column *c = columns; c->key; c++) {
		value = NULL;
		json_object_object_get_ex(first, c->key, &value);
		slu_buf_printf(out, "<th scope=\"col\"%s>%s</th>",
			       is_number(value) ? " class=\"n\"" : "",
			       c->title);
	}
	slu_buf_puts(out, "</tr></thead>\n<tbody>\n");
}

void slu_html_table(struct slu_buf *out, const char *caption,
		    struct json_object *rows,
		    const struct slu_html_column *columns)
{
	size_t n = slu_json_length(rows), first = n > ROWS ? n - ROWS : 0;
	struct json_object *row;

	if (!n)
		return;
	slu_buf_puts(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\""
			  " aria-label=\"");
	slu_html_text(out, caption);
	slu_buf_puts(out, "\"><table><caption>");
	slu_html_text(out, caption);
	if (first)
		slu_buf_printf(out, " (the last %d of %zu)", ROWS, n);
	slu_buf_puts(out, "</caption>\n");
	head(out, columns, json_object_array_get_idx(rows, first));
	for (size_t i = first; i < n; i++) {
		row = json_object_array_get_idx(rows, i);
		if (!json_object_is_type(row, json_type_object))
			continue;
		slu_buf_puts(out, "<tr>");
		for (const struct slu_html_column *c = columns; c->key; c++)
			cell(out, row, c);
		slu_buf_puts(out, "</tr>\n");
	}
	slu_buf_puts(out, "</tbody></table></div>\n");
}

void slu_html_details(struct slu_buf *out, const char *caption,
		      struct json_object *rows,
		      const struct slu_html_column *columns)
{
	if (!slu_json_length(rows))
		return;
	slu_buf_puts(out, "<details><summary>Table: ");
	slu_html_text(out, caption);
	slu_buf_puts(out, "</summary>\n");
	slu_html_table(out, caption, rows, columns);
	slu_buf_puts(out, "</details>\n");
}
