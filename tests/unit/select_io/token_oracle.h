/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_TOKEN_ORACLE_H
#define SLU_TESTS_TOKEN_ORACLE_H

/* Computes the token step by the paper's equations, one by one and in the order
 * of the paper, for comparison with select_io/tbf/tokens.h. Slow. */

#include <stdbool.h>
#include <stddef.h>
#include "select_io/tbf/tokens.h"

#define MAX_JOBS 200

struct job {
	double nodes, demand, before, limit, record, remainder;
	double share, u, factor, tokens, r0; /* r0: record before (8) */
	bool lent;
};

/* A step of n jobs, at most MAX_JOBS, as slu_tokens_step(). */
void step_slowly(const struct slu_tokens_settings *set, struct job *job,
		 size_t n, double seconds, double *carry);

#endif
