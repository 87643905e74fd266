/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluiced's list of the jobs that slurmctld has reported. */
#include "sluiced/control/known_jobs.h"
#include "tests/unit/harness.h"

static struct slu_err err;

static struct slu_job job(uint32_t id, const char *nodes)
{
	return (struct slu_job){.job_id = id,
				.uid = 1000 + id,
				.start = 50,
				.state = (char *)"RUNNING",
				.nodes = (char *)(uintptr_t)nodes};
}

START_TEST(test_start_end)
{
	struct slu_jobs *jobs = slu_jobs_new(&err);
	const uint32_t ids[] = {5, 3, 9, 1, 7};
	const struct slu_known_job *found;

	each(id, ids)
	{
		struct slu_job j = job(*id, "n[1-3]");

		expect_ok(slu_jobs_start(jobs, &j, &err), err);
		expect_ok(slu_jobs_start(jobs, &j, &err), err);
	}
	ck_assert_uint_eq(slu_jobs_running(jobs), 5);
	each(id, ids)
	{
		found = slu_jobs_find(jobs, *id);
		ck_assert_ptr_nonnull(found);
		ck_assert_uint_eq(found->uid, 1000 + *id);
		ck_assert(slu_hosts_sorted_has(&found->nodes, "n2"));
	}
	ck_assert_ptr_null(slu_jobs_find(jobs, 4));
	slu_jobs_end(jobs, 3, 100);
	ck_assert_uint_eq(slu_jobs_running(jobs), 4);
	ck_assert_ptr_nonnull(slu_jobs_find(jobs, 3));
	slu_jobs_end(jobs, 5, 100 + 3599);
	ck_assert_ptr_nonnull(slu_jobs_find(jobs, 3));
	slu_jobs_end(jobs, 5, 100 + 3601); /* it has just looked */
	ck_assert_ptr_nonnull(slu_jobs_find(jobs, 3));
	slu_jobs_end(jobs, 5, 100 + 3659);
	ck_assert_ptr_null(slu_jobs_find(jobs, 3));
	ck_assert_ptr_nonnull(slu_jobs_find(jobs, 5));
	slu_jobs_free(jobs);
}
END_TEST

START_TEST(test_replaced_set_of_jobs)
{
	struct slu_jobs *jobs = slu_jobs_new(&err);
	struct slu_job one[] = {job(1, "a"), job(2, "b")};
	struct slu_job two[] = {job(2, "b,c"), job(3, NULL), job(4, "d")};

	expect_ok(slu_jobs_set(jobs, one, 2, 100, &err), err);
	two[2].state = (char *)"COMPLETED";
	expect_ok(slu_jobs_set(jobs, two, 3, 200, &err), err);
	ck_assert_uint_eq(slu_jobs_running(jobs), 1);
	ck_assert_double_eq(slu_jobs_find(jobs, 1)->ended, 200);
	ck_assert_uint_eq(slu_jobs_find(jobs, 2)->nodes.n, 2);
	ck_assert_ptr_null(slu_jobs_find(jobs, 3));
	ck_assert_double_eq(slu_jobs_find(jobs, 4)->ended, 200);
	slu_jobs_free(jobs);
}
END_TEST

/* One that makes no sense leaves the others. */
START_TEST(test_set_bad)
{
	struct slu_jobs *jobs = slu_jobs_new(&err);
	struct slu_job list[] = {job(1, "a"), job(2, "n[1-"), job(3, "c")};

	expect_fail(slu_jobs_set(jobs, list, 3, 100, &err), err, SLU_INVALID,
		    "job 2");
	ck_assert_uint_eq(slu_jobs_running(jobs), 2);
	ck_assert_ptr_nonnull(slu_jobs_find(jobs, 3));
	slu_jobs_free(jobs);
}
END_TEST

START_TEST(test_bad_nodes)
{
	struct slu_jobs *jobs = slu_jobs_new(&err);
	struct slu_job bad = job(8, "n[1-");

	expect_fail(slu_jobs_start(jobs, &bad, &err), err, SLU_INVALID,
		    "nodes of job 8");
	slu_jobs_free(jobs);
}
END_TEST

TEST_MAIN("sluiced_jobs", test_start_end, test_replaced_set_of_jobs,
	  test_set_bad, test_bad_nodes)
