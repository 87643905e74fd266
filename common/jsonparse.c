/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses JSON strictly with json-c. Refuses what json-c would accept silently:
 * bytes after the document, lax syntax (jsonlex.h), a length that it would
 * truncate to 32 bits.
 */
#include "config.h"
#include "common/jsonx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "common/jsonlex.h"
#include "common/str.h"

#define DEPTH_MAX 32

static bool only_space(const char *text, size_t from, size_t len)
{
	while (from < len && isspace((unsigned char)text[from]))
		from++;
	return from == len;
}

/* What is wrong with a parse that stopped with `why`; NULL: nothing. */
static const char *complaint(enum json_tokener_error why, bool all,
			     const struct json_object *obj)
{
	switch (why) {
	case json_tokener_success:
		if (!all)
			return "more text after the document";
		return obj ? NULL : "the document is null";
	case json_tokener_continue:
		return "the text ends too early";
	default:
		return json_tokener_error_desc(why);
	}
}

/* Parses one value, or the whole text. *end is where it ends, or would; NULL
 * with success: null. */
static struct json_object *parse(const char *text, size_t len, int depth,
				 bool all, size_t *end,
				 enum json_tokener_error *why)
{
	struct json_tokener *tok = json_tokener_new_ex(depth);
	struct json_object *obj;
	size_t lax;

	if (!tok) {
		*end = 0;
		*why = json_tokener_error_size;
		return NULL;
	}
	obj = json_tokener_parse_ex(tok, text, (int)len);
	*end = json_tokener_get_parse_end(tok);
	if (all && json_tokener_get_error(tok) == json_tokener_continue)
		/* a number may go on: only a NUL ends it */
		obj = json_tokener_parse_ex(tok, "", 1);
	*why = json_tokener_get_error(tok);
	json_tokener_free(tok);
	lax = *why == json_tokener_success ? slu_json_lax(text, *end) : *end;
	if (lax == *end)
		return obj;
	json_object_put(obj);
	*end = lax;
	*why = json_tokener_error_parse_unexpected;
	return NULL;
}

struct json_object *slu_json_parse(const char *text, size_t len,
				   struct slu_err *err)
{
	return slu_json_parse_to(text, len, DEPTH_MAX, err);
}

struct json_object *slu_json_parse_to(const char *text, size_t len, int depth,
				      struct slu_err *err)
{
	enum json_tokener_error why;
	struct json_object *obj;
	const char *fault;
	size_t end;

	if (len > INT32_MAX) {
		slu_err(err, SLU_INVALID, "JSON text is longer than 2 GiB");
		return NULL;
	}
	obj = parse(text, len, depth, true, &end, &why);
	fault = complaint(why, only_space(text, end, len), obj);
	if (fault) {
		json_object_put(obj);
		slu_err(err, SLU_INVALID, "not JSON at byte %zu: %s", end,
			fault);
		return NULL;
	}
	return obj;
}

/* A position in a text. */
struct place {
	const char *text;
	size_t len, at;
};

/* Is this the next letter? Then skips it. */
static bool take_letter(struct place *p, char letter)
{
	while (p->at < p->len && isspace((unsigned char)p->text[p->at]))
		p->at++;
	if (p->at == p->len || p->text[p->at] != letter)
		return false;
	p->at++;
	return true;
}

static int not_json(const struct place *p, enum json_tokener_error why,
		    struct slu_err *err)
{
	if (p->at == p->len)
		why = json_tokener_continue;
	return slu_err(err, SLU_INVALID, "not JSON at byte %zu of %zu: %s",
		       p->at, p->len, complaint(why, true, NULL));
}

static int take_value(struct place *p, struct json_object **out,
		      struct slu_err *err)
{
	size_t len = p->len - p->at < INT32_MAX ? p->len - p->at : INT32_MAX;
	enum json_tokener_error why;
	size_t end;

	*out = parse(p->text + p->at, len, DEPTH_MAX, false, &end, &why);
	p->at += end;
	return why == json_tokener_success ? 0 : not_json(p, why, err);
}

/* The function that gets the elements, and how they begin: a new line, blanks
 * and a brace; else begin_len is 0. */
struct elements {
	slu_json_f *fn;
	slu_json_broken_f *broken;
	void *arg;
	const char *begin;
	size_t begin_len;
};

static void learn_begin(const struct place *p, struct elements *e)
{
	struct place first = *p;
	bool is_line = take_letter(&first, '{') && p->text[p->at] == '\n';

	e->begin = p->text + p->at;
	e->begin_len = is_line ? first.at - p->at : 0;
}

/* Where the first element at or after `from` begins; false: not known. */
static bool find_next(struct place *p, size_t from, const struct elements *e)
{
	const char *next = NULL;

	if (e->begin_len && from < p->len)
		next = memmem(p->text + from, p->len - from, e->begin,
			      e->begin_len);
	if (next)
		p->at = (size_t)(next - p->text);
	return next != NULL;
}

/* Parses one, and the character behind it: 1 if that is a comma. */
static int take_element(struct place *p, const struct elements *e,
			struct slu_err *err)
{
	struct json_object *element;
	int rc;

	if (take_value(p, &element, err) < 0)
		return -1;
	rc = e->fn(e->arg, element, err);
	json_object_put(element);
	if (rc < 0)
		return -2;
	if (take_letter(p, ',') || take_letter(p, ']'))
		return p->text[p->at - 1] == ',';
	return not_json(p, json_tokener_error_parse_array, err);
}

static int take_elements(struct place *p, struct elements *e,
			 struct slu_err *err)
{
	int rc;

	learn_begin(p, e);
	rc = !take_letter(p, ']');
	while (rc > 0) {
		size_t began = p->at;

		rc = take_element(p, e, err);
		if (rc == -1 && find_next(p, began + 1, e)) {
			e->broken(e->arg, err);
			rc = 1;
		}
	}
	return rc < 0 ? -1 : 0;
}

static int take_name(struct place *p, struct json_object **name,
		     struct slu_err *err)
{
	if (take_value(p, name, err) < 0)
		return -1;
	if (json_object_is_type(*name, json_type_string) && take_letter(p, ':'))
		return 0;
	json_object_put(*name);
	return not_json(p, json_tokener_error_parse_object_key_sep, err);
}

static int take_member(struct place *p, const char *key, struct elements *e,
		       struct json_object *rest, struct slu_err *err)
{
	struct json_object *name, *value = NULL;
	int rc;

	if (take_name(p, &name, err) < 0)
		return -1;
	if (!strcmp(json_object_get_string(name), key) && take_letter(p, '[')) {
		value = json_object_new_array();
		rc = take_elements(p, e, err);
	} else {
		rc = take_value(p, &value, err);
	}
	json_object_object_add(rest, json_object_get_string(name), value);
	json_object_put(name);
	return rc;
}

int slu_json_elements(const char *text, size_t len, const char *key,
		      slu_json_f *fn, slu_json_broken_f *broken, void *arg,
		      struct json_object **rest, struct slu_err *err)
{
	struct elements e = {.fn = fn, .broken = broken, .arg = arg};
	struct place p = {.text = text, .len = len};
	struct json_object *obj;

	if (!take_letter(&p, '{')) {
		*rest = slu_json_parse(text, len, err);
		return *rest ? 0 : -1;
	}
	obj = json_object_new_object();
	if (!take_letter(&p, '}')) {
		do
			if (take_member(&p, key, &e, obj, err) < 0)
				goto fail;
		while (take_letter(&p, ','));
		if (!take_letter(&p, '}')) {
			not_json(&p, json_tokener_error_parse_object_value_sep,
				 err);
			goto fail;
		}
	}
	if (only_space(text, p.at, len)) {
		*rest = obj;
		return 0;
	}
	slu_err(err, SLU_INVALID, "not JSON at byte %zu: %s", p.at,
		complaint(json_tokener_success, false, obj));
fail:
	json_object_put(obj);
	return -1;
}
