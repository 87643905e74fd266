/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_NOTE_H
#define SLU_CTL_NOTE_H

/*
 * What we remember with a job, in slurmctld's own record of it: the last part
 * of the administrator's comment, which outlives restarts, which users cannot
 * forge, and which `scontrol show job` and sacct show:
 *
 *   sluice: predicted 0:05:10 (class, 3 jobs), asked 0:10:00; gave back
 *   0:01:23; stage-out failed: ...
 *
 * Text of others stands before it and is left alone.
 */

#include <stdbool.h>
#include <stdint.h>
#include "wire/job.h"

#define SLU_NOTE_WHY 256

struct slu_note {
	int64_t predicted;	/* run time, s; 0: none */
	char from[16];		/* which rule gave it */
	uint32_t jobs;		/* how many ended jobs stood behind it */
	bool has_asked;		/* `asked` is known */
	int64_t asked;		/* the user's limit, s; 0: none */
	int64_t gave_back;	/* s; -1: nothing yet */
	char why[SLU_NOTE_WHY]; /* why it failed or waits; "" */
};

/* Read our part of a comment (NULL is fine); without one *out is empty
 * (gave_back -1, all else zero) and false is returned. */
bool slu_ctl_note_parse(const char *comment, struct slu_note *out);
/* The comment with our part replaced, "" when nothing is left. Caller frees;
 * NULL without memory. */
char *slu_ctl_note_apply(const char *comment, const struct slu_note *note);
/* Fill in predicted, predicted_from and limit_asked of a job. */
void slu_ctl_note_to_job(const char *comment, struct slu_job *job);

#endif
