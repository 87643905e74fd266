/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_DIVISION_WHATIF_H
#define SLU_SELECT_IO_DIVISION_WHATIF_H

/* Predicts what the running jobs would get under another policy, with another
 * number of I/O nodes, or without one of the jobs. */

#include "select_io/division/policy.h"
#include "wire/ion_assignment.h"
#include "wire/control.h"

#define SLU_ION_AS_IT_IS UINT32_MAX

struct slu_ion_question {
	enum slu_ion_policy policy;
	uint32_t pool;	  /* number of I/O nodes, or SLU_ION_AS_IT_IS */
	uint32_t without; /* a job, or SLU_NO_ID */
};

/* grant: room for now->n_jobs, in their order; the job left out gets nothing.
 * *total: the sum of the predicted bandwidths, MB/s. *table: the sum for jobs
 * without measured runs, from the site's performance table; 0 if no job was
 * measured, since then these are in *total. */
int slu_ion_what_if(const struct slu_assignment *now,
		    const struct slu_ion_question *question,
		    struct slu_ion_grant *grant, double *total, double *table,
		    struct slu_err *err);

#endif
