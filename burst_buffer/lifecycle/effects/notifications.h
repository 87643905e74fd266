/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NOTIFICATIONS_H
#define SLU_LIFECYCLE_NOTIFICATIONS_H

/* Notifications about a buffer: to slurmctld, users and the administrator. */

#include "burst_buffer/lifecycle/record.h"

/* A line in the administrator's log. */
void slu_bb_log(struct slu_buffers *b, const struct slu_bb *bb,
		enum slu_level level, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Sends the mirror and squeue's reason, if they have changed. Where many nodes
 * arrive one by one this is delayed to the next second, or until all have
 * arrived. */
void slu_bb_notify(struct slu_buffers *b, struct slu_bb *bb, double now);
/* Sends what was delayed, if it is due; else lowers *next to the time when it
 * will be. */
void slu_bb_notify_delayed(struct slu_buffers *b, struct slu_bb *bb, double now,
			   double *next);
/* Node i reports how much it has copied: the mirror is updated at intervals. */
void slu_bb_notify_progress(struct slu_buffers *b, struct slu_bb *bb, size_t i,
			    const struct slu_node_ask *ask, double now);
void slu_bb_forget_progress(struct slu_bb *bb);
/* The sentence for squeue and scontrol; "" when there is nothing to say. Caller
 * frees; NULL: no memory. */
char *slu_bb_sentence(const struct slu_bb *bb);
/* Fills in the message of the mirror, to be cleared with slu_msg_clear(); -1
 * without memory. */
int slu_bb_mirror(const struct slu_bb *bb, struct slu_buffer_state *out);

#endif
