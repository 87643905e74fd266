/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_VALUES_H
#define SLU_BURST_VALUES_H

/* Private to burst_buffer/request: what a verb and a key of the grammar are,
 * and what the setters of keys need to check a value. */

#include "burst_buffer/request/request.h"
#include "common/str.h"

/* Characters of verbs, keys and names, and those that a value may hold only
 * in quotes. */
#define SLU_LETTERS	 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SLU_WORD_CHARS	 SLU_LETTERS "0123456789_"
#define SLU_BARE_REFUSED "\"'`\\&|<>"
/* Of $(date). */
#define SLU_NO_COMMAND                                                         \
	"$(...) is not run here; write the path itself (%%u is the user, %%j " \
	"the job's number)"

#define SLU_VERB_KEYS 16 /* at most, of a verb */
#define SLU_VERBS     12 /* at most, of a language */

struct slu_key {
	const char *name;
	bool required;
	int (*set)(struct slu_request *req, const char *value,
		   struct slu_err *err);
};

struct slu_verb {
	const char *name;
	int (*begin)(struct slu_request *req, int line, struct slu_err *err);
	const struct slu_key *key; /* name NULL ends them */
	/* What only all keys together show; may be NULL. */
	int (*end)(struct slu_request *req, struct slu_err *err);
};

/* Replaces *field by a copy of value; SLU_NOMEM. */
int slu_set_word(char **field, const char *value, struct slu_err *err);

/* A number of at most six digits; false: it is none. */
bool slu_set_number(const char *value, uint32_t *out);

/* The index of value among the words (NULL ends); -1 with SLU_INVALID, which
 * names the nearest. */
int slu_choose(const char *value, const char *const *words,
	       struct slu_err *err);

/* SLU_INVALID: `before`, the value in quotes, `after`, then the word that was
 * probably meant, else all words behind `lead`. Returns -1. */
int slu_not_known(const char *before, const char *value, const char *after,
		  const char *const *words, const char *lead,
		  struct slu_err *err);

#endif
