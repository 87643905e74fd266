/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_METRICS_H
#define SLU_SLUICED_METRICS_H

/*
 * Counters for GET /metrics (Prometheus text). They name no job, user or path,
 * as every user may read them, and their number is fixed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLU_METRICS_ROUTES 16

struct slu_metrics {
	double started; /* Unix seconds */
	/* by route (its place in routes.h) and first digit of the status */
	uint64_t requests[SLU_METRICS_ROUTES][6];
	uint64_t published, publish_failed, superseded;
	uint64_t verdicts, drains;
	uint64_t lost_turns; /* see request_batch.h */
};

#endif
