/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_DISTANCE_H
#define SLU_SLUICED_DISTANCE_H

/*
 * Computes how far each I/O node is from the compute nodes, by the newest
 * topology in the resource map. slurmctld uses these distances to place jobs.
 * They are sent to a slurmctld that connects, and after a change.
 */

#include "sluiced/event_loop.h"
#include "sysmap/topology.h"
#include "wire/ion_assignment.h"
#include "wire/control.h"

/* The state of distance_watch.c. */
struct slu_distance_watch {
	struct slu_timer timer; /* a topology was pushed: recompute soon */
	uint64_t seen;		/* slu_receiver_topologies() */
	char *sent;
};

/* Computes the message: a row for each leaf switch, a place for each leaf
 * switch with I/O nodes; I/O nodes that the topology does not know are in no
 * place. Clear it with slu_distances_desc. */
int slu_distance_message(const struct slu_topology *topology,
			 const struct slu_hosts *ions,
			 struct slu_distances *out, struct slu_err *err);

#endif
