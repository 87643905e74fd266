/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_SWF_H
#define SLU_BENCH_SWF_H

/*
 * Reads job logs in the Standard Workload Format (SWF, 18 columns), for
 * benchmarks and tests, and replays them as a predictor would see them.
 */

#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

struct swf_job {
	int64_t number;
	int64_t submit, start, end; /* seconds since the start of the log */
	int64_t request;	    /* seconds */
	int64_t procs;		    /* requested, else used */
	int64_t user, group;	    /* -1: not known, here and below */
	int64_t program, queue;
	const char *state; /* final state, Slurm's name (ended.h) */
};

struct swf_log {
	struct swf_job *job; /* sorted by submission */
	size_t n;
};

/* Reads a log, plain or gzip. Only jobs that ran and had a request are kept,
 * and no parts of jobs that have a summary line; a line that cannot be parsed
 * is an error. Caller frees with swf_free. */
int swf_load(const char *path, struct swf_log *out, struct slu_err *err);
void swf_free(struct swf_log *log);

/* Shifts each submission by up to `most` seconds, differently for each seed, to
 * distinguish effects from chance. -1 without memory; caller frees with
 * swf_free. */
int swf_shake(const struct swf_log *log, int64_t most, uint16_t seed,
	      struct swf_log *out);

/*
 * A predictor: learn is called with each job that has ended, in the order of
 * ends; predict at each submission, returning seconds. Jobs that ended up to
 * the second of the submission are known.
 */
struct swf_predictor {
	void (*learn)(void *arg, const struct swf_job *job);
	double (*predict)(void *arg, const struct swf_job *job);
	void *arg;
};

/* Fills predicted[log->n]; -1 without memory. */
int swf_replay(const struct swf_log *log, const struct swf_predictor *predictor,
	       double *predicted);

struct swf_error {
	double median, mean; /* absolute, in seconds */
	size_t jobs;
};

/* Errors of the jobs that ran at least this long; -1 without memory. */
int swf_error(const struct swf_log *log, const double *predicted,
	      int64_t at_least, struct swf_error *out);

#endif
