/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that events of a large pool do not search a list for each I/O node:
 * with 4,096 I/O nodes, the number of comparisons of names stays below MANY.
 * Comparisons are counted instead of time, by a wrapped strcmp() (local.mk).
 */
#include "config.h"
#include "tests/unit/arbiter_help.h"

#define IONS "ion[1-4096]"
#define MANY (64 * 4096) /* linear searches need 32 times that */

static size_t compared;

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);

int __wrap_strcmp(const char *a, const char *b)
{
	compared++;
	return __real_strcmp(a, b);
}

static struct slu_hosts hosts_of(const char *text)
{
	struct slu_hosts hosts;
	struct slu_err err;

	expect_ok(slu_hosts_parse(text, &hosts, &err), err);
	return hosts;
}

static uint32_t pool_without(struct slu_arbiter *a, const char *down)
{
	struct slu_hosts hosts = hosts_of(down);
	struct slu_assignment got;
	uint32_t pool;

	compared = 0;
	slu_arbiter_unavailable(a, &hosts);
	ck_assert_uint_lt(compared, MANY);
	slu_hosts_free(&hosts);
	solve(a, &got);
	pool = got.pool;
	slu_msg_clear(&slu_assignment_desc, &got);
	return pool;
}

START_TEST(test_unavailable)
{
	struct slu_arbiter *a = new_arbiter(IONS, 8192, SLU_ION_MCKP);

	ck_assert_uint_eq(pool_without(a, "ion[1-4095],other[1-4096]"), 1);
	ck_assert_uint_eq(pool_without(a, "ion[2-4000]"), 97);
	ck_assert_uint_eq(pool_without(a, ""), 4096);
	slu_arbiter_free(a);
}
END_TEST

/* A restart resumes a job that holds half of the I/O nodes, not in the pool's
 * order; then a reload of the configuration changes the order of the pool. */
START_TEST(test_owners)
{
	struct slu_conf conf = conf_of("ion[2049-4096,1-2048]", SLU_ION_STATIC);
	struct slu_arbiter *a = new_arbiter(IONS, 4096, SLU_ION_STATIC);
	struct slu_ion_share held = {
		.job_id = 1, .ions = "ion[4096,1-2047]", .in_effect = 2048};
	struct slu_assignment before = {.jobs = &held, .n_jobs = 1}, got;
	struct slu_err err;

	conf.max_ions_per_job = 4096;
	expect_ok(slu_arbiter_configure(a, &conf, 4096, &err), err);
	start(a, 1, "app", 2048);
	compared = 0;
	expect_ok(slu_arbiter_resume(a, &before, &err), err);
	expect_ok(slu_arbiter_configure(a, &conf, 4096, &err), err);
	ck_assert_uint_lt(compared, MANY);
	solve(a, &got);
	ck_assert_str_eq(got.jobs[0].ions, "ion[1-2047,4096]");
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_hosts_free(&conf.io_nodes);
	slu_arbiter_free(a);
}
END_TEST

TEST_MAIN("ion_pool", test_unavailable, test_owners)
