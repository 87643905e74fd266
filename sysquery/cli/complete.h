/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_COMPLETE_H
#define SLU_SYSQUERY_CLI_COMPLETE_H

/*
 * Completes the last word of a command line for the shell. The completions are
 * appended to *out, one a line; `word` are the words after the command's name.
 * Nothing is appended where only a file name, for example, is possible.
 */

#include "common/str.h"

void slu_complete(char *const *word, int n, struct slu_buf *out);

#endif
