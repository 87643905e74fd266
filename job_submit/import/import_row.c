/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks a row that a format's parser has read, counts it, and passes it to the
 * caller of the import.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "job_submit/ended.h"
#include "job_submit/import/import_formats.h"
#include "wire/note.h"

#define FARTHEST 4000000000 /* Unix seconds; no number of a log is larger */
#define LONGEST	 (UINT32_MAX / 60) /* minutes */

void slu_import_broken(struct slu_import_report *report, uint64_t line,
		       const struct slu_err *why)
{
	if (report->broken < SLU_IMPORT_NAMED)
		snprintf(report->named[report->broken],
			 sizeof(report->named[0]), "%llu: %.100s",
			 (unsigned long long)line, why->text);
	report->broken++;
}

int slu_import_count(struct slu_import_report *report, uint64_t line, int rc,
		     const struct slu_err *err)
{
	if (rc == -2)
		return -1;
	report->jobs += rc > 0;
	report->skipped += rc == 0;
	if (rc < 0)
		slu_import_broken(report, line, err);
	return 0;
}

int slu_import_time(const char *what, int64_t time, struct slu_err *err)
{
	if (time >= 0 && time <= FARTHEST)
		return 0;
	return slu_err(err, SLU_INVALID, "%s %lld is no time", what,
		       (long long)time);
}

int slu_import_end(const struct slu_import *import, int64_t end,
		   struct slu_err *err)
{
	if (slu_import_time("end", end, err) < 0)
		return -1;
	if (!import->latest || end <= import->latest)
		return 0;
	return slu_err(err, SLU_INVALID, "end %lld lies in the future",
		       (long long)end);
}

int slu_import_limit(int64_t minutes, struct slu_err *err)
{
	if (minutes >= 0 && minutes <= LONGEST)
		return 0;
	return slu_err(err, SLU_INVALID, "a limit of %lld minutes",
		       (long long)minutes);
}

size_t slu_import_text(const struct slu_job *job)
{
	const char *const text[] = {job->user,	job->account, job->partition,
				    job->qos,	job->name,    job->work_dir,
				    job->nodes, job->state};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		n += text[i] ? strlen(text[i]) : 0;
	return n;
}

int slu_import_check_text(const struct slu_job *job, struct slu_err *err)
{
	size_t n = slu_import_text(job);

	if (n < SLU_IMPORT_TEXT)
		return 0;
	return slu_err(err, SLU_INVALID, "job %u: %zu bytes of text",
		       job->job_id, n);
}

void slu_import_elapsed(struct slu_job *job, int64_t elapsed)
{
	if (elapsed > 0 && job->start > 0 && elapsed < job->end - job->start)
		job->suspended = job->end - job->start - elapsed;
}

int slu_import_take(const struct slu_import *import, struct slu_job *job,
		    const char *comment, struct slu_err *err)
{
	const char *state =
		job->state ? slu_state_name(job->state, strlen(job->state))
			   : NULL;
	int rc;

	if (state)
		job->state = (char *)(uintptr_t)state;
	slu_ctl_note_to_job(comment, job);
	rc = import->take(import->arg, job, err);
	free(job->script);
	free(job->predicted_from);
	return rc;
}
