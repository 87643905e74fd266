/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_NOTE_H
#define SLU_WIRE_NOTE_H

/*
 * What we remember with a job, in slurmctld's own record of it: the last part
 * of the administrator's comment, which outlives restarts, which users cannot
 * forge, and which `scontrol show job` and sacct show:
 *
 *   sluice: predicted 0:05:10 (class, 3 jobs), asked 0:10:00; limit 0:06:00
 *   of 0:10:00, extended; script 9f86d081884c7d65; waited 0:02:00 for storage;
 *   gave back 0:01:23; waits for I/O since 2026-11-28T11:40:02Z; stage-out
 *   failed: ...
 *
 * or "limit 0:06:00 in place of 0:05:00" where that was too short a default.
 *
 * Text of others stands before it and is left alone.
 */

#include <stdbool.h>
#include <stdint.h>
#include "wire/job.h"
#include "wire/waits.h"

#define SLU_NOTE_WHY	   256
#define SLU_NOTE_UNLIMITED UINT32_MAX

/* What has become of a time limit that we have set. */
enum slu_note_limit {
	SLU_LIMIT_USERS,    /* not ours */
	SLU_LIMIT_GUARDED,  /* ours, until more is needed */
	SLU_LIMIT_EXTENDED, /* more was needed */
	SLU_LIMIT_LEFT,	    /* somebody has changed it since: theirs */
	SLU_LIMIT_MEANT,    /* not set yet: Slurm judges the whole one first */
};

struct slu_note {
	int64_t predicted; /* run time, s; 0: none */
	char from[16];	   /* which rule gave it */
	uint32_t jobs;	   /* how many ended jobs stood behind it */
	bool has_asked;	   /* `asked` is known */
	int64_t asked;	   /* the user's limit, s; 0: none */
	enum slu_note_limit limit;
	uint32_t tight;	 /* minutes, that we have set; 0: USERS; more than
			    `whole` where that is too short a default */
	uint32_t whole;	 /* minutes, the user's, or UNLIMITED; 0: none, so the
			    partition's */
	bool by_default; /* UNLIMITED was the partition's when it began */
	/* EXTENDED: so many planned starts are later, by up to so many s. */
	uint32_t late;
	int64_t late_by;
	uint64_t script;	  /* its hash; 0: none */
	struct slu_waited waited; /* for its last run */
	int64_t gave_back;	  /* s; -1: nothing yet */
	int64_t io_since;	  /* IOStart lets it wait; Unix s, 0: not */
	char why[SLU_NOTE_WHY];	  /* why it failed or waits; "" */
};

/* Has the job been given more than the host's default, which it keeps? */
static inline bool slu_note_filled(const struct slu_note *note)
{
	return note->limit != SLU_LIMIT_MEANT && note->whole &&
	       note->tight > note->whole;
}

/* Read our part of a comment (NULL is fine); without one *out is empty
 * (gave_back -1, all else zero) and false is returned. */
bool slu_ctl_note_parse(const char *comment, struct slu_note *out);
/* The comment with our part replaced, "" when nothing is left. Caller frees;
 * NULL without memory. */
char *slu_ctl_note_apply(const char *comment, const struct slu_note *note);
/* The same for the comment of a node, of which our part is "sluice: 17,23*" and
 * no more, wherever it stands: `ours` (like that; NULL or "": nothing) in the
 * place of it, at the end. All else is others'. Caller frees. */
char *slu_ctl_comment_put(const char *comment, const char *ours);
/* Our part of a node's comment, or NULL. Caller frees. */
char *slu_ctl_comment_ours(const char *comment);
/* Fill in of a job what a note says: predicted, predicted_from, limit_asked,
 * tightened, extended, late_by, waited, prepared and script. */
void slu_ctl_note_to_job(const char *comment, struct slu_job *job);

#endif
