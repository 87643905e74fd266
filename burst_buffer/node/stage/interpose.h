/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_INTERPOSE_H
#define SLU_NODE_INTERPOSE_H

/* Stages files in a file system that only programs started with its library
 * (LD_PRELOAD) can reach, by starting such a program, `sluice-node act`. */

#include "burst_buffer/node/node.h"

struct slu_aside;
struct slu_stage_part;
struct slu_stage_result;
/* Makes data/ and .sluice/ in the file system. */
int slu_interposed_layout(struct slu_node *n, struct slu_err *err);
/* In a child: runs an act of staging as the job's user. The manifest is given
 * by its path; part->manifest is not used. */
int slu_interposed_act(struct slu_node *n, struct slu_aside *aside, int act,
		       const struct slu_stage_part *part, const char *manifest,
		       struct slu_stage_result *result, struct slu_err *err);
/* `sluice-node act WORD...`: the program that is started. Returns its exit
 * code. */
int slu_act_main(int argc, char **argv);

#endif
