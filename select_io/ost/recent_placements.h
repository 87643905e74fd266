/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_RECENT_PLACEMENTS_H
#define SLU_SELECT_IO_OST_RECENT_PLACEMENTS_H

/*
 * What was placed a moment ago, which no statistics show yet: files that were
 * given targets may not have been written by the time of the next question,
 * and two answers in a row must not send both to the same targets. A stripe
 * that was placed counts on its target as one more, less and less over
 * SLU_RECENT_PLACEMENTS_SECONDS, and its bytes are promised for so long.
 *
 * It also keeps the ranking of targets of the last answer that was solved, for
 * times when nothing is to be solved (choose.h). Seconds are of any clock.
 */

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_RECENT_PLACEMENTS_SECONDS 60.0
/* Entries, of one answer and target each; then the oldest are forgotten. */
#define SLU_RECENT_PLACEMENTS_MAX 65536

/* "recent" is no more, however many stripes are asked for. */
#define SLU_OST_RECENT_MAX 0x1p20

struct slu_recent_placements; /* one thread */

struct slu_recent_placements *
slu_recent_placements_new(void); /* NULL: no memory */
void slu_recent_placements_free(struct slu_recent_placements *m);

/* What an answer of slu_ost_choose teaches, which is short however many files
 * were asked for: {"kib":of a stripe,"available":KiB of all targets,
 * "stripes":{NAME:how many},"ranking":[NAME...]}. Nothing was placed where the
 * answer is "dry", and nothing ranked where it came from a ranking. Caller puts
 * it. */
struct json_object *slu_recent_placements_of_answer(struct json_object *answer);
/* Take in what an answer to this user teaches; what makes no sense teaches
 * nothing. To a user (0, root, is none) no more is promised at once than a
 * quarter of what targets have: who only asks fills no file system. Of an
 * answer with more, as many stripes are remembered as that holds, from all of
 * its targets alike. */
void slu_recent_placements_add(struct slu_recent_placements *m,
			       struct json_object *lesson, uint32_t uid,
			       double now);
/* Write into the targets of `servers` (choose.h) what is remembered of them:
 * "recent", stripes with their weights, and "promised", KiB. */
void slu_recent_placements_write(const struct slu_recent_placements *m,
				 struct json_object *servers, double now);
/* Names of targets, of each file system the best first; NULL: nothing was
 * solved yet. Borrowed. */
struct json_object *
slu_recent_placements_ranking(const struct slu_recent_placements *m);

#endif
