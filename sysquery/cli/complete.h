/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_COMPLETE_H
#define SLU_SYSQUERY_CLI_COMPLETE_H

/* Lines of *out: what may stand in place of the last of the words, which come
 * behind the name of the command. Nothing: names of files, say. */

#include "common/str.h"

void slu_complete(char *const *word, int n, struct slu_buf *out);

#endif
