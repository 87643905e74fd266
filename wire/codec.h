/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_CODEC_H
#define SLU_WIRE_CODEC_H

/*
 * Converts structs to JSON messages and back. One table per message type
 * describes its fields; the same rows encode, decode, check and free. A field
 * absent from the JSON keeps zero (or is an error, when required); an unknown
 * one is ignored, so that the two ends may be of different releases.
 */

#include <stdbool.h>
#include <stddef.h>
#include <json-c/json.h>
#include "common/err.h"

enum slu_type {
	SLU_T_STR,    /* char *, owned */
	SLU_T_U32,    /* uint32_t */
	SLU_T_U64,    /* uint64_t */
	SLU_T_I64,    /* int64_t */
	SLU_T_BOOL,   /* bool */
	SLU_T_DOUBLE, /* double */
	SLU_T_STRUCT, /* a struct in place, described by sub */
	SLU_T_LIST,   /* T *list; size_t n (at `count`): array of structs */
};

struct slu_desc;

struct slu_field {
	const char *name;
	enum slu_type type;
	size_t offset;
	bool required;
	const struct slu_desc *sub; /* STRUCT, LIST */
	size_t count;		    /* LIST: offset of its size_t length */
};

struct slu_desc {
	const char *name; /* the message's type on the wire */
	size_t size;
	const struct slu_field *field; /* name NULL ends it */
};

/* Caller frees with json_object_put(). NULL only without memory. */
struct json_object *slu_encode(const struct slu_desc *desc, const void *msg);
/* msg must be desc->size bytes; it is zeroed first, and again on failure. */
int slu_decode(const struct slu_desc *desc, struct json_object *obj, void *msg,
	       struct slu_err *err);
/* Free what the message owns and zero it. */
void slu_msg_clear(const struct slu_desc *desc, void *msg);

/* Text forms. slu_encode_text: caller frees. The decoder takes hostile input.
 */
char *slu_encode_text(const struct slu_desc *desc, const void *msg);
int slu_decode_text(const struct slu_desc *desc, const char *text, size_t len,
		    void *msg, struct slu_err *err);

/*
 * Envelopes of the control socket: {"v":1,"id":N,"type":"job_ended",
 * "body":{...}}\n. slu_envelope: one line with its newline; caller frees.
 */
char *slu_envelope(const struct slu_desc *desc, uint64_t id, const void *msg);
/* Find the type among the NULL-ended list and decode into a fresh
 * allocation (*msg; slu_msg_free). An unknown type is SLU_NOTFOUND. */
int slu_envelope_parse(const char *line, size_t len,
		       const struct slu_desc *const *known,
		       const struct slu_desc **desc, uint64_t *id, void **msg,
		       struct slu_err *err);
void slu_msg_free(const struct slu_desc *desc, void *msg);

#endif
