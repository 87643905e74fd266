/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_ION_HOP_DISTANCES_H
#define SLU_SELECT_IO_ION_HOP_DISTANCES_H

/*
 * Looks up how many hops I/O nodes are from compute nodes, from the message
 * "distances" (wire/control.h): hosts on the same switch are one group, and the
 * I/O nodes of a group have the same place. Read-only once made.
 */

#include "common/hostlist.h"
#include "wire/ion_assignment.h"
#include "wire/control.h"

#define SLU_HOPS_UNKNOWN 1000 /* hops, where no way is known */

struct slu_hop_distances;

/* SLU_INVALID: a row does not have a number for each place, or there are more
 * than SLU_HOP_DISTANCES_MAX. */
#define SLU_HOP_DISTANCES_MAX 4096
struct slu_hop_distances *
slu_hop_distances_new(const struct slu_distances *message, struct slu_err *err);
void slu_hop_distances_free(struct slu_hop_distances *near);

/* The number of places, plus one for I/O nodes that are in none. */
uint32_t slu_hop_distances_places(const struct slu_hop_distances *near);
uint32_t slu_hop_distances_place(const struct slu_hop_distances *near,
				 const char *ion);

/* far[place]: hops to that place, summed up over these hosts; for a host that
 * is not known all places are equally far. */
void slu_hop_distances_sum(const struct slu_hop_distances *near,
			   const struct slu_hosts *hosts, uint32_t *far);

#endif
