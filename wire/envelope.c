/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes and parses lines of the control socket, {type, body}. A line whose
 * body is a single string without escapes is written and recognised without the
 * JSON parser: thousands of long ones arrive when slurmctld starts (rows.h),
 * and the parser takes 4 ns per byte.
 */
#include "common/fast.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/jsonx.h"
#include "common/str.h"
#include "wire/control.h"

#define HEAD                                                      \
	"{\"v\":%d,\"id\":%" PRIu64 ",\"type\":\"%s\",\"body\":{" \
	"\"%s\":\""
#define TAIL "\"}}"

/* Does JSON write it without escapes? A loop without an early exit is
 * vectorised. */
static bool is_plain(const char *text, size_t len)
{
	unsigned char bad = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		bad |= (c < ' ') | (c == '"') | (c == '\\');
	}
	return !bad;
}

static bool has_one_text(const struct slu_desc *desc)
{
	const struct slu_field *f = desc->field;

	return f->name && f->type == SLU_T_STR && !f[1].name;
}

/* The line of a message that is one such string; NULL: it is another message.
 */
static char *plain_envelope(const struct slu_desc *desc, uint64_t id,
			    const void *msg)
{
	const struct slu_field *f = desc->field;
	const char *text =
		has_one_text(desc)
			? *(char *const *)((const char *)msg + f->offset)
			: NULL;
	size_t len = text ? strlen(text) : 0;
	struct slu_buf line = {0};

	if (!text || !is_plain(text, len))
		return NULL;
	slu_buf_printf(&line, HEAD, SLU_WIRE_VERSION, id, desc->name, f->name);
	slu_buf_add(&line, text, len);
	slu_buf_puts(&line, TAIL "\n");
	return slu_buf_steal(&line);
}

char *slu_envelope(const struct slu_desc *desc, uint64_t id, const void *msg)
{
	char *line = plain_envelope(desc, id, msg);
	struct json_object *env;

	if (line)
		return line;
	env = json_object_new_object();
	slu_json_set_u64(env, "v", SLU_WIRE_VERSION);
	slu_json_set_u64(env, "id", id);
	slu_json_set_str(env, "type", desc->name);
	json_object_object_add(env, "body", slu_encode(desc, msg));
	line = slu_asprintf("%s\n", slu_json_text(env));
	json_object_put(env);
	return line;
}

/* The string in such a line, if it has this type and the id 0; or NULL. */
static char *take_plain(const char *line, size_t len,
			const struct slu_desc *desc)
{
	const size_t tail = strlen(TAIL);
	char head[128];
	int n = snprintf(head, sizeof(head), HEAD, SLU_WIRE_VERSION,
			 UINT64_C(0), desc->name, desc->field->name);
	size_t from = (size_t)n;

	if (n < 0 || from >= sizeof(head) || len < from + tail ||
	    memcmp(line, head, from) != 0 ||
	    memcmp(line + len - tail, TAIL, tail) != 0 ||
	    !is_plain(line + from, len - from - tail))
		return NULL;
	return strndup(line + from, len - from - tail);
}

static bool parse_plain(const char *line, size_t len,
			const struct slu_desc *const *known,
			const struct slu_desc **desc, void **msg)
{
	char *text = NULL;
	void *fresh;

	len -= len && line[len - 1] == '\n';
	for (; *known; known++)
		if (has_one_text(*known) &&
		    (text = take_plain(line, len, *known)))
			break;
	fresh = text ? calloc(1, (*known)->size) : NULL;
	if (!fresh) {
		free(text);
		return false;
	}
	*(char **)((char *)fresh + (*known)->field->offset) = text;
	*desc = *known;
	*msg = fresh;
	return true;
}

static const struct slu_desc *find_type(const struct slu_desc *const *known,
					const char *type)
{
	for (; *known; known++)
		if (!strcmp((*known)->name, type))
			return *known;
	return NULL;
}

static int parse_envelope(struct json_object *env,
			  const struct slu_desc *const *known,
			  const struct slu_desc **desc, uint64_t *id,
			  void **msg, struct slu_err *err)
{
	struct json_object *body = NULL;
	const struct slu_desc *found;
	const char *type;
	uint64_t number = 0;
	void *fresh;

	if (slu_json_str(env, "type", &type, err) < 0 ||
	    slu_json_u64_opt(env, "id", &number, err) < 0)
		return -1;
	found = find_type(known, type);
	if (!found)
		return slu_err(err, SLU_NOTFOUND, "unknown message %.40s",
			       type);
	json_object_object_get_ex(env, "body", &body);
	fresh = calloc(1, found->size);
	if (!fresh)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_decode(found, body, fresh, err) < 0) {
		free(fresh);
		return slu_err_prefix(err, "%s", found->name);
	}
	*desc = found;
	*id = number;
	*msg = fresh;
	return 0;
}

int slu_envelope_parse(const char *line, size_t len,
		       const struct slu_desc *const *known,
		       const struct slu_desc **desc, uint64_t *id, void **msg,
		       struct slu_err *err)
{
	struct json_object *env;
	int rc;

	if (parse_plain(line, len, known, desc, msg)) {
		*id = 0;
		return 0;
	}
	env = slu_json_parse(line, len, err);
	if (!env)
		return -1;
	rc = parse_envelope(env, known, desc, id, msg, err);
	json_object_put(env);
	return rc;
}
