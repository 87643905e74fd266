/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The owner of every I/O node is all the state there is. Three passes: take
 * away what is no longer due, settle the shared node if it can stay, give what
 * is missing.
 */
#include <stdlib.h>
#include "select_io/ion/placement.h"

static int by_id(const void *key, const void *seat)
{
	uint32_t a = *(const uint32_t *)key;
	uint32_t b = ((const struct slu_ion_seat *)seat)->job_id;

	return (a > b) - (a < b);
}

static void keep(struct slu_ion_node *node, struct slu_ion_seat *seat,
		 size_t n_seats)
{
	struct slu_ion_seat *s =
		bsearch(&node->owner, seat, n_seats, sizeof(*seat), by_id);

	if (s && node->available && s->have < s->ions)
		s->have++;
	else
		node->owner = SLU_ION_FREE;
}

/* The first node from `i` on that may be given, or n. */
static size_t next_free(const struct slu_ion_node *node, size_t n, size_t i,
			size_t shared)
{
	while (i < n && (node[i].owner != SLU_ION_FREE || !node[i].available ||
			 i == shared))
		i++;
	return i;
}

static size_t last_of(const struct slu_ion_node *node, size_t n, uint32_t job)
{
	while (n-- > 0)
		if (node[n].owner == job)
			return n;
	return SLU_ION_NOBODY;
}

/* A free node if there is one, else the one that was shared before, else the
 * last one of the job that has most. */
static size_t pick_shared(const struct slu_ion_node *node, size_t n,
			  const struct slu_ion_seat *seat, size_t n_seats,
			  size_t before)
{
	size_t i = next_free(node, n, 0, SLU_ION_NOBODY);
	const struct slu_ion_seat *most = seat;

	if (i < n)
		return i;
	if (before != SLU_ION_NOBODY)
		return before;
	for (size_t k = 1; k < n_seats; k++)
		if (seat[k].have >= most->have)
			most = &seat[k];
	return last_of(node, n, most->job_id);
}

void slu_ion_place(struct slu_ion_node *node, size_t n_nodes,
		   struct slu_ion_seat *seat, size_t n_seats, size_t *shared)
{
	bool share = false;
	size_t next = 0;

	for (size_t k = 0; k < n_seats; k++) {
		seat[k].have = 0;
		share = share || seat[k].shared;
	}
	for (size_t i = 0; i < n_nodes; i++)
		keep(&node[i], seat, n_seats);
	if (!share || (*shared != SLU_ION_NOBODY && !node[*shared].available))
		*shared = SLU_ION_NOBODY;
	for (size_t k = 0; k < n_seats; k++)
		while (seat[k].have < seat[k].ions) {
			next = next_free(node, n_nodes, next, *shared);
			if (next == n_nodes)
				break;
			node[next].owner = seat[k].job_id;
			seat[k].have++;
		}
	if (share &&
	    (*shared == SLU_ION_NOBODY || node[*shared].owner != SLU_ION_FREE))
		*shared = pick_shared(node, n_nodes, seat, n_seats, *shared);
}
