/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_ROOM_H
#define SLU_NODE_ROOM_H

/* Has this node the space that a plan wants from it? */

#include "burst_buffer/node/node.h"

/* If the plan asks for it: report what is free here at the barrier "room".
 * *again: shares have changed, and the plan is to be fetched again. -1: as
 * slu_talk_barrier(). */
int slu_room_report(struct slu_node *n, bool *again, struct slu_err *err);

/* Storage could not be made. If that was for lack of space (SLU_BUSY), report
 * it to sluiced, and add to err who fills the disk. */
void slu_room_report_shortage(struct slu_node *n, struct slu_err *err);

/* Bytes of the file system that would contain `path`, which need not exist yet;
 * 0 if unknown. */
void slu_room_of(const char *path, uint64_t *available, uint64_t *size);

/* filler.c: whose files take most of the file system of `storage`, Sluice's own
 * not counted; "" if that is not found. Takes seconds at most. */
#define SLU_ROOM_FILLER 160
void slu_room_filler(const char *storage, char text[SLU_ROOM_FILLER]);

#endif
