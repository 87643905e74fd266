/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_PLACE_NOW_H
#define SLU_SLUICED_PLACE_NOW_H

/*
 * Answers placements that programs ask for at a high rate, in the daemon and
 * from memory: the question "osts" with "brief", whose answer lacks "osts" and
 * "commands". An answering process gives the same answer when the application's
 * writes have to be predicted first, or a request is so large that it would
 * delay others.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include "common/err.h"
#include "common/str.h"

struct slu_daemon;
struct slu_req;

#define SLU_PLACE_NOW_STRIPES 4096 /* of one question */

/* The arguments, if this body is such a question (caller puts them); NULL:
 * another one. */
struct json_object *slu_place_now_args(const struct slu_buf *body);
/* May this user have so many more files placed now (placement_rate.h)? SLU_IO:
 * no, and when to try again. */
int slu_place_now_admit(struct slu_daemon *d, const struct slu_req *req,
			struct json_object *args, struct slu_err *err);
/* SLU_ANSWERED; SLU_KEPT: a process has to answer it; -1. */
int slu_place_now(struct slu_daemon *d, const struct slu_req *req,
		  struct json_object *args, struct slu_buf *out,
		  struct slu_err *err);
/* Two such questions of one user wait for the same prediction. */
bool slu_place_now_alike(struct json_object *a, struct json_object *b);

#endif
