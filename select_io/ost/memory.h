/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_OST_MEMORY_H
#define SLU_OST_MEMORY_H

/*
 * What was placed a moment ago, which no statistics show yet: files that were
 * given targets may not have been written by the time of the next question,
 * and two answers in a row must not send both to the same targets. A stripe
 * that was placed counts on its target as one more, less and less over
 * SLU_OST_MEMORY_SECONDS, and its bytes are promised for so long.
 *
 * It also keeps the ranking of targets of the last answer that was solved, for
 * times when nothing is to be solved (choose.h). Seconds are of any clock.
 */

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_OST_MEMORY_SECONDS 60.0
#define SLU_OST_MEMORY_MAX     65536 /* stripes; then the oldest are forgotten */

struct slu_ost_memory; /* one thread */

struct slu_ost_memory *slu_ost_memory_new(void); /* NULL: no memory */
void slu_ost_memory_free(struct slu_ost_memory *m);

/* Take in an answer of slu_ost_choose to this user: its files, and if it was
 * solved its ranking of a file system. One that makes no sense teaches nothing.
 * To a user (0, root, is none) no more is promised at once than a quarter of
 * what targets have: who only asks fills no file system. */
void slu_ost_memory_learn(struct slu_ost_memory *m, struct json_object *answer,
			  uint32_t uid, double now);
/* Write into the targets of `servers` (choose.h) what is remembered of them:
 * "recent", stripes with their weights, and "promised", KiB. */
void slu_ost_memory_tell(const struct slu_ost_memory *m,
			 struct json_object *servers, double now);
/* Names of targets, of each file system the best first; NULL: nothing was
 * solved yet. Borrowed. */
struct json_object *slu_ost_memory_ranking(const struct slu_ost_memory *m);

#endif
