/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_ROOM_H
#define SLU_NODE_ROOM_H

/* Checks whether this node has the space that a plan wants from it. */

#include "burst_buffer/node/node.h"

/* If the plan asks for it: reports what is free here at the barrier "room".
 * *again: shares have changed, and the plan has to be fetched again. -1: as
 * slu_talk_barrier(). */
int slu_room_report(struct slu_node *n, bool *again, struct slu_err *err);

/* Storage could not be made in `storage`. If that was for lack of space
 * (SLU_BUSY), reports it to sluiced, and adds to err which user's files fill
 * the disk. */
void slu_room_report_shortage(struct slu_node *n, const char *storage,
			      struct slu_err *err);

/* Bytes of the file system that would contain `path`, which need not exist yet;
 * 0 if unknown. */
void slu_room_of(const char *path, uint64_t *available, uint64_t *size);

/* filler.c: which user's files use most of the file system of `storage`,
 * Sluice's own not counted; "" if that is not found. Takes seconds at most. */
#define SLU_ROOM_FILLER 160
void slu_room_filler(const char *storage, char text[SLU_ROOM_FILLER]);

#endif
