/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_MOVER_H
#define SLU_NODE_MOVER_H

/* Runs the site's program that copies large directories instead of Sluice's own
 * code (Mover=, staging/acts/move.h). */

#include "burst_buffer/node/node.h"

struct slu_stage_result;
/* Has it been started for request r? */
bool slu_mover_has_been(const struct slu_node *n, size_t r);
/* Runs the program, once for each request; tick as that of slu_aside. */
int slu_mover_run(struct slu_node *n, size_t r,
		  int (*tick)(void *arg, uint64_t bytes, uint64_t files),
		  void *tick_arg, struct slu_err *err);
/* Logs how much the program has left to the act COPY. */
void slu_mover_log(struct slu_node *n, size_t r,
		   const struct slu_stage_result *copied);

#endif
