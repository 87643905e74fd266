/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_STAGE_TREES_H
#define SLU_TESTS_STAGE_TREES_H

/* Provides two directories for tests of staging, and simulated nodes that copy
 * from one to the other. */

#include "tests/unit/harness.h"
#include "burst_buffer/staging/stage.h"
#include "tests/unit/burst_buffer/node/tree.h"

extern char *top;
extern char src[4096], dst[4096];
extern struct slu_err err;

void setup(void);
void teardown(void);
int manifest(void);

/* One act on all nodes at the same time, each in a process of its own; the
 * sentence of one that failed is left in err. */
int all_nodes(enum slu_act_name act, struct slu_stage_part part);

/* The whole request, as sluice-node does it on n nodes. */
int stage_part(struct slu_stage_part part, struct slu_stage_result *result);
void same(const char *a, const char *b);
int stage(const char *source, const char *destination, unsigned n);
void grow(const char *dir, int depth, unsigned seed);
void failed_with(int rc, const char *words);
void become_nobody(void);

#endif
