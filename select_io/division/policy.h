/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_DIVISION_POLICY_H
#define SLU_SELECT_IO_DIVISION_POLICY_H

/*
 * How many I/O nodes each running job gets (Bez et al., IPDPS 2021, section 3).
 *
 * A job's choices are the divisors of its number of compute nodes, up to a
 * limit, and 0 where direct access is allowed. Its usual number is what STATIC
 * gives: ceil(Ca / R), R = C / F with the whole system's compute (C) and I/O
 * nodes (F), rounded down to a choice.
 *
 *   ZERO, ONE  no and one I/O node
 *   STATIC     the usual number; a running job keeps what it has
 *   SIZE       round(F x its nodes / nodes of all running jobs), F being the
 *   PROCESS    I/O nodes that can be given now; the same with tasks
 *   ORACLE     the least number that gives its greatest bandwidth; the usual
 *	        one where its curve is unknown
 *   MCKP       the choices that together give the most bandwidth; a job whose
 *	        curve is unknown has what STATIC gives it among the same jobs.
 *	        So has one that was measured, but not with that number;
 *	        other numbers that it was not measured with count nothing.
 *	        Beside jobs that were measured, one whose curve is a
 *	        table's has the best of at most what STATIC gives it, and what
 *	        is left over goes to such jobs first, where by their tables it
 *	        brings most: what a benchmark reaches is never weighed against
 *	        what runs did reach, so whoever claims a pattern takes nothing
 *	        from them that STATIC does not give him
 *
 * Every number is rounded down to a choice, or up to the least of them.
 * Numbers that are fixed in this way and do not fit in the pool are lowered:
 * the largest by one choice, the newest job first among equals, until all
 * fits. Running jobs of STATIC are not lowered. When all are as low as they can
 * be and still do not fit, one I/O node is shared: every job may take it
 * instead, at weight 0 and with the bandwidth of one I/O node divided by the
 * number of running jobs, and the others are divided as before. The bandwidth
 * of one that is not known is then taken to be the mean of the known ones.
 *Under STATIC it can happen that running jobs hold every I/O node; then all new
 * jobs share one of those.
 *
 * Jobs of a user in an account, and of an account, may be limited together
 * (division.h), by every policy; and what MCKP makes the most of is the sum of
 * bandwidths, each times what it counts.
 *
 * MCKP is never below STATIC, because STATIC divides the same jobs first, with
 * the same limits.
 *
 * Where numbers may change, each unknown job, and each that was not measured
 * with what it gets there, has just that, lowered or sharing as there, and
 *every choice of the other known ones is open. So STATIC's division is one of
 *those that the knapsack takes the best of (to its unit, 1 kB/s), what the
 *former reach is the same in both, and what the others reach was measured, or
 *counts nothing.
 *
 * Where numbers are fixed while jobs run, STATIC's are, too, and it is followed
 * from event to event. A new job has the best of at most what STATIC gives it,
 *of what it was measured with; an unknown one, and one that was not measured
 *with that, just that. So none holds more than there: whoever ends, there is
 *room for what STATIC gives the next; and each job reaches as much as there, by
 *what was known when it started. With more it would hold what STATIC still has
 *to give, and could not give it back.
 *
 * Where I/O nodes fail, whose they were is new to both; of what STATIC has more
 * than jobs really hold it is taken to lose those that it is short of.
 */

#include "common/conf.h"
#include "select_io/curves/curves.h"

/* Write the choices in ascending order, at most max of them; returns their
 * number, at least 1 (limit 0 leaves only 0). */
size_t slu_ion_choices(uint32_t nodes, uint32_t limit, bool direct,
		       uint32_t *out, size_t max);

/* Without those below `least`, as far as there are others; how many remain. */
size_t slu_ion_at_least(uint32_t least, uint32_t *choice, size_t n);

/* The greatest choice <= want, or the least one; there is at least one. */
uint32_t slu_ion_round_down(uint64_t want, const uint32_t *choice, size_t n);

/* The usual number. compute > 0; choices are not empty. */
uint32_t slu_ion_usual(uint32_t nodes, uint32_t compute, uint32_t ions,
		       const uint32_t *choice, size_t n);

/* Whose jobs may be limited together: a user's in one account, an account's. */
enum { SLU_ION_USER, SLU_ION_ACCOUNT, SLU_ION_GROUPS };

/* Those of a user's job in an account (NULL: in none). */
void slu_ion_groups(uint32_t uid, const char *account,
		    uint64_t group[SLU_ION_GROUPS]);

/* One running job. The list is in order of age: the newest last. */
struct slu_ion_job {
	const uint32_t *choice;		/* ascending */
	size_t n;			/* at least 1 */
	uint32_t usual;			/* one of them */
	uint32_t nodes, tasks;		/* of the job */
	const struct slu_curve *curve;	/* NULL: unknown */
	double counts;			/* each MB/s of it so much; 0: 1 */
	uint64_t group[SLU_ION_GROUPS]; /* equal ones are together */
	bool claimed;	/* the curve is a table's: it was not measured */
	bool tries;	/* MCKP: it is to have this number, whatever is best: */
	uint32_t trial; /* one of its choices; where numbers are fixed, what
			 * STATIC gives it if that is less */
	bool fixed;	/* what it holds may not be changed, as under STATIC */
	bool holds;	/* it has I/O nodes already: */
	bool shares;	/* the shared one, */
	uint32_t held;	/* or this many of its own */
};

struct slu_ion_grant {
	uint32_t ions;	  /* of its own; 0 for direct access or shared */
	bool shared;	  /* it uses the shared one */
	double bandwidth; /* MB/s, also of a table; 0: unknown */
};

/* How good the numbers are. The bound is that of the knapsack in which no job's
 * number is fixed, by a policy or because it runs, and jobs that were not
 * measured take as little as they may: what the others reach in any division is
 * below. */
struct slu_ion_proof {
	double bound; /* MB/s; 0: nothing was to be divided */
	double gap;   /* bound - reached */
	bool proved;  /* nothing better exists with what is fixed */
};

struct slu_ion_division;

/* Fill grant[n]. What running jobs hold must fit in the pool. With an empty
 * pool nobody gets anything. The division is lent (division.h), whatever was
 * in it is forgotten; proof may be NULL. */
int slu_ion_decide(struct slu_ion_division *lent, enum slu_ion_policy policy,
		   uint32_t pool, const struct slu_ion_job *job, size_t n,
		   struct slu_ion_grant *grant, struct slu_ion_proof *proof,
		   struct slu_err *err);

#endif
