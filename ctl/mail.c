/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mails to users, sent one after the other by a thread of its own, which lives
 * as long as some wait: the host's program takes as long as it likes, and
 * nobody waits for it. More than a bound are dropped.
 *
 * Ends of lines, with which a subject would become more than one header, are
 * blanks. Which addresses are used: mail_queue.c.
 */
#include "config.h"
#include "ctl/mail.h"

#include <stdlib.h>

#include "ctl/private.h"
#include "ctl/threads.h"

static void *send_all(void *arg)
{
	struct slu_ctl *ctl = arg;
	struct slu_letter *letter;
	struct slu_err err;

	while ((letter = slu_mails_next(&ctl->mails, ctl->stop))) {
		const struct slu_ctl_mail *mail = &letter->mail;

		if (ctl->ops.send_mail(ctl->ops.arg, mail, &err))
			ctl_log(ctl, SLU_WARN, "mail about job %u: %s",
				(unsigned)mail->job_id, err.text);
		else
			ctl_log(ctl, SLU_INFO, "mail to %s: %s", mail->to,
				mail->subject);
		slu_letter_free(letter);
	}
	slu_ctl_unref(ctl);
	return NULL;
}

static void post(struct slu_ctl *ctl, struct slu_letter *letter)
{
	struct slu_mails *m = &ctl->mails;
	bool start, dropped = slu_mails_add(m, letter, &start);

	if (dropped)
		slu_letter_free(letter);
	if (dropped && !m->full)
		ctl_log(ctl, SLU_WARN,
			"%d mails wait to be sent: more are dropped",
			SLU_MAILS_WAITING);
	m->full = dropped;
	if (!start || dropped || slu_ctl_detach(ctl, send_all))
		return;
	pthread_mutex_lock(&m->lock);
	m->running = false; /* the next mail tries again */
	pthread_mutex_unlock(&m->lock);
}

void slu_mail_send(struct slu_ctl *ctl, const struct slu_verdict *verdict,
		   bool staged, double now)
{
	struct slu_letter *letter = calloc(1, sizeof(*letter));
	struct slu_ctl_mail *mail = &letter->mail;

	if (!letter ||
	    ctl->ops.mail(ctl->ops.arg, verdict, staged, mail) != 0 ||
	    slu_mails_was_told(&ctl->mails, mail, verdict, now)) {
		slu_letter_free(letter);
		return;
	}
	slu_one_line(mail->to);
	slu_one_line(mail->subject);
	if (slu_mail_is_address(mail->to) && *mail->program == '/') {
		post(ctl, letter);
		return;
	}
	ctl_log(ctl, SLU_WARN,
		"mail about job %u: \"%.80s\" is no address that %.200s could "
		"be given",
		(unsigned)mail->job_id, mail->to, mail->program);
	slu_letter_free(letter);
}
