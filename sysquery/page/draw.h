/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PAGE_DRAW_H
#define SLU_PAGE_DRAW_H

/*
 * Draws the sections of the page, each in a file of its own, from the document
 * of page.h; private to the page. Absent values of the document, or values of a
 * wrong type, count as empty.
 */

#include <json-c/json.h>
#include "sysquery/page/html.h"
#include "sysquery/page/svg.h"

struct slu_page {
	struct slu_buf *out;
	struct json_object *doc;
	int64_t since, now;
	bool own;
};

typedef void slu_draw_f(const struct slu_page *page);
slu_draw_f slu_draw_now, slu_draw_buffers, slu_draw_ions, slu_draw_errors,
	slu_draw_limits, slu_draw_lustre, slu_draw_machine;

/* Parts of these. */
void slu_draw_lanes(const struct slu_page *page, struct json_object *ions);
void slu_draw_reached(const struct slu_page *page, struct json_object *ions);
void slu_draw_calibration(const struct slu_page *page,
			  struct json_object *errors);

/* document.c */
struct json_object *slu_doc_object(struct json_object *obj, const char *key);
/* An array; NULL: there is none, or it is empty. */
struct json_object *slu_doc_list(struct json_object *obj, const char *key);
size_t slu_doc_length(struct json_object *list);
/* The element; NULL: it is no object. */
struct json_object *slu_doc_at(struct json_object *list, size_t i);
double slu_doc_number(struct json_object *obj, const char *key);
const char *slu_doc_text(struct json_object *obj, const char *key);
/* The numbers of an array, at most n; returns how many there were. The rest is
 * set to 0. */
size_t slu_doc_numbers(struct json_object *obj, const char *key, double *out,
		       size_t n);

/* style.c */
extern const char slu_page_style[];
extern const char slu_page_patterns[]; /* an <svg> for the body */

#endif
