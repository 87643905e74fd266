/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_PLACEMENT_H
#define SLU_ION_PLACEMENT_H

/*
 * Chooses which I/O nodes a job gets. The job keeps those that it has, the
 * nearest ones if it gets fewer, and gets the nearest free ones if it gets
 * more; among equally near ones (all of them, without a topology) the first in
 * the order of the pool. Unavailable nodes are skipped.
 *
 * If one I/O node is shared, that is a free one and stays the same as long as
 * possible; if jobs have all of them, it is the last one of the job that has
 * most, and stays the same as long as running jobs may not be moved.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLU_ION_FREE   UINT32_MAX
#define SLU_ION_NOBODY SIZE_MAX

struct slu_ion_node {
	uint32_t owner; /* job_id, SLU_ION_FREE */
	bool available;
	bool missing;	/* scratch: not in the list of available nodes */
	uint32_t place; /* index into slu_ion_seat.far */
};

/* A job whose number or nodes have changed; the nodes of jobs that are not in
 * the list are left to them. */
struct slu_ion_seat {
	uint32_t job_id; /* ascending over the list */
	uint32_t ions;	 /* number of its own */
	/* Hops to the nodes of each place; NULL: all are equal. */
	const uint32_t *far;
	uint32_t have; /* out: nodes of its own now */
};

/* Change the owners. *shared is the index of the shared I/O node or
 * SLU_ION_NOBODY, before and after; `share`: there are jobs that use it, and
 * `most` is the one whose last node it is if there is no free one; `move`: off
 * a job's own to a free one. The seats' ions fit in what is available, less one
 * for sharing unless all are held already, or the shared one is. */
void slu_ion_place(struct slu_ion_node *node, size_t n_nodes,
		   struct slu_ion_seat *seat, size_t n_seats, bool share,
		   uint32_t most, bool move, size_t *shared);

#endif
