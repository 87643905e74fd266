/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PAGE_DRAW_H
#define SLU_PAGE_DRAW_H

/*
 * Draws the sections of the page, each in a file of its own, from the document
 * of page.h; private to the page.
 */

#include <json-c/json.h>
#include "sysquery/page/svg/html.h"
#include "sysquery/page/svg/svg.h"

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
/* Errors as slu_accuracy_json() lists them; the second sorts its list. */
void slu_draw_error_weeks(const struct slu_page *page,
			  struct json_object *weeks);
void slu_draw_error_users(const struct slu_page *page,
			  struct json_object *users);

/* A page of its own, outside of these sections. `title`: a constant. */
void slu_draw_alone_begin(struct slu_buf *out, const char *title);
void slu_draw_alone_end(struct slu_buf *out);

#endif
