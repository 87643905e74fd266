/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_TALK_H
#define SLU_NODE_TALK_H

/*
 * Sends requests to sluiced, and repeats them until n->deadline while it cannot
 * be reached or answers "wait". SLU_DENIED: its "abort", with the reason;
 * SLU_TIMEOUT: the deadline has passed.
 */

#include "burst_buffer/node/node.h"

int slu_talk_plan(struct slu_node *n, uint32_t restarts, struct slu_plan *plan,
		  struct slu_err *err);
/* sluiced's record of this node; slu_msg_clear with slu_node_inventory_desc. */
int slu_talk_inventory(struct slu_node *n, struct slu_node_inventory *owed,
		       struct slu_err *err);
/* Adds which node and instance report. The caller clears *answer. */
int slu_talk_report(struct slu_node *n, struct slu_report *report,
		    struct slu_answer *answer, struct slu_err *err);
/* As slu_talk_report() if only success or "abort" matters. */
int slu_talk_step(struct slu_node *n, struct slu_report *report,
		  struct slu_err *err);
/* attrs, n_attr: the attributes of the other nodes (NULL: not wanted); free
 * with slu_msg_clear and slu_barrier_answer_desc. */
int slu_talk_barrier(struct slu_node *n, const char *name, const char *attr,
		     struct slu_barrier_answer *answer, struct slu_err *err);
int slu_talk_arrive(struct slu_node *n, const char *name, struct slu_err *err);
/* A single attempt, for at most so many seconds. */
int slu_talk_once(struct slu_node *n, const char *path, const char *body,
		  double seconds, struct slu_buf *reply, struct slu_err *err);
/* A single attempt at /v1/poll: its answer, or an error. */
int slu_talk_poll(struct slu_node *n, double seconds, struct slu_answer *answer,
		  struct slu_err *err);

#endif
