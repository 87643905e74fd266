/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends notification mail to users. Slurm's mail program may take long, so a
 * thread runs it, one message after the other, as long as some wait. When too
 * many wait, further ones are dropped.
 *
 * Newlines in a subject, which would add headers, become blanks. mail_queue.c
 * decides which addresses are used.
 */
#include "config.h"
#include "ctl/mail.h"

#include <stdlib.h>

#include "ctl/private.h"
#include "ctl/threads.h"

static void *send_all(void *arg)
{
	struct slu_ctl *ctl = arg;
	struct slu_queued_mail *queued;
	struct slu_err err;

	while ((queued = slu_mail_queue_next(&ctl->mail_queue, ctl->stop))) {
		const struct slu_ctl_mail *mail = &queued->mail;

		if (ctl->ops.send_mail(ctl->ops.arg, mail, &err))
			ctl_log(ctl, SLU_WARN, "mail about job %u: %s",
				(unsigned)mail->job_id, err.text);
		else
			ctl_log(ctl, SLU_INFO, "mail to %s: %s", mail->to,
				mail->subject);
		slu_queued_mail_free(queued);
	}
	slu_ctl_unref(ctl);
	return NULL;
}

static void post(struct slu_ctl *ctl, struct slu_queued_mail *queued)
{
	struct slu_mail_queue *m = &ctl->mail_queue;
	bool start, dropped = slu_mail_queue_add(m, queued, &start);

	if (dropped)
		slu_queued_mail_free(queued);
	if (dropped && !m->full)
		ctl_log(ctl, SLU_WARN,
			"%d mails wait to be sent: more are dropped",
			SLU_MAIL_QUEUE_MAX);
	m->full = dropped;
	if (!start || dropped || slu_ctl_detach(ctl, send_all))
		return;
	pthread_mutex_lock(&m->lock);
	m->running = false; /* the next message tries again */
	pthread_mutex_unlock(&m->lock);
}

void slu_mail_send(struct slu_ctl *ctl, const struct slu_verdict *verdict,
		   bool staged, double now)
{
	struct slu_queued_mail *queued = calloc(1, sizeof(*queued));
	struct slu_ctl_mail *mail = &queued->mail;

	if (!queued ||
	    ctl->ops.mail(ctl->ops.arg, verdict, staged, mail) != 0 ||
	    slu_mail_queue_was_sent(&ctl->mail_queue, mail, verdict, now)) {
		slu_queued_mail_free(queued);
		return;
	}
	slu_one_line(mail->to);
	slu_one_line(mail->subject);
	if (slu_mail_is_address(mail->to) && *mail->program == '/') {
		post(ctl, queued);
		return;
	}
	ctl_log(ctl, SLU_WARN,
		"mail about job %u: \"%.80s\" is not an address that can be "
		"passed to %.200s",
		(unsigned)mail->job_id, mail->to, mail->program);
	slu_queued_mail_free(queued);
}
