/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_WAIT_REASON_H
#define SLU_SLUICED_QUESTIONS_WAIT_REASON_H

/*
 * Finds out why a job does not run yet, from the output of `scontrol show job`.
 */

#include <stdbool.h>
#include <stdint.h>

struct slu_wait_reason {
	uint32_t job_id, uid;
	char *state, *reason; /* Slurm's words */
	/* The cause: that of slu_wait_name(), limit, hold, boot; slurm: not
	 * Sluice. Static. */
	const char *kind;
	const char *because; /* a sentence, of the text or static */
	int64_t since;	     /* Unix seconds; 0: not known */
};

/* The record of the job in what scontrol printed, which is written into; false:
 * it is not there. */
bool slu_wait_reason_parse(char *text, uint32_t job_id,
			   struct slu_wait_reason *out);

#endif
