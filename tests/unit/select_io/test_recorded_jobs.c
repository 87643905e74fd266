/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the replay of recorded jobs: the same policy and pool give the recorded
 * bandwidth, others what the curves predict. */
#include "config.h"
#include "tests/unit/arbiter_help.h"
#include "tests/unit/random.h"
#include "select_io/ion/evaluation/recorded.h"

#define JOBS 200

/* Half as fast with one I/O node as with two; four are as good as two. */
static double rate(uint32_t app, uint32_t ions)
{
	return (app + 1) * (ions >= 2 ? 200.0 : ions == 1 ? 100.0 : 25.0);
}

static void add(struct slu_recorded *r, uint32_t id, char *name, int64_t start,
		int64_t seconds, uint32_t ions, double mbps)
{
	struct slu_history_row row = {.job = make_job(id, name, 4),
				      .io_bandwidth = mbps};
	struct slu_err err;

	row.job.submit = row.job.start = start;
	row.job.end = start + seconds;
	row.job.ions = ions;
	row.job.tasks = 8;
	expect_ok(slu_recorded_add(r, &row, &err), err);
}

static struct slu_replayed replay(const struct slu_recorded *r,
				  const char *ions, enum slu_ion_policy policy)
{
	struct slu_conf conf = conf_of(ions, policy);
	struct slu_replayed out;
	struct slu_err err;

	expect_ok(slu_recorded_replay(r, &conf, 16, &out, &err), err);
	slu_hosts_free(&conf.io_nodes);
	return out;
}

/* One at a time, each alone: what it takes is known by hand. */
START_TEST(test_by_hand)
{
	struct slu_recorded *r = slu_recorded_new(NULL);
	struct slu_recorded_facts facts;
	struct slu_err err;

	for (uint32_t i = 0; i < 4; i++) /* what teaches, long ago */
		add(r, 90 + i, "app", 1000 + 200 * i, 100, 1u << i,
		    rate(0, 1u << i));
	add(r, 1, "app", 10000, 100, 1, 100); /* 10 GB */
	add(r, 2, "app", 20000, 100, 1, 50);  /* 5 GB, an unlucky one */
	add(r, 3, "new", 30000, 77, 1, 0);    /* nothing is known of it */
	add(r, 4, "app", 40000, 50, 2, 200);  /* 10 GB */
	expect_ok(slu_recorded_prepare(r, 5000, false, &err), err);
	facts = slu_recorded_facts(r);
	ck_assert_uint_eq(facts.jobs, 4);
	ck_assert_uint_eq(facts.known, 3);
	ck_assert_uint_eq(facts.nodes, 4);
	ck_assert_double_eq(facts.seconds, 30050);
	struct slu_replayed one = replay(r, "ion1", SLU_ION_MCKP);
	struct slu_replayed four = replay(r, "ion[1-4]", SLU_ION_MCKP);

	ck_assert_uint_eq(one.jobs, 3);
	ck_assert_double_eq_tol(one.mb, 25000, 1e-6);
	ck_assert(one.io_hours > four.io_hours * 1.9);
	ck_assert_double_eq_tol(one.node_hours, 4 * one.io_hours, 1e-9);
	slu_recorded_free(r);
}
END_TEST

/* At random: MCKP is better than STATIC, more I/O nodes are better than few, by
 * the whole month (at each event that is proven elsewhere), and the order of
 * the rows says nothing. */
START_TEST(test_random_replays_agree)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct slu_recorded *r = slu_recorded_new(NULL), *back;
		struct slu_replayed a, b, fixed, more;
		struct slu_err err;

		back = slu_recorded_new(NULL);
		for (int way = 0; way < 2; way++)
			for (uint32_t i = 0; i < JOBS; i++) {
				uint32_t k = way ? JOBS - 1 - i : i;
				uint64_t s = seed * 1000 + k;
				uint32_t app = (uint32_t)slu_random(&s, 2);
				uint32_t ions = 1u << slu_random(&s, 3);

				add(way ? back : r, k + 1, app ? "b" : "a",
				    1000 + 100 * (int64_t)k,
				    100 + (int64_t)slu_random(&s, 900), ions,
				    rate(app, ions));
			}
		expect_ok(slu_recorded_prepare(r, 0, false, &err), err);
		expect_ok(slu_recorded_prepare(back, 0, false, &err), err);
		a = replay(r, "ion[1-8]", SLU_ION_MCKP);
		b = replay(back, "ion[1-8]", SLU_ION_MCKP);
		fixed = replay(r, "ion[1-8]", SLU_ION_STATIC);
		more = replay(r, "ion[1-16]", SLU_ION_MCKP);
		ck_assert_double_eq_tol(a.io_hours, b.io_hours, 1e-6);
		ck_assert_double_eq_tol(a.mb, fixed.mb, 1e-3);
		ck_assert_double_lt(a.io_hours, fixed.io_hours);
		ck_assert_double_lt(more.io_hours, a.io_hours);
		slu_recorded_free(r);
		slu_recorded_free(back);
	}
}
END_TEST

/* Nobody ever had direct access: with it a job takes what it took. */
START_TEST(test_unknown_number)
{
	struct slu_recorded *r = slu_recorded_new(NULL);
	struct slu_conf conf = conf_of("ion1", SLU_ION_ZERO);
	struct slu_replayed out;
	struct slu_err err;

	conf.direct_access = true;
	add(r, 1, "app", 1000, 360, 1, 100);
	expect_ok(slu_recorded_prepare(r, 0, true, &err), err);
	expect_ok(slu_recorded_replay(r, &conf, 16, &out, &err), err);
	ck_assert_double_eq_tol(out.io_hours, 0.1, 1e-6);
	slu_hosts_free(&conf.io_nodes);
	slu_recorded_free(r);
}
END_TEST

START_TEST(test_nothing)
{
	struct slu_recorded *r = slu_recorded_new(NULL);
	struct slu_replayed out;
	struct slu_err err;

	expect_ok(slu_recorded_prepare(r, 0, true, &err), err);
	out = replay(r, "ion1", SLU_ION_MCKP);
	ck_assert_uint_eq(out.jobs, 0);
	ck_assert_double_eq(out.io_hours, 0);
	slu_recorded_free(r);
}
END_TEST

TEST_MAIN("recorded_jobs", test_by_hand, test_random_replays_agree,
	  test_unknown_number, test_nothing)
