/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_ION_HOP_DISTANCES_H
#define SLU_SELECT_IO_ION_HOP_DISTANCES_H

/*
 * How far I/O nodes are from compute nodes, as the message "distances" says it
 * (wire/control.h): hosts that hang on the same switch are one group, and the
 * I/O nodes of one group are in one place. Read-only once made.
 */

#include "common/hostlist.h"
#include "wire/control.h"

#define SLU_NEAR_UNKNOWN 1000 /* hops, where no way is known */

struct slu_near;

/* SLU_INVALID: a row does not have a number for each place, or there are more
 * than SLU_NEAR_PLACES. */
#define SLU_NEAR_PLACES 4096
struct slu_near *slu_near_new(const struct slu_distances *message,
			      struct slu_err *err);
void slu_near_free(struct slu_near *near);

/* How many places there are, and one more for I/O nodes that are in none. */
uint32_t slu_near_places(const struct slu_near *near);
uint32_t slu_near_place(const struct slu_near *near, const char *ion);

/* far[place]: hops to that place, summed up over these hosts; all are alike to
 * a host that is not known. */
void slu_near_far(const struct slu_near *near, const struct slu_hosts *hosts,
		  uint32_t *far);

#endif
