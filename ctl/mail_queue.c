/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of mails to users, which one thread sends; what was sent within an
 * hour is not sent again.
 *
 * What users wrote (the job's name, paths in a sentence, the address) is an
 * argument and never a command: an address that some mail programs would take
 * for an option, a file or a pipe is refused.
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

void slu_letter_free(struct slu_letter *letter)
{
	if (!letter)
		return;
	free(letter->mail.program);
	free(letter->mail.to);
	free(letter->mail.kind);
	free(letter->mail.subject);
	free(letter);
}

void slu_mails_init(struct slu_mails *m)
{
	m->end = &m->first;
	pthread_mutex_init(&m->lock, NULL);
}

void slu_mails_free(struct slu_mails *m)
{
	struct slu_letter *letter;

	while ((letter = m->first)) {
		m->first = letter->next;
		slu_letter_free(letter);
	}
	pthread_mutex_destroy(&m->lock);
}

struct slu_letter *slu_mails_next(struct slu_mails *m, bool stop)
{
	struct slu_letter *letter;

	pthread_mutex_lock(&m->lock);
	letter = stop ? NULL : m->first;
	if (letter) {
		m->first = letter->next;
		m->waiting--;
	}
	if (!m->first)
		m->end = &m->first;
	if (!letter)
		m->running = false;
	pthread_mutex_unlock(&m->lock);
	return letter;
}

bool slu_mails_was_told(struct slu_mails *m, const struct slu_ctl_mail *mail,
			const struct slu_verdict *verdict, double now)
{
	size_t n = m->n_told < SLU_MAILS_TOLD ? m->n_told : SLU_MAILS_TOLD;
	struct slu_mail_sent is = {.array = mail->array_job_id, .at = now};

	slu_copy(is.kind, sizeof(is.kind), mail->kind);
	if (!is.array) {
		is.job = mail->job_id;
		is.restarts = verdict->restarts;
		slu_copy(is.reason, sizeof(is.reason),
			 verdict->reason ? verdict->reason : "");
	}
	for (size_t i = 0; i < n; i++)
		if (m->told[i].array == is.array && m->told[i].job == is.job &&
		    m->told[i].restarts == is.restarts &&
		    slu_eq(m->told[i].kind, is.kind) &&
		    slu_eq(m->told[i].reason, is.reason) &&
		    now < m->told[i].at + FOR)
			return true;
	m->told[m->n_told++ % SLU_MAILS_TOLD] = is;
	return false;
}

int slu_mails_add(struct slu_mails *m, struct slu_letter *letter, bool *start)
{
	int rc = 0;

	pthread_mutex_lock(&m->lock);
	*start = !m->running;
	if (m->waiting < SLU_MAILS_WAITING) {
		*m->end = letter;
		m->end = &letter->next;
		m->waiting++;
		m->running = true;
	} else {
		rc = -1;
	}
	pthread_mutex_unlock(&m->lock);
	return rc;
}
