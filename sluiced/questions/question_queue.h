/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_QUESTION_QUEUE_H
#define SLU_SLUICED_QUESTIONS_QUESTION_QUEUE_H

/* Holds the questions that wait, and those that a process is answering. */

#include <stddef.h>

#define SLU_QUESTION_CHILDREN 4 /* at a time */

struct slu_question;

struct slu_questions {
	struct slu_question *head, **tail; /* waiting */
	size_t waiting;
	struct slu_question *running[SLU_QUESTION_CHILDREN];
};

#endif
