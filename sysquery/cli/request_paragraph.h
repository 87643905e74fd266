/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_REQUEST_PARAGRAPH_H
#define SLU_SYSQUERY_CLI_REQUEST_PARAGRAPH_H

/* Prints a job's request with readable sizes. The canonical text of a request
 * has them in bytes. */

#include "sysquery/cli/paragraph.h"

/* A paragraph "Asked"; nothing if request is NULL. */
void slu_request_paragraph(const char *request, struct slu_text_page *out);

#endif
