/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PREDICTED_NODES_H
#define SLU_LIFECYCLE_PREDICTED_NODES_H

/*
 * Prefetches inputs of waiting jobs to the nodes on which they will probably
 * run (PrestageTo): decides which nodes are to have them in their stage caches
 * before the job begins. Kept in memory only: after a restart nodes keep what
 * they have until the predictions are known again. No job waits for a prefetch.
 */

#include "burst_buffer/lifecycle/record.h"

/* A job waits whose inputs could be prefetched (slu_request_predicted()). */
void slu_predicted_wait(struct slu_buffers *b, const struct slu_job *job);
/* The job is over, and had no nodes. */
void slu_predicted_end(struct slu_buffers *b, uint32_t job_id);
void slu_predicted_free(struct slu_buffers *b);

/* Appends for this node the keys `ahead`, `ahead_whole` and `ahead_gone` of
 * a struct slu_node_inventory. */
void slu_predicted_append_inventory(struct slu_buffers *b, const char *node,
				    double now, struct slu_buf *out);

#endif
