/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_REQUEST_PARAGRAPH_H
#define SLU_SYSQUERY_CLI_REQUEST_PARAGRAPH_H

/*
 * What a job asked for, as people write it: a request as it is kept has its
 * sizes in bytes.
 */

#include "sysquery/cli/paragraph.h"

/* A paragraph "Asked"; none of NULL. */
void slu_request_paragraph(const char *request, struct slu_page *out);

#endif
