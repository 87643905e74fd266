/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_NOTE_H
#define SLU_WIRE_NOTE_H

/*
 * The note in which Sluice records, in a job's AdminComment, what it did with
 * the job. The note is the last part of that comment, which survives restarts
 * of slurmctld, which users cannot forge, and which `scontrol show job` and
 * sacct show. Other text in the comment comes before it and is not changed.
 */

/*
 *   sluice: predicted 0:05:10 (class, 3 jobs), asked 0:10:00; limit 0:06:00
 *   of 0:10:00, extended; script 9f86d081884c7d65; waited 0:02:00 for storage;
 *   gave back 0:01:23; waits for I/O since 2026-11-28T11:40:02Z; start: 50 % by
 *   2026-11-28T14:20, 90 % by 2026-11-28T15:10, on n12 .8; stage-out failed:
 * ...
 *
 * or "limit 0:06:00 in place of 0:05:00" where the default was too short.
 */

#include <stdbool.h>
#include <stdint.h>
#include "wire/job.h"
#include "wire/waits.h"

#define SLU_NOTE_WHY	   256
#define SLU_NOTE_START	   160
#define SLU_NOTE_UNLIMITED UINT32_MAX

/* State of a time limit that we have set. */
enum slu_note_limit {
	SLU_LIMIT_USERS,    /* not ours */
	SLU_LIMIT_GUARDED,  /* ours, until the job needs more */
	SLU_LIMIT_EXTENDED, /* the job needed more */
	SLU_LIMIT_LEFT,	    /* a user or administrator changed it since: we no
			       longer manage it */
	SLU_LIMIT_MEANT,    /* not set yet: Slurm first checks the job with the
			       whole one */
};

struct slu_note {
	int64_t predicted; /* run time, s; 0: none */
	char from[16];	   /* the rule that predicted it */
	uint32_t jobs;	   /* how many ended jobs that is based on */
	bool has_asked;	   /* `asked` is known */
	int64_t asked;	   /* the user's limit, s; 0: none */
	enum slu_note_limit limit;
	uint32_t tight;	 /* minutes, the limit that we have set; 0: USERS; more
			    than `whole` where the default was too short */
	uint32_t whole;	 /* minutes, the user's limit, or UNLIMITED; 0: none, so
			    the partition's */
	bool by_default; /* UNLIMITED came from the partition when the job began
			  */
	/* EXTENDED: this many planned starts are later, by up to late_by
	 * seconds. */
	uint32_t late;
	int64_t late_by;
	uint64_t script;	  /* its hash; 0: none */
	struct slu_waited waited; /* in the queue, before its last run */
	int64_t gave_back;	  /* s; -1: nothing yet */
	int64_t io_since; /* IOStart has kept it waiting since then; Unix s, 0:
			     it does not */
	char start[SLU_NOTE_START]; /* when and where it will start, as struct
				       slu_start_told has it; "": not told */
	char why[SLU_NOTE_WHY];	    /* why it failed or waits; "" */
};

/* Has the job got a limit above the default, which it keeps? */
static inline bool slu_note_filled(const struct slu_note *note)
{
	return note->limit != SLU_LIMIT_MEANT && note->whole &&
	       note->tight > note->whole;
}

/* Parse our part of a comment (NULL is allowed); without one *out is empty
 * (gave_back -1, all else zero) and false is returned. */
bool slu_ctl_note_parse(const char *comment, struct slu_note *out);
/* The comment with our part replaced, "" when nothing is left. Caller frees;
 * NULL without memory. */
char *slu_ctl_note_apply(const char *comment, const struct slu_note *note);
/* The same for a node's comment, where our part is only "sluice: 17,23*",
 * anywhere in it: it is replaced by `ours` (in the same form; NULL or "": none)
 * at the end. All other text is kept. Caller frees. */
char *slu_ctl_comment_put(const char *comment, const char *ours);
/* Our part of a node's comment, or NULL. Caller frees. */
char *slu_ctl_comment_ours(const char *comment);
/* Put in the comment's note when its job will start; NULL or "": not told any
 * more. Caller frees; NULL: the comment says so already, or without memory. */
char *slu_ctl_note_start(const char *comment, const char *start);
/* Fill in the members of a job that a note has: predicted, predicted_from,
 * limit_asked, tightened, extended, late_by, waited, prepared and script. */
void slu_ctl_note_to_job(const char *comment, struct slu_job *job);

#endif
