/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/predict: measures precision and recall of warnings that a
 * requested time is too short (job_submit/predictor/too_short.h). A warning is
 * right if the job runs to that time, or fails in the last minute before that
 * (in the last tenth for short requests).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "bench/predict.h"

struct warned {
	size_t warned, right, all;
};

static bool was_too_short(const struct swf_job *job)
{
	int64_t run = job->end - job->start;
	int64_t near = job->request / 10 < 60 ? job->request / 10 : 60;

	return run >= job->request || (strcmp(job->state, "COMPLETED") != 0 &&
				       run >= job->request - near);
}

static struct warned count(const struct swf_log *log, const bool *warned)
{
	struct warned w = {0};

	for (size_t i = 0; i < log->n; i++) {
		bool is = was_too_short(&log->job[i]);

		w.all += is;
		w.warned += warned[i];
		w.right += is && warned[i];
	}
	return w;
}

static double share(size_t of, size_t all)
{
	return all ? (double)of / (double)all : NAN;
}

void predict_warned(const struct swf_log *log, const bool *warned)
{
	struct warned w = count(log, warned);

	printf("  warned that the request is too short: %zu jobs, of which it "
	       "came true: %.3f; of\n  the %zu that reached theirs %.4f were\n",
	       w.warned, share(w.right, w.warned), w.all,
	       share(w.right, w.all));
}

void predict_warned_csv(const char *name, const struct swf_log *log,
			const bool *warned)
{
	struct warned w = count(log, warned);

	printf("%s,warned,jobs,%zu,,,\n", name, w.warned);
	if (w.warned)
		printf("%s,warnings that came true,share,%.4f,goal,0.9,%.3f\n",
		       name, share(w.right, w.warned),
		       share(w.right, w.warned) / 0.9);
	printf("%s,too short requests that were warned of,share,%.4f,,,\n",
	       name, share(w.right, w.all));
}
