/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_PRIVATE_H
#define SLU_ION_PRIVATE_H

/* What the arbiter is made of; for its own files only. */

#include "select_io/ion/arbiter.h"
#include "select_io/ion/patterns.h"
#include "select_io/ion/placement.h"
#include "select_io/ion/policy.h"

struct running {
	struct slu_job job;
	uint32_t *choice;
	size_t n_choice;
	uint32_t usual, limit;
	bool tabled; /* its profile is in the site's table: */
	struct slu_curve table;
	bool granted; /* took part in a solve */
	uint32_t wanted;
	struct slu_ion_grant grant;
};

struct slu_arbiter {
	enum slu_ion_policy policy;
	uint32_t compute_nodes;
	uint32_t max_per_job;
	bool direct, remap;
	struct slu_hosts pool;
	struct slu_ion_node *node; /* of the pool, same order */
	size_t shared;		   /* in the pool, or SLU_ION_NOBODY */
	struct running *run;	   /* by job_id */
	size_t n_run;
	struct slu_curves *curves;
	struct slu_mckp *solver;
	const struct slu_patterns *patterns; /* may be NULL */
};

/* What is known of a job, NULL: nothing. */
const struct slu_curve *slu_ion_curve(const struct slu_arbiter *a,
				      const struct running *r);

uint32_t slu_ion_pool_size(const struct slu_arbiter *a);

/* Describe what is in force; -1 without memory. */
int slu_ion_answer(const struct slu_arbiter *a, double total,
		   double static_total, const struct slu_ion_proof *proof,
		   struct slu_assignment *out);

#endif
