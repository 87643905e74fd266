/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_GRAMMAR_H
#define SLU_BURST_GRAMMAR_H

/* Private to burst_buffer/request: the verbs and their keys. */

#include "burst_buffer/request/request.h"

/* Characters of verbs, keys and names, and those that a value may hold only
 * in quotes. */
#define SLU_LETTERS	 "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define SLU_WORD_CHARS	 SLU_LETTERS "0123456789_"
#define SLU_BARE_REFUSED "\"'`\\&|<>"

#define SLU_VERB_KEYS	 8 /* at most */

struct slu_key {
	const char *name;
	bool required;
	/* NULL: not built yet */
	int (*set)(struct slu_request *req, const char *value,
		   struct slu_err *err);
};

struct slu_verb {
	const char *name;
	/* NULL: not built yet */
	int (*begin)(struct slu_request *req, int line, struct slu_err *err);
	const struct slu_key *key; /* name NULL ends them */
};

/* The row of a verb, and the index of a key in it; a wrong name is an error
 * with the nearest right one. */
const struct slu_verb *slu_request_verb(const char *name, struct slu_err *err);
int slu_request_key(const struct slu_verb *verb, const char *name,
		    struct slu_err *err);

#endif
