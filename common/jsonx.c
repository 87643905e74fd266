/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-c with manners. What json-c would let pass in silence is refused here:
 * bytes after the document, laxness (jsonlex.h), a length it would cut to 32
 * bits, a NUL inside a string, a number it would clamp.
 */
#include "config.h"
#include "common/jsonx.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/jsonlex.h"
#include "common/str.h"

#define DEPTH_MAX 32
#define EXACT_MAX ((int64_t)1 << 53) /* above, a JSON number is not exact */

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

/* One value, or all there is. *end is where it ends, or is none; NULL with
 * success: null. */
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

/* A place in a text. */
struct place {
	const char *text;
	size_t len, at;
};

/* Is this the next letter? Then go beyond it. */
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

/* Who takes the elements, and how they begin: a new line, blanks and a brace;
 * else begin_len is 0. */
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

/* Where the first element at or after `from` begins; false: nobody knows. */
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

/* One, and what stands behind it: 1 if that is a comma. */
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

static int wrong(const char *key, const char *want, struct slu_err *err)
{
	return slu_err(err, SLU_INVALID, "%s: %s", key, want);
}

struct json_object *slu_json_at(struct json_object *obj, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(obj, json_type_object))
		return NULL;
	json_object_object_get_ex(obj, key, &value);
	return value;
}

int slu_json_str_opt(struct json_object *obj, const char *key, const char **out,
		     struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);
	const char *text;

	if (!value)
		return 0;
	if (!json_object_is_type(value, json_type_string))
		return wrong(key, "must be a string", err);
	text = json_object_get_string(value);
	if (strlen(text) != (size_t)json_object_get_string_len(value))
		return wrong(key, "must not hold a NUL", err);
	*out = text;
	return 0;
}

int slu_json_str(struct json_object *obj, const char *key, const char **out,
		 struct slu_err *err)
{
	if (!slu_json_at(obj, key))
		return wrong(key, "is missing", err);
	return slu_json_str_opt(obj, key, out, err);
}

static int u64_of_text(const char *text, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno || *end ? -1 : 0;
}

static int i64_of_text(const char *text, int64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[text[0] == '-']))
		return -1;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno || *end ? -1 : 0;
}

/* json-c clamps: its extreme values stand for whatever lies beyond. */
static int u64_of(struct json_object *value, uint64_t *out)
{
	if (json_object_is_type(value, json_type_string))
		return u64_of_text(json_object_get_string(value), out);
	*out = json_object_get_uint64(value);
	return json_object_is_type(value, json_type_int) &&
			       json_object_get_int64(value) >= 0 &&
			       *out != UINT64_MAX
		       ? 0
		       : -1;
}

static int i64_of(struct json_object *value, int64_t *out)
{
	if (json_object_is_type(value, json_type_string))
		return i64_of_text(json_object_get_string(value), out);
	*out = json_object_get_int64(value);
	return json_object_is_type(value, json_type_int) && *out != INT64_MIN &&
			       *out != INT64_MAX
		       ? 0
		       : -1;
}

int slu_json_u64_opt(struct json_object *obj, const char *key, uint64_t *out,
		     struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);
	uint64_t n;

	if (!value)
		return 0;
	if (u64_of(value, &n) < 0)
		return wrong(key, "must be a whole number from 0 to 2^64-1",
			     err);
	*out = n;
	return 0;
}

int slu_json_u64(struct json_object *obj, const char *key, uint64_t *out,
		 struct slu_err *err)
{
	if (!slu_json_at(obj, key))
		return wrong(key, "is missing", err);
	return slu_json_u64_opt(obj, key, out, err);
}

int slu_json_i64_opt(struct json_object *obj, const char *key, int64_t *out,
		     struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);
	int64_t n;

	if (!value)
		return 0;
	if (i64_of(value, &n) < 0)
		return wrong(key, "must be a whole number from -2^63 to 2^63-1",
			     err);
	*out = n;
	return 0;
}

int slu_json_bool_opt(struct json_object *obj, const char *key, bool *out,
		      struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);

	if (!value)
		return 0;
	if (!json_object_is_type(value, json_type_boolean))
		return wrong(key, "must be true or false", err);
	*out = json_object_get_boolean(value);
	return 0;
}

int slu_json_double_opt(struct json_object *obj, const char *key, double *out,
			struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);

	if (!value)
		return 0;
	if (!(json_object_is_type(value, json_type_double) ||
	      json_object_is_type(value, json_type_int)) ||
	    !isfinite(json_object_get_double(value)))
		return wrong(key, "must be a number", err);
	*out = json_object_get_double(value);
	return 0;
}

static void set(struct json_object *obj, const char *key,
		struct json_object *value)
{
	if (value && json_object_object_add(obj, key, value) < 0)
		json_object_put(value);
}

struct json_object *slu_json_list_at(struct json_object *obj, const char *key)
{
	struct json_object *value = slu_json_at(obj, key);

	return json_object_is_type(value, json_type_array) ? value : NULL;
}

const char *slu_json_str_at(struct json_object *obj, const char *key)
{
	const char *value = NULL;

	slu_json_str_opt(obj, key, &value, NULL);
	return value;
}

uint64_t slu_json_u64_at(struct json_object *obj, const char *key)
{
	uint64_t value = 0;

	slu_json_u64_opt(obj, key, &value, NULL);
	return value;
}

double slu_json_number_at(struct json_object *obj, const char *key)
{
	double value = 0;

	slu_json_double_opt(obj, key, &value, NULL);
	return value;
}

bool slu_json_bool_at(struct json_object *obj, const char *key)
{
	bool value = false;

	slu_json_bool_opt(obj, key, &value, NULL);
	return value;
}

void slu_json_set_str(struct json_object *obj, const char *key,
		      const char *value)
{
	if (value)
		set(obj, key, json_object_new_string(value));
}

void slu_json_set_u64(struct json_object *obj, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	set(obj, key,
	    value <= (uint64_t)EXACT_MAX ? json_object_new_uint64(value)
					 : json_object_new_string(text));
}

void slu_json_set_i64(struct json_object *obj, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	set(obj, key,
	    value >= -EXACT_MAX && value <= EXACT_MAX
		    ? json_object_new_int64(value)
		    : json_object_new_string(text));
}

void slu_json_set_bool(struct json_object *obj, const char *key, bool value)
{
	set(obj, key, json_object_new_boolean(value));
}

void slu_json_set_double(struct json_object *obj, const char *key, double value)
{
	char text[32];
	int digits = 15;

	if (!isfinite(value))
		return;
	value += 0.0; /* the text of -0.0 would read back as 0 */
	do	      /* the shortest text that reads back as the same number */
		snprintf(text, sizeof(text), "%.*g", digits, value);
	while (strtod(text, NULL) != value && digits++ < 17);
	set(obj, key, json_object_new_double_s(value, text));
}

const char *slu_json_text(struct json_object *obj)
{
	return json_object_to_json_string_ext(
		obj, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

const char *slu_json_utf8(struct json_object *obj)
{
	/* the buffer is obj's, and written anew at every call */
	char *text = (char *)(uintptr_t)slu_json_text(obj);

	if (text)
		slu_utf8_clean(text);
	return text;
}
