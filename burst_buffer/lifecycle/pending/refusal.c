/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds a waiting job that cannot get what it asks for, with the reason. Where
 * only the site can correct the cause, or time does, the job is not held: the
 * reason is shown, and the request comes again.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/pending/refusal.h"
#include "common/str.h"

/* Can only the site correct it? Then the job is not held, and asks again. */
static bool is_passing(const struct slu_buffers *b, const struct slu_err *why)
{
	if (slu_db_unusable(b->db))
		return true;
	return why->kind != SLU_INVALID && why->kind != SLU_DENIED &&
	       why->kind != SLU_NOTFOUND;
}

static void log_of_job(struct slu_buffers *b, enum slu_level level,
		       const struct slu_job *job, const char *text)
{
	char line[SLU_ERR_TEXT + 64];

	snprintf(line, sizeof(line), "job %u: %s", (unsigned)job->job_id, text);
	b->ops->log(b->arg, level, line);
}

static void say_not_yet(struct slu_buffers *b, const struct slu_job *job,
			const struct slu_err *why)
{
	const size_t at =
		job->job_id % (sizeof(b->not_yet) / sizeof(*b->not_yet));
	const struct slu_annotate note = {job->job_id, (char *)why->text, true};

	if (b->not_yet[at].job_id != job->job_id ||
	    strcmp(b->not_yet[at].text, why->text) != 0)
		log_of_job(b, why->kind == SLU_BUSY ? SLU_INFO : SLU_WARN, job,
			   why->text);
	b->not_yet[at].job_id = job->job_id;
	slu_copy(b->not_yet[at].text, sizeof(b->not_yet[at].text), why->text);
	b->ops->annotate(b->arg, &note);
}

void slu_bb_refuse(struct slu_buffers *b, const struct slu_job *job,
		   const struct slu_err *why)
{
	struct slu_verdict verdict = {.job_id = job->job_id, .pending = true};

	if (is_passing(b, why)) {
		say_not_yet(b, job, why);
		return;
	}
	log_of_job(b, SLU_WARN, job, why->text);
	verdict.reason = slu_asprintf("sluice: %s", why->text);
	if (verdict.reason)
		b->ops->verdict(b->arg, SLU_HOLD, &verdict);
	free(verdict.reason);
}
