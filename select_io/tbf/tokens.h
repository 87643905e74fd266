/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TBF_TOKENS_H
#define SLU_TBF_TOKENS_H

/*
 * Divides the tokens (RPCs) of one storage target among its active jobs for the
 * next period: AdapTBF (Rashid and Dai, section III-C), equations (1) to (25).
 * One batch belongs to one thread.
 */

/*
 *   1. every active job gets its part of the target's tokens by its number of
 *	compute nodes (1), (2);
 *   2. what a job did not use in the period before is lent to all active jobs
 *	by how well they use their tokens and by priority (3) to (8);
 *   3. jobs that have lent get back from jobs that have borrowed (9) to (20).
 *
 * Tokens are whole. What rounding takes is kept as the job's remainder, which
 * runs through all three steps and on into the next period (21) to (25); after
 * each step the largest remainders get the tokens that are left. A record is
 * what a job has lent (positive) or borrowed (negative); records move by whole
 * tokens, from one job to another, so their sum over all jobs is constant.
 *
 * Active is a job that had at least one RPC served in the period: exactly
 * these are in the batch. Tokens and RPCs are whole numbers below 2^31, records
 * below 2^53.
 */

#include <stdbool.h>
#include <stddef.h>
#include "common/err.h"

struct slu_tokens_settings {
	double rate; /* T: tokens per second of the target, > 0; of one
		      * period, below 2^31 */
	/*
	 * The equations as they are printed: (24) forgets the remainder of the
	 * step before, (14) may reclaim more than a job has (its tokens are
	 * then negative), a division by zero gives a job all there is, and an
	 * excess is taken from the largest remainder. Without it these are
	 * mended, and the tokens of each period sum up to T times its length.
	 */
	bool literal;
	/* Assume that a job that used up its limit would have used more: as
	 * long as there are such jobs, all lent tokens go to them, by priority,
	 * and those of them that have lent get it back, from each borrower up
	 * to half of its tokens, instead of what (13) says. So a lender has
	 * back what it lent, but for what the target serves in a period or
	 * two, as soon as half of the borrowers' tokens sum up to it. */
	bool hungry;
	/* Limits are no reservations: the limit of a job that lends stays at
	 * its part by priority, so that its next burst does not wait for a
	 * period to pass. Limits may then sum up to more than the tokens. */
	bool instant;
};

/* The active jobs of a period, one an index. */
struct slu_tokens {
	size_t n;
	double *nodes;	   /* in: compute nodes, > 0 */
	double *demand;	   /* in: RPCs served in the period, >= 1 */
	double *limit;	   /* in: RPCs that were allowed in it, < 0 unknown;
			    * out: RPCs allowed in the next, >= tokens */
	double *tokens;	   /* in: tokens of that period, < 0: it had none;
			    * out: tokens of the next */
	double *record;	   /* in and out */
	double *remainder; /* in and out; 0 for a new job */
	double carry; /* in and out: the part of a token the target had left */
	/* private */
	size_t cap;
	double *memory;
};

/* Room for n jobs, whose values the caller then sets; n becomes the size of
 * the batch. Start from {0}. Old values are lost when it has to grow. */
int slu_tokens_resize(struct slu_tokens *t, size_t n, struct slu_err *err);
void slu_tokens_free(struct slu_tokens *t);

/* One step at the end of a period of so many seconds, for one as long; O(n),
 * allocates nothing, cannot fail. */
void slu_tokens_step(const struct slu_tokens_settings *settings,
		     struct slu_tokens *t, double seconds);

#endif
