/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MAIL_H
#define SLU_CTL_MAIL_H

/* Mails to users about what was done to their jobs, sent by a thread that no
 * other waits for. */

#include <pthread.h>
#include <stdbool.h>
#include "ctl/ops.h"

#define SLU_MAILS_TOLD 64 /* mails that are remembered */

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

void slu_mails_init(struct slu_mails *mails);
void slu_mails_free(struct slu_mails *mails);

struct slu_ctl;
/* In the main thread: have the mail about it sent soon, if the job's user wants
 * one. Addresses that are malformed, or would be an option or a command for
 * some mail program, are not used. Of tasks of an array that get the same
 * verdict, one an hour is mailed; the same for one run, once an hour. */
void slu_mail_send(struct slu_ctl *ctl, const struct slu_verdict *verdict,
		   bool staged, double now);

/* Letters, digits and ._%+=@-, in parts separated by commas, each beginning
 * with a letter or a digit. */
bool slu_mail_is_address(const char *to);

#endif
