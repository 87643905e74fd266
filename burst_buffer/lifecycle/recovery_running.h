/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECOVERY_RUNNING_H
#define SLU_LIFECYCLE_RECOVERY_RUNNING_H

/* Runs that the database has lost, and whose nodes are ready. */

#include "burst_buffer/lifecycle/record.h"

/* A node says that all was ready once, so that tasks may
 * have run. If the record is from before that, it is brought forward to it, and
 * what was to be staged out still is. -1: that cannot be stored. */
int slu_recover_ran(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		    double now, struct slu_err *err);
/* What a node knows of a run that the database does not. 1:
 * it shall tell its plan; 0: there is nothing to take over, or it was. */
int slu_recover_running(struct slu_buffers *b, const struct slu_node_ask *ask,
			double now, struct slu_err *err);

#endif
