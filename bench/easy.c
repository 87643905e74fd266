/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts the jobs of a log (SWF) to those of the simulator. */
#include "bench/easy.h"

#include <stdlib.h>

int easy_run(const struct swf_log *log, const struct slu_easy_site *site,
	     const struct slu_easy_oracle *oracle, int64_t *start,
	     struct slu_easy_result *out)
{
	struct slu_easy_job *jobs = calloc(log->n + 1, sizeof(*jobs));
	int rc = -1;

	for (size_t i = 0; jobs && i < log->n; i++)
		jobs[i] = (struct slu_easy_job){
			.submit = log->job[i].submit,
			.run = easy_run_time(&log->job[i]),
			.request = log->job[i].request,
			.procs = log->job[i].procs,
		};
	if (jobs)
		rc = slu_easy_run(jobs, log->n, site, oracle, start, out);
	free(jobs);
	return rc;
}
