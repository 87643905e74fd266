/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_REST_H
#define SLU_COMMON_REST_H

/* Answers of slurmrestd. */

struct json_object;

/* Why it refused: the first of the "errors" in its answer. NULL: it has none.
 * Borrowed from the answer. */
const char *slu_rest_error(struct json_object *answer);

#endif
