/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_PRESTAGE_H
#define SLU_NODE_PRESTAGE_H

/* What jobs that wait will read here is brought into the stage cache ahead of
 * them (PrestageTo), for `sluice-node serve`. */

#include "burst_buffer/node/node.h"

#define SLU_PRESTAGE_FAILED 16

/* Zero it. */
struct slu_prestage {
	pid_t child;	 /* at work; 0: none */
	uint32_t job_id; /* for that job */
	/* Not tried again before that time, slu_now_mono(). */
	struct slu_prestage_failed {
		uint32_t job_id;
		double until;
	} failed[SLU_PRESTAGE_FAILED];
	size_t n_failed; /* ever */
};

/* Do what sluiced has answered: begin or go on to bring what is listed, one job
 * after the other, throw away what is not listed any more. Leaves in n->ahead
 * what is to be reported. */
void slu_prestage_tend(struct slu_prestage *p, struct slu_node *n,
		       struct slu_node_inventory *owed);
/* End what is at work. */
void slu_prestage_stop(struct slu_prestage *p);

#endif
