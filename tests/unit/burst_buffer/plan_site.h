/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_PLAN_SITE_H
#define SLU_TESTS_PLAN_SITE_H

/* Provides a configuration and a resource map with the storage of nodes, for
 * tests of plans. */

#include "tests/unit/harness.h"
#include "burst_buffer/plan/plan.h"

#define GIB (UINT64_C(1) << 30)

extern struct slu_err err;
extern struct slu_receiver *receiver;
extern struct slu_conf *conf;

const char *addr(void *arg, const char *node);

/* The site's layout function: its result lists the arguments, so that a test
 * can see what the plan asked for. Fails for 13 readers. */
extern bool targets_known;
char *layout(void *arg, const struct slu_layout_ask *ask, bool *known,
	     char **why, struct slu_err *e);
struct slu_plan_site site(void);
void setup(const char *text);
void teardown(void);

/* A node pushes its resource map: one disk of 100 GiB at `path`, with this many
 * bytes free. */
void push(const char *node, const char *path, uint64_t available);
struct slu_job job(const char *nodes, const char *request);

#endif
