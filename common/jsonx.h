/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_JSONX_H
#define SLU_COMMON_JSONX_H

/*
 * Strict JSON over json-c: parsing that refuses trailing bytes and depth beyond
 * 32, typed getters that name the key, compact output. 64-bit values beyond
 * 2^53 are written as decimal strings and are accepted in either form. Bytes
 * above 127 pass unchanged, so that any file name can be sent.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"

/* Caller puts (json_object_put) the result. A document that is only `null` is
 * refused like any other fault, with SLU_INVALID. */
struct json_object *slu_json_parse(const char *text, size_t len,
				   struct slu_err *err);
/* The same, refusing depth beyond `depth`. */
struct json_object *slu_json_parse_to(const char *text, size_t len, int depth,
				      struct slu_err *err);

/* Calls fn for each element of the array `key` of the object in text, one at a
 * time, as a tree of all may need twenty times as much memory as the text. The
 * element is borrowed, NULL for null; fn returns 0 to go on. *rest: the other
 * members, and that array without its elements. Caller puts. A text that is not
 * JSON fails with SLU_INVALID, after the elements before the error; but if
 * elements are objects on lines of their own, indented as the first one,
 * `broken` is called instead, and the next element follows. */
typedef int slu_json_f(void *arg, struct json_object *element,
		       struct slu_err *err);
typedef void slu_json_broken_f(void *arg, const struct slu_err *why);
int slu_json_elements(const char *text, size_t len, const char *key,
		      slu_json_f *fn, slu_json_broken_f *broken, void *arg,
		      struct json_object **rest, struct slu_err *err);

/* Getters: required ones fail with SLU_INVALID "key: ..."; a caller that knows
 * where obj is puts that before it (slu_err_prefix). The _opt ones leave *out
 * alone when the key is absent or null. Strings are borrowed from obj. */
int slu_json_str(struct json_object *obj, const char *key, const char **out,
		 struct slu_err *err);
int slu_json_str_opt(struct json_object *obj, const char *key, const char **out,
		     struct slu_err *err);
int slu_json_u64(struct json_object *obj, const char *key, uint64_t *out,
		 struct slu_err *err);
int slu_json_u64_opt(struct json_object *obj, const char *key, uint64_t *out,
		     struct slu_err *err);
int slu_json_i64_opt(struct json_object *obj, const char *key, int64_t *out,
		     struct slu_err *err);
int slu_json_bool_opt(struct json_object *obj, const char *key, bool *out,
		      struct slu_err *err);
int slu_json_double_opt(struct json_object *obj, const char *key, double *out,
			struct slu_err *err);

/* Getters without errors, for objects that were checked or need no check: the
 * value of the key, and NULL, 0 or false if it is absent, null, or of another
 * kind, or if obj is no object. Borrowed from obj. */
struct json_object *slu_json_at(struct json_object *obj, const char *key);
struct json_object *slu_json_list_at(struct json_object *obj, const char *key);
const char *slu_json_str_at(struct json_object *obj, const char *key);
uint64_t slu_json_u64_at(struct json_object *obj, const char *key);
double slu_json_number_at(struct json_object *obj, const char *key);
bool slu_json_bool_at(struct json_object *obj, const char *key);
/* Elements of a list; 0: it is none, or NULL. */
size_t slu_json_length(struct json_object *list);

/* Setters; nothing is added for a NULL string, nor for a number that is not
 * finite. */
void slu_json_set_str(struct json_object *obj, const char *key,
		      const char *value);
void slu_json_set_u64(struct json_object *obj, const char *key, uint64_t value);
void slu_json_set_i64(struct json_object *obj, const char *key, int64_t value);
void slu_json_set_bool(struct json_object *obj, const char *key, bool value);
void slu_json_set_double(struct json_object *obj, const char *key,
			 double value);

/* Compact text, borrowed from obj until it changes. */
const char *slu_json_text(struct json_object *obj);
/* The same for programs that refuse what is not UTF-8: each byte that is part
 * of no character becomes '?'. */
const char *slu_json_utf8(struct json_object *obj);

#endif
