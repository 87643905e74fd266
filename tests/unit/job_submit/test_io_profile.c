/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the profile of an application's I/O, learned from its runs: bandwidth
 * and numbers of I/O nodes. */
#include "config.h"
#include "tests/unit/harness.h"
#include "job_submit/io/io_profile.h"

static void learn(struct slu_profile *p, double read, double written,
		  double bandwidth, uint32_t ions)
{
	struct slu_history_row row = {.read_bytes = read,
				      .written_bytes = written,
				      .io_bandwidth = bandwidth,
				      .job = {.ions = ions}};

	slu_profile_learn(p, &row);
}

START_TEST(test_ions)
{
	struct slu_profile p;

	slu_profile_init(&p);
	ck_assert_double_eq(slu_profile_bandwidth(&p), 0);
	learn(&p, 0, 0, 5, 1); /* did no I/O */
	learn(&p, 0.0 / 0.0, 1, 5, 1);
	learn(&p, -1, 5, 5, 1);
	ck_assert_uint_eq(p.runs, 0);
	for (int i = 0; i < 4; i++)
		learn(&p, 1e9, 2e9, 100 + i, 2);
	learn(&p, 1e9, 2e9, 300, 8);
	ck_assert_uint_eq(p.runs, 5);
	ck_assert_uint_eq(p.n_with, 2);
	ck_assert_uint_eq(p.with[0].ions, 2);
	ck_assert_uint_eq(p.with[0].runs, 4);
	ck_assert_double_eq_tol(p.with[0].bandwidth, 101.5, 1e-9);
	ck_assert_double_eq_tol(p.with[1].bandwidth, 300, 1e-9);
	for (uint32_t ions = 10; ions < 40; ions++)
		learn(&p, 1e9, 2e9, 7, ions);
	ck_assert_uint_eq(p.n_with, SLU_PROFILE_IONS);
	ck_assert_uint_eq(p.with[0].ions, 2); /* the most used stays */
}
END_TEST

/* Two kinds of runs in turn, each with a bandwidth of its own. */
START_TEST(test_bandwidth)
{
	struct slu_profile p;

	slu_profile_init(&p);
	for (int i = 0; i < 30; i++)
		learn(&p, i % 2 ? 8e9 : 0, i % 2 ? 0 : 8e9, i % 2 ? 50 : 200,
		      1);
	ck_assert_double_eq_tol(slu_profile_bandwidth(&p), 200, 1e-9);
	learn(&p, 0, 8e9, 200, 1);
	ck_assert_double_eq_tol(slu_profile_bandwidth(&p), 50, 1e-9);
}
END_TEST

TEST_MAIN("io_profile", test_ions, test_bandwidth)
