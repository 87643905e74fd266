/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_OUTLIVED_H
#define SLU_NODE_OUTLIVED_H

/* Processes that have outlived their job. */

#include "burst_buffer/node/node.h"

/* Ends the processes that the job has left behind; the log and the
 * report to sluiced name them. */
void slu_outlived_end(struct slu_node *n);
/* Sets n->mapped. */
void slu_outlived_look(struct slu_node *n);

#endif
