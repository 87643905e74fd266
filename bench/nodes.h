/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_NODES_H
#define SLU_BENCH_NODES_H

/*
 * Measures how long before its start a job's nodes are known, that is how early
 * data could be staged to them (ADA-FS, section 3.2).
 *
 * Simulates conservative backfilling: every queued job has a reservation of
 * time and nodes, at the earliest time at which enough nodes stay idle, on the
 * lowest-numbered of these. When a job ends early, or runs longer than
 * estimated, all reservations are made anew in the order of submission.
 */

#include "bench/easy.h"

enum { NODES_AT_ONCE, NODES_1_S, NODES_10_MIN, NODES_LONGER, NODES_CLASSES };

struct nodes_result {
	/* Shares of the jobs: started when submitted; else by the time between
	 * the last change of the node list and the start: at most 1 s, at most
	 * 10 min, longer. */
	double share[NODES_CLASSES];
	double slowdown; /* mean bounded slowdown, as in easy_backfill.h */
};

/* The estimates are those of the oracle (its `lead` is not used), at least a
 * second and at most the request. -1 with more than 128 nodes, or without
 * memory. */
int nodes_run(const struct swf_log *log, int64_t nodes,
	      const struct slu_easy_oracle *oracle, struct nodes_result *out);

#endif
