/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_LOOKALIKE_H
#define SLU_BURST_LOOKALIKE_H

/* Recognises characters that people mistake for others. Private to
 * burst_buffer/request. */

#include "common/err.h"

/* What follows a character that looks like this letter at p, or NULL; the
 * possible start of the letters of #BB or #DW, with p behind the #; what
 * follows them, or NULL. */
const char *slu_behind_letter(const char *p, char letter);
const char *slu_find_magic(const char *p, const char *end);
const char *slu_behind_magic(const char *p, const char *end);
/* The start of a line for a message, with '?' for what is not ASCII. */
#define SLU_SHOWN 33
void slu_shown(const char *p, const char *end, char out[SLU_SHOWN]);
/* SLU_INVALID: the value contains, outside of quotes, something that does not
 * do what its author expects. */
int slu_hardly_meant(const char *p, struct slu_err *err);

#endif
