/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MAIL_QUEUE_H
#define SLU_CTL_MAIL_QUEUE_H

/* Mails that wait to be sent, and those that were sent lately. */

#include <pthread.h>
#include <stdbool.h>
#include "ctl/ops.h"

#define SLU_MAILS_WAITING 1000
#define SLU_MAILS_TOLD	  64 /* mails that are remembered */

struct slu_mail_sent {
	uint32_t array; /* 0: none; else an array job */
	uint32_t job, restarts;
	char reason[200]; /* the beginning of the sentence */
	char kind[16];
	double at;
};

struct slu_mails {
	pthread_mutex_t lock; /* guards the next four */
	struct slu_letter *first, **end;
	size_t waiting;
	bool running;
	/* The rest belongs to the main thread. */
	struct slu_mail_sent told[SLU_MAILS_TOLD];
	size_t n_told; /* entries ever made */
	bool full;     /* and said so */
};

struct slu_letter {
	struct slu_letter *next;
	struct slu_ctl_mail mail;
};

void slu_mails_init(struct slu_mails *mails);
void slu_mails_free(struct slu_mails *mails);
void slu_letter_free(struct slu_letter *letter); /* with the mail */

/* Queue it; -1: there are too many. *start: no thread sends, and one is to be
 * started. */
int slu_mails_add(struct slu_mails *mails, struct slu_letter *letter,
		  bool *start);
/* The next one. NULL: none, or stop is set; the thread, which is to end then,
 * is marked as ended. */
struct slu_letter *slu_mails_next(struct slu_mails *mails, bool stop);
/* Was another task of this array told the same recently, or this run of the
 * job? sluiced repeats a verdict until it knows that it was saved. Remembers
 * it. */
bool slu_mails_was_told(struct slu_mails *mails,
			const struct slu_ctl_mail *mail,
			const struct slu_verdict *verdict, double now);

/* Letters, digits and ._%+=@-, in parts separated by commas, each beginning
 * with a letter or a digit. */
bool slu_mail_is_address(const char *to);

#endif
