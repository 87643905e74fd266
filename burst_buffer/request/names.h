/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_NAMES_H
#define SLU_BURST_NAMES_H

/* Replaces shell variables in a request's paths by what Sluice can expand.
 * Private to burst_buffer/request. */

#include "burst_buffer/request/mistakes.h"

/* Replaces variables in paths by $BB_<name> or symbols, now that the name is
 * known; variables that the job will not have are mistakes. Reports nothing
 * more for a request that is incomplete already. */
void slu_request_names(struct slu_request *req, struct slu_mistakes *m);

/* The variable of the job's own file system, for messages; `dw`: in the
 * language of #DW lines. */
#define SLU_VARIABLE_MAX 96
const char *slu_request_variable(const struct slu_request *req, bool dw,
				 char name[SLU_VARIABLE_MAX]);
/* Will the job's environment have it, as the path of a file system? The request
 * is resolved. */
bool slu_request_has_variable(const struct slu_request *req, const char *name);

#endif
