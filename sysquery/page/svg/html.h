/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PAGE_HTML_H
#define SLU_PAGE_HTML_H

/*
 * Writes HTML. Text from elsewhere (names of jobs, users) is inserted only
 * here, where it is escaped. All elements are closed and all attributes quoted,
 * so that the page is well-formed XML, too.
 */

#include <json-c/json.h>
#include "common/str.h"
#include "common/table.h"

/* A text, escaped; on one line, without characters that change the direction of
 * writing. NULL is "". Also fit for attributes in quotes. */
void slu_html_text(struct slu_buf *out, const char *text);
/* printf with its result escaped in that way. */
void slu_html_printf(struct slu_buf *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A paragraph of this class (NULL: none) with such text. */
void slu_html_p(struct slu_buf *out, const char *class, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A section with its heading; `id` is a constant of the caller. */
void slu_html_section(struct slu_buf *out, const char *id, const char *title);
void slu_html_section_end(struct slu_buf *out);
/* Instead of an empty section: why it is empty, and how to get data. */
void slu_html_none(struct slu_buf *out, const char *why, const char *how);

struct slu_html_column {
	const char *key, *title;
	enum slu_column_type type;
};

/* A table of an array of objects, values as common/table.h has them; columns
 * end with a NULL key. Elements that are no objects are skipped. Nothing if
 * there are no rows. */
void slu_html_table(struct slu_buf *out, const char *caption,
		    struct json_object *rows,
		    const struct slu_html_column *columns);
/* The same, folded, as the data of a picture. */
void slu_html_details(struct slu_buf *out, const char *caption,
		      struct json_object *rows,
		      const struct slu_html_column *columns);

#endif
