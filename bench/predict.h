/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_PREDICT_H
#define SLU_BENCH_PREDICT_H

#include <stdbool.h>
#include "bench/swf.h"
#include "wire/job.h"

/* Measure learning and predicting with a million jobs, and print the times; -1
 * without memory. */
int predict_cost(bool csv);
/* Time what a start of slurmctld takes with a history of so many jobs, and
 * print it; -1, and said why, when that cannot be done. */
int predict_replay(uint64_t rows, bool csv);

/* A job of a busy site, submitted at `now`; its texts are in *text. */
struct predict_text {
	char name[24], account[16];
};
struct slu_job predict_make(uint64_t *seed, int64_t now,
			    struct predict_text *text);

/* Print what comes of these limits (s, one for each job of the log, at most its
 * request); the name of the log is the case of the lines of CSV. */
void predict_granted(const struct swf_log *log, const double *limit);
void predict_granted_csv(const char *name, const struct swf_log *log,
			 const double *limit);

/* The same of warnings, one for each job of the log. */
void predict_warned(const struct swf_log *log, const bool *warned);
void predict_warned_csv(const char *name, const struct swf_log *log,
			const bool *warned);

#endif
