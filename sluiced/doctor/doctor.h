/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_DOCTOR_H
#define SLU_SLUICED_DOCTOR_H

/*
 * Answers the question "doctor": what is wrong, or will be, and which command
 * helps. {"time": Unix seconds, "findings": [{"severity", "kind", "what", "on"
 * (a host list: where to run it), "type" (the command), "since"}, ...]}, the
 * worst first. Users get what concerns their own jobs. severity: "error" (jobs
 * fail or wait because of it), "warning" (they may), "note".
 */

#include "sluiced/questions/answerer.h"

/* Makes the answer, in the answering process. */
int slu_doctor_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err);

#endif
