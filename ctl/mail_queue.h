/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MAIL_QUEUE_H
#define SLU_CTL_MAIL_QUEUE_H

/*
 * Queues notification mail to users: what waits to be sent, and what was sent
 * lately.
 */

#include <pthread.h>
#include <stdbool.h>
#include "ctl/ops.h"

#define SLU_MAIL_QUEUE_MAX 1000
#define SLU_MAIL_SENT_MAX  64 /* most that are remembered */

struct slu_mail_sent {
	uint32_t array; /* 0: none; else an array job */
	uint32_t job, restarts;
	char reason[200]; /* the beginning of the sentence */
	char kind[16];
	double at;
};

struct slu_mail_queue {
	pthread_mutex_t lock; /* guards the next four */
	struct slu_queued_mail *first, **end;
	size_t waiting;
	bool running;
	/* The rest belongs to the main thread. */
	struct slu_mail_sent sent[SLU_MAIL_SENT_MAX];
	size_t n_sent; /* entries ever made */
	bool full;     /* and that was logged */
};

struct slu_queued_mail {
	struct slu_queued_mail *next;
	struct slu_ctl_mail mail;
};

void slu_mail_queue_init(struct slu_mail_queue *queue);
void slu_mail_queue_free(struct slu_mail_queue *queue);
void slu_queued_mail_free(struct slu_queued_mail *queued); /* with the mail */

/* Queues it; -1: there are too many. *start: no thread sends, and the caller
 * has to start one. */
int slu_mail_queue_add(struct slu_mail_queue *queue,
		       struct slu_queued_mail *queued, bool *start);
/* Takes the next one. NULL: none, or stop is set; then the thread has to end,
 * and is marked as ended. */
struct slu_queued_mail *slu_mail_queue_next(struct slu_mail_queue *queue,
					    bool stop);
/* Was the same sent recently to another task of this array, or about this run
 * of the job? sluiced repeats a verdict until it knows that it was saved.
 * Remembers the mail. */
bool slu_mail_queue_was_sent(struct slu_mail_queue *queue,
			     const struct slu_ctl_mail *mail,
			     const struct slu_verdict *verdict, double now);

/* Letters, digits and ._%+=@-, in parts separated by commas, each beginning
 * with a letter or a digit. */
bool slu_mail_is_address(const char *to);

#endif
