/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_REST_H
#define SLU_COMMON_REST_H

/* Reads errors in slurmrestd's answers. */

struct json_object;

/* The reason of a refusal: the first of the "errors" in the answer. NULL: it
 * has none. Borrowed from the answer. */
const char *slu_rest_error(struct json_object *answer);

#endif
