/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MAIL_H
#define SLU_CTL_MAIL_H

/* Mails to users about what was done to their jobs, sent by a thread that
 * nobody waits for. */

#include <pthread.h>
#include <stdbool.h>
#include "ctl/ops.h"

#define SLU_MAILS_TOLD 64 /* mails that are remembered */

struct slu_mail_told {
	uint32_t array; /* or 0, and then: */
	uint32_t job, restarts;
	char reason[200]; /* its beginning */
	char kind[16];
	double at;
};

struct slu_mails {
	pthread_mutex_t lock; /* of the next four */
	struct slu_letter *first, **end;
	size_t waiting;
	bool running;
	/* The rest is of the thread of the loop. */
	struct slu_mail_told told[SLU_MAILS_TOLD];
	size_t n_told; /* that were ever put there */
	bool full;     /* and said so */
};

void slu_mails_init(struct slu_mails *mails);
void slu_mails_free(struct slu_mails *mails);

struct slu_ctl;
/* In the thread of the loop: the mail about it, if the job's user wants one, is
 * sent soon. What is no address, or would be an option or a command to some
 * mail program, is not written to. Of an array's tasks that are told of
 * together the first of a kind in an hour is; of another job's run the same is
 * told once in an hour. */
void slu_mail_send(struct slu_ctl *ctl, const struct slu_verdict *verdict,
		   bool staged, double now);

/* Letters, digits and ._%+=@- in parts that a comma separates, each of which
 * begins with a letter or a digit. */
bool slu_mail_is_address(const char *to);

#endif
