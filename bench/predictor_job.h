/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_PREDICTOR_JOB_H
#define SLU_BENCH_PREDICTOR_JOB_H

/*
 * Converts a job of a log to a job as the shipped predictor sees it: a log's
 * program number stands for the job's name, its group for the account, its
 * queue for the partition; requests are whole minutes, as in Slurm.
 */

#include "bench/swf.h"
#include "wire/job.h"

/* The shipped defaults of careful limits. */
#define PREDICTOR_QUANTILE 0.75
#define PREDICTOR_FLOOR	   300 /* s */

struct predictor_names {
	char program[24], group[24], queue[24];
};

/* The strings point into names. */
struct slu_job predictor_job(const struct swf_job *job,
			     struct predictor_names *names);

#endif
