/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_HTTP_ERROR_H
#define SLU_COMMON_HTTP_ERROR_H

/* Converts an HTTP answer other than success into an error. */

#include "common/err.h"

/* The kind that an HTTP status stands for. */
enum slu_kind slu_http_kind(long status);

/* The error of that kind, with the sentence in the body (NULL: none; it is
 * changed): its text, or the one in slurmrestd's JSON. */
int slu_http_error(enum slu_kind kind, long status, char *body,
		   struct slu_err *err);

#endif
