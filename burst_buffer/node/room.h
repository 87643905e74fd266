/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_ROOM_H
#define SLU_NODE_ROOM_H

/* Whether this node has the room that a plan wants of it. */

#include "burst_buffer/node/node.h"

/* Where the plan asks for it: tell what is free here, and hear whether the
 * shares are others now; *again: the plan is to be fetched again. -1: as
 * slu_talk_barrier(). */
int slu_room_report(struct slu_node *n, bool *again, struct slu_err *err);

/* Storage could not be made. If that was for want of room (SLU_BUSY), sluiced
 * is to hear it, and err says who fills the disk. */
void slu_room_report_shortage(struct slu_node *n, struct slu_err *err);

/* Bytes of the file system that holds `path`, which need not exist yet; 0 where
 * nobody can say. */
void slu_room_of(const char *path, uint64_t *available, uint64_t *size);

/* filler.c: whose files take most of the file system that `storage` lies on,
 * Sluice's own left out; "" when that is not seen. Takes seconds at most. */
#define SLU_ROOM_FILLER 160
void slu_room_filler(const char *storage, char text[SLU_ROOM_FILLER]);

#endif
