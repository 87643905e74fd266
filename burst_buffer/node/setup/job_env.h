/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_JOB_ENV_H
#define SLU_NODE_JOB_ENV_H

/* Writes the environment variables for a job's tasks into its notes. */

#include "burst_buffer/node/node.h"

/* Writes the notes "env" and "env.steps" (node.h). */
int slu_note_env(struct slu_node *n, struct slu_err *err);

#endif
