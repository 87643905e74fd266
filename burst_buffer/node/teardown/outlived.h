/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_OUTLIVED_H
#define SLU_NODE_OUTLIVED_H

/* Ends processes that still run after their job has ended and use its file
 * system. */

#include "burst_buffer/node/node.h"

/* Ends the processes that the job has left behind; the log and the
 * report to sluiced name them. */
void slu_outlived_end(struct slu_node *n);
/* Sets n->mapped: may data change through a shared mapping without a system
 * call? */
void slu_outlived_look(struct slu_node *n);

#endif
