/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_RECENT_PLACEMENTS_H
#define SLU_SELECT_IO_OST_RECENT_PLACEMENTS_H

/*
 * Adds recent placements to the load of targets, which statistics do not show
 * yet: a new file may not have been written by the time of the next question,
 * and two consecutive answers must not use the same targets. A placed stripe
 * counts as one more on its target, with a weight that decreases over
 * SLU_RECENT_PLACEMENTS_SECONDS, and its bytes (SLU_RECENT_PLACEMENTS_KIB if
 * unknown) are reserved for that time.
 */

/*
 * The bytes also form a queue that the target empties as fast as it can,
 * limited to what it writes in SLU_RECENT_PLACEMENTS_SECONDS.
 *
 * The ranking of targets of the last solved answer is kept as well, for answers
 * that are ranked instead of solved (choose.h). Seconds are of any clock.
 */

#include <json-c/json.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_RECENT_PLACEMENTS_SECONDS 60.0
#define SLU_RECENT_PLACEMENTS_KIB     0x1p20
/* Entries, of one user and target and about 4 s each; then the oldest are
 * forgotten: a minute of one user on 3,600 targets fits. */
#define SLU_RECENT_PLACEMENTS_MAX 65536

/* Upper bound of "recent", however many stripes a request has. */
#define SLU_OST_RECENT_MAX 0x1p20

struct slu_recent_placements; /* one thread */

struct slu_recent_placements *
slu_recent_placements_new(void); /* NULL: no memory */
void slu_recent_placements_free(struct slu_recent_placements *m);

/* Extracts from an answer of slu_ost_choose what is stored of it, which is
 * short however many files the request had: {"kib":of a stripe,"available":KiB
 * of all targets, "stripes":{NAME:how many},"ranking":[NAME...]}. Nothing was
 * placed where the answer is "dry", and nothing ranked where it came from a
 * ranking. Caller puts it. */
struct json_object *slu_recent_placements_of_answer(struct json_object *answer);
/* Add what an answer to this user has placed; invalid parts are ignored. At
 * most a quarter of the targets' free space is reserved for a user (not for 0,
 * root) at a time: a user who sends queries without writing cannot fill a file
 * system. If an answer has more, only as many stripes as fit in that are added,
 * evenly from all of its targets. */
void slu_recent_placements_add(struct slu_recent_placements *m,
			       struct json_object *lesson, uint32_t uid,
			       double now);

/* The same without JSON: targets by numbers that stay the same, so that they
 * can be kept. SLU_RECENT_NONE: nothing can be stored of it. */
#define SLU_RECENT_NONE UINT32_MAX
uint32_t slu_recent_placements_number(struct slu_recent_placements *m,
				      const char *name);
struct slu_placed_stripes {
	const uint32_t *number, *stripes; /* of n targets */
	size_t n;
	double kib;	  /* of a stripe */
	double available; /* KiB of all targets */
};
void slu_recent_placements_placed(struct slu_recent_placements *m,
				  const struct slu_placed_stripes *placed,
				  uint32_t uid, double now);
/* Drop what is a minute old: call it before slu_recent_placements_of(), which
 * returns what is stored for a target: stripes with their weights and the KiB
 * that are reserved. */
void slu_recent_placements_forget(struct slu_recent_placements *m, double now);
void slu_recent_placements_of(const struct slu_recent_placements *m,
			      uint32_t number, double now, double *stripes,
			      double *kib);
/* For how many seconds the target writes at what was placed there, when it
 * writes so many bytes a second (0: unknown, it does not wait); at most
 * SLU_RECENT_PLACEMENTS_SECONDS. What it has written since the last call is
 * gone from its queue. */
double slu_recent_placements_waits(struct slu_recent_placements *m,
				   uint32_t number, double now, double rate);
/* Estimates how fast a target writes (bytes a second): its part of the highest
 * rate that any server has reported. */
double slu_recent_placements_rate(double peak, size_t servers, size_t targets);

/* Adds recent placements to the targets of `servers` (choose.h):
 * "recent", stripes with their weights, "promised", KiB, and "waiting",
 * seconds. */
void slu_recent_placements_write(struct slu_recent_placements *m,
				 struct json_object *servers, double now);
/* Names of targets, of each file system the best first; NULL: nothing was
 * solved yet. Borrowed. */
struct json_object *
slu_recent_placements_ranking(const struct slu_recent_placements *m);

#endif
