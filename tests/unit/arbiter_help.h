/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_ARBITER_HELP_H
#define SLU_TESTS_ARBITER_HELP_H

/* Creates arbiters and jobs, and teaches curves, for tests of the arbiter. */

#include "select_io/ion/arbiter/arbiter.h"
#include "tests/unit/harness.h"
#include "wire/ion_assignment.h"

static inline struct slu_conf conf_of(const char *ions,
				      enum slu_ion_policy policy)
{
	struct slu_conf conf = {.max_ions_per_job = 8,
				.remap_running = true,
				.ion_policy = policy};
	struct slu_err err;

	expect_ok(slu_hosts_parse(ions, &conf.io_nodes, &err), err);
	return conf;
}

static inline struct slu_arbiter *
new_arbiter(const char *ions, uint32_t compute, enum slu_ion_policy policy)
{
	struct slu_conf conf = conf_of(ions, policy);
	struct slu_err err;
	struct slu_arbiter *a = slu_arbiter_new(&conf, compute, &err);

	ck_assert_msg(a != NULL, "%s", err.text);
	slu_hosts_free(&conf.io_nodes);
	return a;
}

/* A name that begins with "new" belongs to a user without history. */
static inline struct slu_job make_job(uint32_t id, char *name, uint32_t nodes)
{
	return (struct slu_job){.job_id = id,
				.uid = name && !strncmp(name, "new", 3) ? 8 : 7,
				.name = name,
				.nodes = "n[1-99]",
				.node_cnt = nodes,
				.ion_max = SLU_NO_ID};
}

static inline void start(struct slu_arbiter *a, uint32_t id, char *name,
			 uint32_t nodes)
{
	struct slu_job job = make_job(id, name, nodes);
	struct slu_err err;

	expect_ok(slu_arbiter_start(a, &job, &err), err);
}

static inline void learn(struct slu_arbiter *a, char *name, uint32_t nodes,
			 uint32_t ions, double bandwidth)
{
	struct slu_history_row row = {.job = make_job(1, name, nodes),
				      .io_bandwidth = bandwidth};

	row.job.ions = ions;
	slu_arbiter_learn(a, &row);
}

static inline void solve(struct slu_arbiter *a, struct slu_assignment *out)
{
	struct slu_err err;

	expect_ok(slu_arbiter_solve(a, out, &err), err);
}

#endif
