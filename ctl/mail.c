/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mails to users, sent one after the other by a thread of its own, which lives
 * as long as some wait: the host's program takes as long as it likes, and
 * nobody waits for it. More than a bound are dropped.
 *
 * What users wrote (the job's name, paths in a sentence, the address) is an
 * argument and never a command: an address that some mail programs would take
 * for an option, a file or a pipe is refused, and ends of lines, with which a
 * subject would become more than one header, are blanks.
 */
#include "config.h"
#include "ctl/private.h"

#include <stdlib.h>
#include <string.h>

#define WAITING 1000
#define ADDRESS 254    /* bytes, RFC 5321 */
#define FOR	3600.0 /* s for which a mail is remembered */

struct slu_letter {
	struct slu_letter *next;
	struct slu_ctl_mail mail;
};

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

static void free_letter(struct slu_letter *letter)
{
	if (!letter)
		return;
	free(letter->mail.program);
	free(letter->mail.to);
	free(letter->mail.kind);
	free(letter->mail.subject);
	free(letter);
}

void slu_mails_free(struct slu_mails *m)
{
	struct slu_letter *letter;

	while ((letter = m->first)) {
		m->first = letter->next;
		free_letter(letter);
	}
	pthread_mutex_destroy(&m->lock);
}

void slu_mails_init(struct slu_mails *m)
{
	m->end = &m->first;
	pthread_mutex_init(&m->lock, NULL);
}

/* The next one. NULL: none, and the thread ends and is marked as ended. */
static struct slu_letter *next_letter(struct slu_ctl *ctl)
{
	struct slu_mails *m = &ctl->mails;
	struct slu_letter *letter;

	pthread_mutex_lock(&m->lock);
	letter = ctl->stop ? NULL : m->first;
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

static void *send_all(void *arg)
{
	struct slu_ctl *ctl = arg;
	struct slu_letter *letter;
	struct slu_err err;

	while ((letter = next_letter(ctl))) {
		const struct slu_ctl_mail *mail = &letter->mail;

		if (ctl->ops.send_mail(ctl->ops.arg, mail, &err))
			ctl_log(ctl, SLU_WARN, "mail about job %u: %s",
				(unsigned)mail->job_id, err.text);
		else
			ctl_log(ctl, SLU_INFO, "mail to %s: %s", mail->to,
				mail->subject);
		free_letter(letter);
	}
	slu_ctl_unref(ctl);
	return NULL;
}

/* Was another task of this array told the same recently, or this run of the
 * job? sluiced repeats a verdict until it knows that it was saved. */
static bool was_told(struct slu_mails *m, const struct slu_ctl_mail *mail,
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

/* Queues it; -1: there are too many. *start: no thread sends. */
static int add(struct slu_mails *m, struct slu_letter *letter, bool *start)
{
	int rc = 0;

	pthread_mutex_lock(&m->lock);
	*start = !m->running;
	if (m->waiting < WAITING) {
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

static void post(struct slu_ctl *ctl, struct slu_letter *letter)
{
	struct slu_mails *m = &ctl->mails;
	bool start, dropped = add(m, letter, &start);

	if (dropped)
		free_letter(letter);
	if (dropped && !m->full)
		ctl_log(ctl, SLU_WARN,
			"%d mails wait to be sent: more are dropped", WAITING);
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
	    was_told(&ctl->mails, mail, verdict, now)) {
		free_letter(letter);
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
	free_letter(letter);
}
