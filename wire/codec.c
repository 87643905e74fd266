/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encodes, decodes and frees messages by their tables (codec.h). Invariants: a
 * struct that was zeroed or decoded can always be freed by slu_msg_clear(); a
 * failed decode leaves it zeroed. The depth of recursion is bounded by the
 * tables (no table contains itself), list lengths by the JSON text that the
 * caller has already bounded.
 */
#include "wire/codec.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/jsonx.h"
#include "common/str.h"

#define AT(msg, field, type) ((type *)((char *)(msg) + (field)->offset))
#define COUNT(msg, field)    ((size_t *)((char *)(msg) + (field)->count))

static struct json_object *encode_list(const struct slu_field *field,
				       const void *msg)
{
	size_t n = *(const size_t *)((const char *)msg + field->count);
	const char *item = *(char *const *)((const char *)msg + field->offset);
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < n; i++, item += field->sub->size)
		json_object_array_add(array, slu_encode(field->sub, item));
	return array;
}

static void encode_field(const struct slu_field *field, const void *msg,
			 struct json_object *obj)
{
	const void *p = (const char *)msg + field->offset;

	switch (field->type) {
	case SLU_T_STR:
		slu_json_set_str(obj, field->name, *(char *const *)p);
		break;
	case SLU_T_U32:
		slu_json_set_u64(obj, field->name, *(const uint32_t *)p);
		break;
	case SLU_T_U64:
		slu_json_set_u64(obj, field->name, *(const uint64_t *)p);
		break;
	case SLU_T_I64:
		slu_json_set_i64(obj, field->name, *(const int64_t *)p);
		break;
	case SLU_T_BOOL:
		slu_json_set_bool(obj, field->name, *(const bool *)p);
		break;
	case SLU_T_DOUBLE:
		slu_json_set_double(obj, field->name, *(const double *)p);
		break;
	case SLU_T_STRUCT:
		json_object_object_add(obj, field->name,
				       slu_encode(field->sub, p));
		break;
	case SLU_T_LIST:
		json_object_object_add(obj, field->name,
				       encode_list(field, msg));
		break;
	}
}

struct json_object *slu_encode(const struct slu_desc *desc, const void *msg)
{
	struct json_object *obj = json_object_new_object();

	if (obj)
		for (const struct slu_field *f = desc->field; f->name; f++)
			encode_field(f, msg, obj);
	return obj;
}

static int decode_str(struct json_object *obj, const char *key, char **out,
		      struct slu_err *err)
{
	const char *text = NULL;

	if (slu_json_str_opt(obj, key, &text, err) < 0)
		return -1;
	if (!text)
		return 0;
	*out = strdup(text);
	return *out ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

static int decode_u32(struct json_object *obj, const char *key, uint32_t *out,
		      struct slu_err *err)
{
	uint64_t wide = 0;

	if (slu_json_u64_opt(obj, key, &wide, err) < 0)
		return -1;
	if (wide > UINT32_MAX)
		return slu_err(err, SLU_INVALID, "%s: out of range", key);
	*out = (uint32_t)wide;
	return 0;
}

static int decode_double(struct json_object *obj, const char *key, double *out,
			 struct slu_err *err)
{
	if (slu_json_double_opt(obj, key, out, err) < 0)
		return -1;
	if (!isfinite(*out))
		return slu_err(err, SLU_INVALID, "%s: not finite", key);
	return 0;
}

static int decode_list(const struct slu_field *field, struct json_object *value,
		       void *msg, struct slu_err *err)
{
	size_t n;
	char *items;

	if (!json_object_is_type(value, json_type_array))
		return slu_err(err, SLU_INVALID, "%s: not a list", field->name);
	n = json_object_array_length(value);
	if (!n)
		return 0;
	items = calloc(n, field->sub->size);
	if (!items)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*AT(msg, field, char *) = items;
	*COUNT(msg, field) = n;
	for (size_t i = 0; i < n; i++) {
		if (slu_decode(field->sub, json_object_array_get_idx(value, i),
			       items + i * field->sub->size, err) < 0)
			return slu_err_prefix(err, "%s[%zu]", field->name, i);
	}
	return 0;
}

static int decode_field(const struct slu_field *field, struct json_object *obj,
			void *msg, struct slu_err *err)
{
	const char *key = field->name;
	struct json_object *value = NULL;

	if (!json_object_object_get_ex(obj, key, &value) || !value) {
		if (field->required)
			return slu_err(err, SLU_INVALID, "%s: missing", key);
		return 0;
	}
	switch (field->type) {
	case SLU_T_STR:
		return decode_str(obj, key, AT(msg, field, char *), err);
	case SLU_T_U32:
		return decode_u32(obj, key, AT(msg, field, uint32_t), err);
	case SLU_T_U64:
		return slu_json_u64_opt(obj, key, AT(msg, field, uint64_t),
					err);
	case SLU_T_I64:
		return slu_json_i64_opt(obj, key, AT(msg, field, int64_t), err);
	case SLU_T_BOOL:
		return slu_json_bool_opt(obj, key, AT(msg, field, bool), err);
	case SLU_T_DOUBLE:
		return decode_double(obj, key, AT(msg, field, double), err);
	case SLU_T_STRUCT:
		if (slu_decode(field->sub, value, AT(msg, field, void), err) <
		    0)
			return slu_err_prefix(err, "%s", key);
		return 0;
	case SLU_T_LIST:
		return decode_list(field, value, msg, err);
	}
	return slu_err(err, SLU_INTERNAL, "%s: no such type", key);
}

int slu_decode(const struct slu_desc *desc, struct json_object *obj, void *msg,
	       struct slu_err *err)
{
	memset(msg, 0, desc->size);
	if (!json_object_is_type(obj, json_type_object))
		return slu_err(err, SLU_INVALID, "not an object");
	for (const struct slu_field *f = desc->field; f->name; f++) {
		if (decode_field(f, obj, msg, err) < 0) {
			slu_msg_clear(desc, msg);
			return -1;
		}
	}
	return 0;
}

static void clear_list(const struct slu_field *field, void *msg)
{
	char *items = *AT(msg, field, char *);

	for (size_t i = 0; items && i < *COUNT(msg, field); i++)
		slu_msg_clear(field->sub, items + i * field->sub->size);
	free(items);
}

void slu_msg_clear(const struct slu_desc *desc, void *msg)
{
	for (const struct slu_field *f = desc->field; f->name; f++) {
		if (f->type == SLU_T_STR)
			free(*AT(msg, f, char *));
		else if (f->type == SLU_T_STRUCT)
			slu_msg_clear(f->sub, AT(msg, f, void));
		else if (f->type == SLU_T_LIST)
			clear_list(f, msg);
	}
	memset(msg, 0, desc->size);
}

char *slu_encode_text(const struct slu_desc *desc, const void *msg)
{
	struct json_object *obj = slu_encode(desc, msg);
	char *text = obj ? strdup(slu_json_text(obj)) : NULL;

	json_object_put(obj);
	return text;
}

int slu_decode_text(const struct slu_desc *desc, const char *text, size_t len,
		    void *msg, struct slu_err *err)
{
	struct json_object *obj = slu_json_parse(text, len, err);
	int rc;

	if (!obj) {
		memset(msg, 0, desc->size);
		return slu_err_prefix(err, "%s", desc->name);
	}
	rc = slu_decode(desc, obj, msg, err);
	json_object_put(obj);
	return rc < 0 ? slu_err_prefix(err, "%s", desc->name) : 0;
}

void slu_msg_free(const struct slu_desc *desc, void *msg)
{
	if (msg)
		slu_msg_clear(desc, msg);
	free(msg);
}
