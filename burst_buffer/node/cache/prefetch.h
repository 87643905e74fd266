/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_PREFETCH_H
#define SLU_NODE_PREFETCH_H

/* Reads inputs of waiting jobs into the stage cache of nodes that they will
 * probably run on (PrestageTo). `sluice-node serve` does it. */

#include "burst_buffer/node/node.h"

#define SLU_PREFETCH_FAILED 16

/* Zero it. */
struct slu_prefetch {
	pid_t child;	 /* that prefetches; 0: none */
	uint32_t job_id; /* of that job */
	/* Jobs that failed, and when to retry, slu_now_mono(). */
	struct slu_prefetch_failed {
		uint32_t job_id;
		double until;
	} failed[SLU_PREFETCH_FAILED];
	size_t n_failed; /* ever */
};

/* Acts on sluiced's answer: prefetches for the listed jobs, one after the
 * other, and removes from the cache what belongs to jobs that are not listed
 * any more. Leaves in n->prefetch what has to be reported. */
void slu_prefetch_tend(struct slu_prefetch *p, struct slu_node *n,
		       struct slu_node_inventory *inventory);
/* Ends the process. */
void slu_prefetch_stop(struct slu_prefetch *p);

#endif
