/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_H
#define SLU_SLUICED_QUESTIONS_H

/*
 * Answers questions of users: POST /v1/query: {"question": NAME, arguments...},
 * with JSON. Each is answered by a process of its own, from the database opened
 * for reading, so that a big question only delays its own user. A few processes
 * run at a time: one user has half of them at most, and all users together
 * leave one to root and SlurmUser. The other questions wait, first come, first
 * served. Questions that programs ask at a high rate are answered at once where
 * possible (place_now.h).
 */

#include "sluiced/daemon.h"

#define SLU_QUESTION_QUEUE 256
/* Of one user, until their answers have been read. Root and SlurmUser have no
 * limit. */
#define SLU_QUESTION_USER   8
#define SLU_QUESTION_SQL    (4u << 20)	/* of an answer to any user's SQL */
#define SLU_QUESTION_MAX    (64u << 20) /* bytes of an answer */
#define SLU_QUESTION_MEMORY (2ull << 30)
#define SLU_QUESTION_NAME   "sluiced: question" /* argv[0] */

struct slu_daemon;
struct json_object;

/* In a child of the daemon: becomes the answering process for this question of
 * the daemon's own; returns only if that cannot begin. */
int slu_question_become(const struct slu_daemon *d, struct json_object *args,
			struct slu_err *err);

void slu_questions_init(struct slu_questions *questions);
/* Refuses the questions that wait; at the end of the program. */
void slu_questions_stop(struct slu_daemon *d);

/* main() of the answering process, which is this program executed anew under
 * SLU_QUESTION_NAME: a child of fork alone would share SQLite's locks with
 * its parent. Reads the question from standard input. */
void slu_question_main(void) __attribute__((noreturn));

#endif
