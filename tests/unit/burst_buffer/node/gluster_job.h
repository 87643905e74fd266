/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_GLUSTER_JOB_H
#define SLU_TESTS_GLUSTER_JOB_H

/* Starts and ends a job's glusterfs for tests: its three nodes are directories
 * of this host. */

#include "tests/unit/burst_buffer/node/root.h"
#include "burst_buffer/drivers/driver.h"
#include "burst_buffer/host/logs.h"
#include "common/proc.h"
#include "tests/unit/burst_buffer/node/tree.h"

#define NODES	3
#define DEVICES 3 /* of a node whose share is spread */

extern const struct slu_driver *driver;
extern char *top; /* below it lies all of a test */
extern struct slu_err err;

struct job {
	struct slu_plan_node node[NODES];
	struct slu_pair option[3]; /* ports, direct, coherence */
	struct slu_plan plan;
	struct slu_instance in[NODES];
	struct slu_pair attr[NODES];
	char attr_text[NODES][SLU_ATTR_MAX];
	struct slu_plan_device more[NODES][DEVICES - 1];
	const char *more_fs[NODES][DEVICES - 1];
};

void setup(void);

/* The path of the library that has just been built for its clients. */
char *client_library(void);

/* Each node has its directories; the test's end removes them. */
void job_new(struct job *j, uint32_t id, const char *ports);
/* Before its start: the share of this node is spread over DEVICES. */
void job_spread(struct job *j, size_t node);
void job_start(struct job *j);
void job_attach(struct job *j);
/* Nothing of it runs or is mounted then. */
void job_end(struct job *j);
void job_free(struct job *j);

/* setup(), and a job that has begun. NULL: the default coherence. */
void job_up(struct job *j, uint32_t id, const char *coherence);

/* What main() returns. */
int gluster_tests(const char *name, const TTest *const *tests, size_t n);

#endif
