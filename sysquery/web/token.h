/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WEB_TOKEN_H
#define SLU_WEB_TOKEN_H

/* The word by which a browser is let in: 64 hex digits of the kernel's random
 * numbers, or what a file has. */

#include <stdbool.h>
#include "common/err.h"

#define SLU_TOKEN_TEXT	129 /* with its end */
#define SLU_TOKEN_LEAST 32  /* characters */

int slu_token_make(char out[SLU_TOKEN_TEXT], struct slu_err *err);

/* The one of this file, which is made where there is none, for its owner alone.
 * SLU_DENIED: others may read it, or it is not the caller's; SLU_INVALID: what
 * is in it is none: 32 to 128 letters, digits, '-' or '_'. */
int slu_token_of_file(const char *path, char out[SLU_TOKEN_TEXT],
		      struct slu_err *err);

/* Takes as long whatever `said` has in common with it; NULL is never right. */
bool slu_token_is(const char *token, const char *said);

#endif
