/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_EASY_H
#define SLU_BENCH_EASY_H

/*
 * Runs the simulator of job_submit/simulation/easy_backfill.h on a job log; the
 * oracle's job indexes are those of the log.
 */

#include "bench/swf.h"
#include "job_submit/simulation/easy_backfill.h"

static inline int64_t easy_run_time(const struct swf_job *job)
{
	int64_t run = job->end - job->start;

	return run < job->request ? run : job->request;
}

int easy_run(const struct swf_log *log, const struct slu_easy_site *site,
	     const struct slu_easy_oracle *oracle, int64_t *start,
	     struct slu_easy_result *out);

#endif
