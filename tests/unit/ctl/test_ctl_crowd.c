/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests libsluice with very many jobs at once. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"

#include <stdlib.h>

#define JOBS 50000
#define NAME 500 /* bytes, for all that may be long of a job */

/* All of them run. */
static int crowd(void *arg, struct slu_job **jobs, size_t *n_jobs,
		 struct slu_ctl_node **nodes, size_t *n_nodes,
		 struct slu_err *err)
{
	char name[NAME + 1] = "";

	fake_ops.snapshot(arg, jobs, n_jobs, nodes, n_nodes, err);
	free(*jobs);
	memset(name, 'x', NAME);
	*jobs = calloc(JOBS, sizeof(**jobs));
	for (*n_jobs = 0; *n_jobs < JOBS; ++*n_jobs) {
		struct slu_job *job = &(*jobs)[*n_jobs];

		slu_job_copy(job, &plain_job);
		job->job_id = 100 + (uint32_t)*n_jobs;
		set_text(&job->name, name);
	}
	return 0;
}

/* All that there is to say at first can be said. */
START_TEST(test_hello)
{
	struct slu_ctl *ctl = ctl_by_hand("IONodes=io[1-2]\n"
					  "MappingDir=/nowhere/map");

	ctl->ops.snapshot = crowd;
	daemon_listen();
	slu_ctl_step(ctl, 1);
	ck_assert_msg(ctl->link.fd >= 0, "%s", host.log);
	ck_assert_uint_eq(ctl->assignment.n_jobs, JOBS);
	ck_assert(ctl->assignment_said);
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl crowd", test_hello)
