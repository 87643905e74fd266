/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SIMULATION_START_FORECAST_H
#define SLU_JOB_SUBMIT_SIMULATION_START_FORECAST_H

/*
 * Predicts when a waiting job will start, and on which nodes (ADA-FS, section
 * 3.2). A Monte Carlo forecast: the running and waiting jobs are scheduled many
 * times by the simulator of easy_backfill.h. It plans with limits, as Slurm
 * does, while each job ends after a run time drawn from its predicted
 * distribution. Jobs submitted later, reservations and licences are not known,
 * so the result is an estimate and no promise.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

struct slu_start_forecast_job {
	int64_t size;	      /* nodes, or processors */
	int64_t elapsed;      /* s that it has run; -1: it waits */
	int64_t limit;	      /* s of its run, > elapsed: Slurm ends it then */
	const uint32_t *node; /* of a running one, `size` numbers of nodes;
				 NULL: not known */
};

struct slu_start_forecast_input {
	/* running and waiting jobs, these in the order of priority */
	const struct slu_start_forecast_job *job;
	size_t n;
	size_t target;	 /* index of the waiting job to predict */
	int64_t machine; /* its size; what is in use, where that is more */
	uint32_t nodes;	 /* numbers of nodes are below that, and sizes are in
			    nodes; 0: nodes are not predicted */
	/* The run time within which a share in (0, 1) of such jobs end, s from
	 * their start, given that it has run `elapsed`. */
	double (*run)(void *arg, size_t i, double share);
	void *arg;
	unsigned samples; /* > 0 */
	uint64_t seed;
};

struct slu_start_forecast {
	int64_t *at; /* s from now, in ascending order; one of each sample */
	unsigned n;
	double *node; /* [ask->nodes]: the share of samples in which it is on
			 that node */
	/* Its nodes in most samples: how many, which, and in what share of
	 * them it is exactly these. */
	uint32_t *likely;
	size_t n_likely;
	double sure;
};

/* Nodes are taken in the order of their numbers. -1: without memory, or when a
 * job is larger than the machine. slu_start_forecast_free() frees, also after
 * that. */
int slu_start_forecast_make(const struct slu_start_forecast_input *ask,
			    struct slu_start_forecast *out,
			    struct slu_err *err);
void slu_start_forecast_free(struct slu_start_forecast *start);
/* The time by which the job starts with probability `share`, s from now. */
int64_t slu_start_forecast_quantile(const struct slu_start_forecast *start,
				    double share);
/* The probability that the job starts within `seconds`. */
double slu_start_forecast_within(const struct slu_start_forecast *start,
				 int64_t seconds);

#endif
