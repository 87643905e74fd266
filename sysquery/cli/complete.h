/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_COMPLETE_H
#define SLU_SYSQUERY_CLI_COMPLETE_H

/* Appends to *out, one a line, the completions of the last word; words: those
 * after the command's name. Nothing is appended if a file name is expected, for
 * example. */

#include "common/str.h"

void slu_complete(char *const *word, int n, struct slu_buf *out);

#endif
