/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_STRIPE_DIRECTORIES_H
#define SLU_NODE_STRIPE_DIRECTORIES_H

/* Sets the layouts of directories on Lustre that a job asks for. */

#include "burst_buffer/node/node.h"

/* Sets the layouts that the plan asks for, on the first node, as the job's
 * user; the others wait for it. */
int slu_node_stripe(struct slu_node *n, struct slu_err *err);

#endif
