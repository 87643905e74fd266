/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_DIVISION_POLICY_H
#define SLU_SELECT_IO_DIVISION_POLICY_H

/*
 * Decides how many I/O nodes each running job gets, by the policies of Bez et
 * al., IPDPS 2021, section 3. This header has the policies' rules, the choices
 * of a single job, and the inputs and results; division.h divides a pool by a
 * policy.
 */

/*
 * A job's choices are the divisors of its number of compute nodes, up to a
 * limit, and 0 where direct access is allowed. Its usual number is what STATIC
 * gives: ceil(Ca / R), R = C / F with the whole system's compute (C) and I/O
 * nodes (F), rounded down to a choice.
 *
 *   ZERO, ONE  no and one I/O node
 *   STATIC     the usual number; a running job keeps what it has
 *   SIZE       round(F x its nodes / nodes of all running jobs), F being the
 *   PROCESS    available I/O nodes; the same with tasks
 *   ORACLE     the smallest number with its greatest bandwidth; the usual
 *	        one if its curve is unknown
 *   MCKP       the choices with the greatest total bandwidth
 *
 * MCKP uses measured bandwidths only. A job gets the number of STATIC if its
 * curve is unknown, or was not measured with that number; other numbers without
 * a measurement have the value 0. If some jobs were measured, a job with a
 * table's curve gets the best of at most STATIC's number, and I/O nodes that
 * remain go to such jobs first, where their tables predict the most gain: a
 * benchmark's bandwidth is never compared with a measured one, so that a job
 * cannot take I/O nodes from measured ones by naming a pattern.
 *
 * Every number is rounded down to a choice, or up to the smallest one. Numbers
 * that are fixed in this way and do not fit in the pool are lowered: the
 * largest by one choice, the newest job first among equals, until all fit.
 * Running jobs of STATIC are not lowered. If the smallest choices do not fit
 * either, one I/O node is shared: every job may take it instead, at weight 0
 * and with the bandwidth of one I/O node divided by the number of running jobs,
 * and the rest is divided as before. An unknown bandwidth of one I/O node is
 * then assumed to be the mean of the known ones. Under STATIC running jobs may
 * hold every I/O node; then all new jobs share one of those.
 *
 * The jobs of a user in an account, and of an account, may have common limits
 * (division.h), with every policy. MCKP maximises the sum of bandwidths, each
 * times the job's weight (`counts`).
 *
 * MCKP is never below STATIC, as the same jobs are first divided by STATIC with
 * the same limits:
 *
 * - Where numbers may change, every unknown job, and every job that was not
 *   measured with STATIC's number, has exactly that number, lowered or sharing
 *   likewise, and every choice of the other known jobs is open. So the division
 *   of STATIC is feasible in the knapsack, which finds the optimum (to its
 *   unit, 1 kB/s); the former jobs reach the same in both, and the bandwidth
 *   of the latter was measured, or has the value 0.
 *
 * - Where numbers are fixed as long as jobs run, so are STATIC's, and both are
 *   compared event by event. A new job gets the best measured number up to
 *   that of STATIC; an unknown one, and one that was not measured with that
 *   number, exactly that. So none holds more than under STATIC: after any end
 *   there is space for what STATIC gives the next job; and each job reaches as
 *   much as under STATIC, by what was known at its start. With more it would
 *   hold what STATIC can still give to others, and could not give it back.
 *
 * After a failure of I/O nodes their jobs are new in both divisions. If STATIC
 * then holds more than the jobs really hold, the excess is taken from them.
 */

#include "common/conf.h"
#include "select_io/curves/curves.h"

/* Write the choices in ascending order, at most max of them; returns their
 * number, at least 1 (limit 0 leaves only 0). */
size_t slu_ion_choices(uint32_t nodes, uint32_t limit, bool direct,
		       uint32_t *out, size_t max);

/* Removes choices below `least`, if others remain; returns their number. */
size_t slu_ion_at_least(uint32_t least, uint32_t *choice, size_t n);

/* The greatest choice <= want, or the least one; there is at least one. */
uint32_t slu_ion_round_down(uint64_t want, const uint32_t *choice, size_t n);

/* The usual number. compute > 0; choices are not empty. */
uint32_t slu_ion_usual(uint32_t nodes, uint32_t compute, uint32_t ions,
		       const uint32_t *choice, size_t n);

/* Groups with common limits: a user's jobs in one account, an account's jobs.
 */
enum { SLU_ION_USER, SLU_ION_ACCOUNT, SLU_ION_GROUPS };

/* The groups of a user's job in an account (NULL: none). */
void slu_ion_groups(uint32_t uid, const char *account,
		    uint64_t group[SLU_ION_GROUPS]);

/* One running job. Lists are sorted by age, the newest last. */
struct slu_ion_job {
	const uint32_t *choice;		/* ascending */
	size_t n;			/* at least 1 */
	uint32_t usual;			/* one of them */
	uint32_t nodes, tasks;		/* of the job */
	const struct slu_curve *curve;	/* NULL: unknown */
	double counts;			/* weight of its bandwidth; 0: 1 */
	uint64_t group[SLU_ION_GROUPS]; /* keys of its groups */
	bool claimed;	/* the curve is a table's: it was not measured */
	bool tries;	/* MCKP: it gets this number in any case: */
	uint32_t trial; /* one of its choices; where numbers are fixed, that of
			 * STATIC if it is lower */
	bool fixed;	/* the number it holds may not be changed */
	bool holds;	/* it has I/O nodes already: */
	bool shares;	/* the shared one, */
	uint32_t held;	/* or this many of its own */
};

struct slu_ion_grant {
	uint32_t ions;	  /* of its own; 0 for direct access or shared */
	bool shared;	  /* it uses the shared one */
	double bandwidth; /* MB/s, also of a table; 0: unknown */
};

/* The quality of a division. The bound is that of the knapsack in which no
 * number is fixed, and jobs that were not measured take their smallest choice:
 * an upper bound for the total of the others in any division. */
struct slu_ion_proof {
	double bound; /* MB/s; 0: there was nothing to divide */
	double gap;   /* bound - reached */
	bool proved;  /* optimal with the numbers that are fixed */
};

#endif
