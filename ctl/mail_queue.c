/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues notification mail to users. What was sent within the last hour is not
 * sent again.
 *
 * What users wrote (the job's name, paths in a sentence, the address) becomes
 * an argument and never a command: an address that some mail programs would
 * take for an option, a file or a pipe is refused.
 */
#include "config.h"
#include "ctl/mail_queue.h"

#include <stdlib.h>
#include <string.h>

#include "common/str.h"

#define ADDRESS 254    /* bytes, RFC 5321 */
#define FOR	3600.0 /* s for which a mail is remembered */

bool slu_mail_is_address(const char *to)
{
	static const char alnum[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	if (strlen(to) > ADDRESS)
		return false;
	for (const char *part = to;; part++) {
		bool begins = *part && strchr(alnum, *part);

		while (*part &&
		       (strchr(alnum, *part) || strchr("._%+=@-", *part)))
			part++;
		if (!begins || (*part && *part != ','))
			return false;
		if (!*part)
			return true;
	}
}

void slu_queued_mail_free(struct slu_queued_mail *queued)
{
	if (!queued)
		return;
	free(queued->mail.program);
	free(queued->mail.to);
	free(queued->mail.kind);
	free(queued->mail.subject);
	free(queued);
}

void slu_mail_queue_init(struct slu_mail_queue *m)
{
	m->end = &m->first;
	pthread_mutex_init(&m->lock, NULL);
}

void slu_mail_queue_free(struct slu_mail_queue *m)
{
	struct slu_queued_mail *queued;

	while ((queued = m->first)) {
		m->first = queued->next;
		slu_queued_mail_free(queued);
	}
	pthread_mutex_destroy(&m->lock);
}

struct slu_queued_mail *slu_mail_queue_next(struct slu_mail_queue *m, bool stop)
{
	struct slu_queued_mail *queued;

	pthread_mutex_lock(&m->lock);
	queued = stop ? NULL : m->first;
	if (queued) {
		m->first = queued->next;
		m->waiting--;
	}
	if (!m->first)
		m->end = &m->first;
	if (!queued)
		m->running = false;
	pthread_mutex_unlock(&m->lock);
	return queued;
}

bool slu_mail_queue_was_sent(struct slu_mail_queue *m,
			     const struct slu_ctl_mail *mail,
			     const struct slu_verdict *verdict, double now)
{
	size_t n =
		m->n_sent < SLU_MAIL_SENT_MAX ? m->n_sent : SLU_MAIL_SENT_MAX;
	struct slu_mail_sent is = {.array = mail->array_job_id, .at = now};

	slu_copy(is.kind, sizeof(is.kind), mail->kind);
	if (!is.array) {
		is.job = mail->job_id;
		is.restarts = verdict->restarts;
		slu_copy(is.reason, sizeof(is.reason),
			 verdict->reason ? verdict->reason : "");
	}
	for (size_t i = 0; i < n; i++)
		if (m->sent[i].array == is.array && m->sent[i].job == is.job &&
		    m->sent[i].restarts == is.restarts &&
		    slu_eq(m->sent[i].kind, is.kind) &&
		    slu_eq(m->sent[i].reason, is.reason) &&
		    now < m->sent[i].at + FOR)
			return true;
	m->sent[m->n_sent++ % SLU_MAIL_SENT_MAX] = is;
	return false;
}

int slu_mail_queue_add(struct slu_mail_queue *m, struct slu_queued_mail *queued,
		       bool *start)
{
	int rc = 0;

	pthread_mutex_lock(&m->lock);
	*start = !m->running;
	if (m->waiting < SLU_MAIL_QUEUE_MAX) {
		*m->end = queued;
		m->end = &queued->next;
		m->waiting++;
		m->running = true;
	} else {
		rc = -1;
	}
	pthread_mutex_unlock(&m->lock);
	return rc;
}
