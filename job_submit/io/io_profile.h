/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IO_IO_PROFILE_H
#define SLU_JOB_SUBMIT_IO_IO_PROFILE_H

/*
 * Describes the I/O of an application, from the history of its runs: the bytes
 * that each run read and wrote, as Markov chains, the bandwidth it had with
 * each number of I/O nodes, and, if Darshan has recorded it, the size of its
 * requests and the layout of its files.
 */

#include "job_submit/io/markov.h"
#include "wire/control.h"

#define SLU_PROFILE_IONS 16
#define SLU_PROFILE_RUNS 32

struct slu_profile {
	uint32_t runs; /* with known I/O */
	struct slu_markov read, written;
	/* of runs with a known access pattern */
	double calls, called_bytes, shared_bytes, consecutive;
	uint32_t called_runs;
	struct slu_profile_ions {
		uint32_t ions, runs;
		double bandwidth; /* mean, MB/s */
	} with[SLU_PROFILE_IONS]; /* by ions; the least used is evicted */
	size_t n_with;
	struct slu_profile_run {
		double read, written; /* bytes */
		double bandwidth;     /* MB/s */
	} run[SLU_PROFILE_RUNS];      /* run i in [i % SLU_PROFILE_RUNS] */
};

/* An empty profile. */
void slu_profile_init(struct slu_profile *p);
/* Learns from a run, in the order of ends; a run without I/O is ignored. */
void slu_profile_learn(struct slu_profile *p,
		       const struct slu_history_row *row);
/* The bandwidth that the next run will have, in MB/s: the median of those of
 * the last runs that moved about as much as it is predicted to (within a
 * quarter), else of all of them; 0 when nothing is known. */
double slu_profile_bandwidth(const struct slu_profile *p);

#endif
