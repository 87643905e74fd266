/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_QUESTION_STRIPE_H
#define SLU_SLUICED_QUESTIONS_QUESTION_STRIPE_H

/* Counts the targets that a layout of files can use. */

#include <json-c/json.h>
#include <stdint.h>

struct slu_stripe_request;

/* Targets that can be used, and their room, which it returns and the caller
 * frees, out of an answer of slu_ost_choose(), and what metadata targets take
 * of a file, out of the servers' reports; nothing (NULL) where they are of
 * several file systems. */
uint64_t *slu_stripe_count_targets(struct json_object *answer,
				   struct json_object *servers,
				   struct slu_stripe_request *request);

#endif
