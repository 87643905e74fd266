/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_DISCARD_H
#define SLU_NODE_DISCARD_H

/* Removes kept data of failed stage-outs that its owner has discarded; sluiced
 * passes the request. */

#include "burst_buffer/node/node.h"

/* Removes the kept data of these instances and reports it; errors are logged,
 * and the next request tries again. */
void slu_discard_wanted(struct slu_node *n, const char *instances);

/* The subcommand `discard`. Returns its exit code. */
int slu_cmd_discard(struct slu_node *n);

#endif
