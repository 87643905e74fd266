/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_PREDICT_H
#define SLU_BENCH_PREDICT_H

/*
 * Shared by the parts of bench/predict: the cost of learning and predicting,
 * the effect of limits and warnings, and the jobs of a made-up busy site.
 */

#include <stdbool.h>
#include "bench/swf.h"
#include "wire/job.h"

/* Measures learning and predicting with a million jobs, and prints the times;
 * -1 without memory. */
int predict_cost(bool csv);
/* Measures a start of slurmctld with a history of so many jobs, and prints it;
 * -1 after an error, which it prints. */
int predict_replay(uint64_t rows, bool csv);

/* A job of a busy site, submitted at `now`; its texts point into *text. */
struct predict_text {
	char name[24], account[16];
};
struct slu_job predict_make(uint64_t *seed, int64_t now,
			    struct predict_text *text);

/* Prints the effect of these limits (s, one for each job of the log, at most
 * its request); the log's name is the case in CSV lines. */
void predict_granted(const struct swf_log *log, const double *limit);
void predict_granted_csv(const char *name, const struct swf_log *log,
			 const double *limit);

/* The same for warnings, one for each job of the log. */
void predict_warned(const struct swf_log *log, const bool *warned);
void predict_warned_csv(const char *name, const struct swf_log *log,
			const bool *warned);

#endif
