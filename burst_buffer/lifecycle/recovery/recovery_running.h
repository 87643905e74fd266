/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECOVERY_RUNNING_H
#define SLU_LIFECYCLE_RECOVERY_RUNNING_H

/* Recovers runs whose nodes are ready, but which the database does not have, or
 * has in an earlier state. */

#include "burst_buffer/lifecycle/record.h"

/* A node reports that the file system was ready once, so that tasks may have
 * run. If the record is older, it is brought up to date, so that data is staged
 * out as planned. -1: that cannot be stored. */
int slu_recover_ran(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		    double now, struct slu_err *err);
/* A node reports a run that the database does not have. 1: ask it for its plan;
 * 0: there is nothing to take over, or it was taken over. */
int slu_recover_running(struct slu_buffers *b, const struct slu_node_ask *ask,
			double now, struct slu_err *err);

#endif
