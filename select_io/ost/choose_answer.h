/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_CHOOSE_ANSWER_H
#define SLU_SELECT_IO_OST_CHOOSE_ANSWER_H

/*
 * Formats parts of the JSON answer of choose.h: the list of targets, and one
 * file's targets with the command that creates it on them. Any thread.
 */

#include <json-c/json.h>
#include "select_io/ost/target_costs.h"

/* Adds "osts" and, where a version is known, "lustre". */
void slu_ost_answer_targets(const struct slu_osts *list,
			    struct json_object *answer);

/* Adds a file to `files`, the indexes of the n targets that were chosen
 * (positions in list), and to `commands` "lfs setstripe -c 3 -o 0,2,5"; none
 * where n is 0. */
void slu_ost_answer_file(const struct slu_osts *list, const uint32_t *chosen,
			 uint32_t n, struct json_object *files,
			 struct json_object *commands);

#endif
