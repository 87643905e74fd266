/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_VALUES_H
#define SLU_BURST_VALUES_H

/* Types of the grammar's tables of verbs and keys, and helpers with which
 * setters check a value. Private to burst_buffer/request. */

#include "burst_buffer/request/request.h"
#include "common/str.h"

/* Characters of verbs, keys and names, and those that a value may contain only
 * in quotes. */
#define SLU_LETTERS	 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SLU_WORD_CHARS	 SLU_LETTERS "0123456789_"
#define SLU_BARE_REFUSED "\"'`\\&|<>"
/* What stands for itself without quotes; most of any value. */
#define SLU_PLAIN_CHARS SLU_WORD_CHARS "/.,:=@%+-"
/* Error for $(date) and the like. */
#define SLU_NO_COMMAND                                                         \
	"$(...) is not run here; write the path itself (%%u is the user, %%j " \
	"the job's number)"

#define SLU_VERB_KEYS 16 /* at most, of a verb */
#define SLU_VERBS     12 /* at most, of a language */

struct slu_request_key {
	const char *name;
	bool required;
	int (*set)(struct slu_request *req, const char *value,
		   struct slu_err *err);
};

struct slu_verb {
	const char *name;
	int (*begin)(struct slu_request *req, int line, struct slu_err *err);
	const struct slu_request_key *key; /* name NULL ends them */
	/* Checks that need all keys together; may be NULL. */
	int (*end)(struct slu_request *req, struct slu_err *err);
};

/* Replaces *field by a copy of value; SLU_NOMEM. */
int slu_set_word(char **field, const char *value, struct slu_err *err);

/* The number of SLU_PLAIN_CHARS from p on, at most up to `end`. Another
 * character must follow them. */
size_t slu_plain(const char *p, const char *end);

/* A number of at most six digits; false: it is not. */
bool slu_set_number(const char *value, uint32_t *out);

/* The index of value among the words (NULL ends). Unknown: -1, SLU_INVALID, and
 * the error suggests the nearest word. */
int slu_choose(const char *value, const char *const *words,
	       struct slu_err *err);

/* SLU_INVALID: `before`, the value in quotes, `after`, then the nearest word,
 * else all words after `lead`. Returns -1. */
int slu_not_known(const char *before, const char *value, const char *after,
		  const char *const *words, const char *lead,
		  struct slu_err *err);

#endif
