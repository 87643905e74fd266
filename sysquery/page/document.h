/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PAGE_DOCUMENT_H
#define SLU_PAGE_DOCUMENT_H

/*
 * Reads values of the JSON document from which the page is drawn (page.h).
 * Absent values, or values of a wrong type, count as empty.
 */

#include <json-c/json.h>
#include <stddef.h>

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

#endif
