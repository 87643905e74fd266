/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WEB_TOKEN_H
#define SLU_WEB_TOKEN_H

/* Creates or reads the token that a browser has to send: 64 random hex digits
 * from the kernel, or the content of a file. */

#include <stdbool.h>
#include "common/err.h"

#define SLU_TOKEN_TEXT	129 /* with its end */
#define SLU_TOKEN_LEAST 32  /* characters */

int slu_token_make(char out[SLU_TOKEN_TEXT], struct slu_err *err);

/* The token in this file, which is created if it does not exist, readable by
 * its owner only. SLU_DENIED: others may read it, or it is not the caller's;
 * SLU_INVALID: its content is not 32 to 128 letters, digits, '-' or '_'. */
int slu_token_of_file(const char *path, char out[SLU_TOKEN_TEXT],
		      struct slu_err *err);

/* Compares in constant time; NULL is never right. */
bool slu_token_is(const char *token, const char *said);

#endif
