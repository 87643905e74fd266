/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_FIELD_H
#define SLU_WIRE_FIELD_H

/*
 * Macros that shorten message tables, private to wire/. A table file defines
 * `#define T struct slu_x` and lists FIELD(STR, name) rows: the JSON key is the
 * member's name.
 */

#include <stddef.h>
#include "wire/codec.h"

#define FIELD(kind, member)                            \
	{                                              \
		.name = #member, .type = SLU_T_##kind, \
		.offset = offsetof(T, member)          \
	}
/* Of a key that was named before its member. */
#define KEYED(kind, key, member)                   \
	{                                          \
		.name = key, .type = SLU_T_##kind, \
		.offset = offsetof(T, member)      \
	}
#define NEEDED(kind, member)                                    \
	{                                                       \
		.name = #member, .type = SLU_T_##kind,          \
		.offset = offsetof(T, member), .required = true \
	}
#define INSIDE(member, desc)                                     \
	{                                                        \
		.name = #member, .type = SLU_T_STRUCT,           \
		.offset = offsetof(T, member), .required = true, \
		.sub = &(desc)                                   \
	}
#define KEYED_MANY(key, member, length, desc)                  \
	{                                                      \
		.name = key, .type = SLU_T_LIST,               \
		.offset = offsetof(T, member), .sub = &(desc), \
		.count = offsetof(T, length)                   \
	}
#define MANY(member, length, desc) KEYED_MANY(#member, member, length, desc)
#define LAST                 \
	{                    \
		.name = NULL \
	}
#define DESC(symbol, type, fields) \
	const struct slu_desc symbol = {type, sizeof(T), fields}

#endif
