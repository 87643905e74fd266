/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_DOWN_H
#define SLU_NODE_DOWN_H

/* Takes down a job's file system on this node, by a worker (worker.h) that is
 * waited for. */

#include "burst_buffer/node/node.h"

/* Takes down the noted instance. Returns when nothing is left; else the error
 * says why something is. */
int slu_down(struct slu_node *n, struct slu_err *err);
/* As slu_down() for this instance, which was noted when the caller looked.
 * Returns when its worker will not touch the directory any more. */
int slu_down_older(struct slu_node *n, uint64_t buffer, struct slu_err *err);

/* The subcommand `down`. Returns its exit code. */
int slu_cmd_down(struct slu_node *n);

#endif
