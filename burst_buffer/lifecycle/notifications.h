/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NOTIFICATIONS_H
#define SLU_LIFECYCLE_NOTIFICATIONS_H

/* What slurmctld, users and the administrator hear of a buffer. */

#include "burst_buffer/lifecycle/record.h"

/* To the administrator's log. */
void slu_bb_log(struct slu_buffers *b, const struct slu_bb *bb,
		enum slu_level level, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The mirror and squeue's reason, if they changed. Where many nodes come one by
 * one it waits, until the next second or until all of them have come: what is
 * said each time is of all nodes. */
void slu_bb_notify(struct slu_buffers *b, struct slu_bb *bb, double now);
/* What waits is said if it is time; else when it will be: *next, if that is
 * sooner. */
void slu_bb_notify_late(struct slu_buffers *b, struct slu_bb *bb, double now,
			double *next);
/* Node i is copying: if that is news, what the mirror says of it is renewed now
 * and then. */
void slu_bb_notify_progress(struct slu_buffers *b, struct slu_bb *bb, size_t i,
			    const struct slu_node_ask *ask, double now);
void slu_bb_forget_progress(struct slu_bb *bb);
/* The sentence for squeue and scontrol; "" when there is nothing to say. Caller
 * frees; NULL: no memory. */
char *slu_bb_sentence(const struct slu_bb *bb);
/* Owned by the caller of slu_msg_clear(); -1 without memory. */
int slu_bb_mirror(const struct slu_bb *bb, struct slu_buffer_state *out);

#endif
