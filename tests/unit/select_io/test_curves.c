/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests curves of bandwidth by number of I/O nodes: values from runs with 2 and
 * 8 I/O nodes and with none, noise, classes of jobs, ageing. */
#include "config.h"
#include "tests/unit/harness.h"
#include <math.h>
#include "select_io/curves/curves.h"

/* Runs of 2 and 8 I/O nodes, and of none. */
static struct slu_curve example(void)
{
	struct slu_curve c = {0};

	slu_curve_add(&c, 8, 400);
	slu_curve_add(&c, 2, 90);
	slu_curve_add(&c, 2, 110);
	slu_curve_add(&c, 0, 70);
	return c;
}

START_TEST(test_value_at_each_number)
{
	static const struct {
		uint32_t ions;
		double want;
	} cases[] = {
		{0, 70},  /* measured */
		{1, 50},  /* proportional; direct access does not count */
		{2, 100}, /* the mean */
		{4, 200}, {5, 250}, {8, 400}, {9, 400}, {UINT32_MAX, 400},
	};
	struct slu_curve c = example();

	each(t, cases) expect(fabs(slu_curve_at(&c, t->ions) - t->want) < 1e-9,
			      "%u: %f", t->ions, slu_curve_at(&c, t->ions));
	c = (struct slu_curve){0};
	ck_assert_double_eq(slu_curve_at(&c, 0), 0);
	ck_assert_double_eq(slu_curve_at(&c, 3), 0);
	slu_curve_add(&c, 4, 100);
	ck_assert_double_eq(slu_curve_at(&c, 0), 0);
	ck_assert_double_eq(slu_curve_at(&c, 1), 25);
}
END_TEST

/* Three runs each: 100 and 104 with a spread of 10 are the same, 200 is not. */
START_TEST(test_noise)
{
	static const double off[] = {-10, 0, 10};
	struct slu_curve c = {0};

	each(d, off)
	{
		slu_curve_add(&c, 0, 99 + *d); /* direct access stands apart */
		slu_curve_add(&c, 1, 100 + *d);
		slu_curve_add(&c, 2, 104 + *d);
		slu_curve_add(&c, 4, 200 + *d);
	}
	ck_assert_double_eq_tol(slu_curve_deviation(&c.point[1]), 10, 1e-9);
	ck_assert_double_eq_tol(slu_curve_at(&c, 0), 99, 1e-9);
	ck_assert_double_eq_tol(slu_curve_at(&c, 1), 102, 1e-9);
	ck_assert_double_eq_tol(slu_curve_at(&c, 2), 102, 1e-9);
	ck_assert_double_eq_tol(slu_curve_at(&c, 4), 200, 1e-9);
	for (int i = 0; i < 40; i++)
		each(d, off) slu_curve_add(&c, 2, 104 + *d);
	ck_assert_double_eq_tol(slu_curve_at(&c, 2), 104, 1); /* or nearly */
	c = (struct slu_curve){0};
	slu_curve_add(&c, 1, 100);
	slu_curve_add(&c, 2, 101);
	ck_assert_double_eq(slu_curve_at(&c, 1), 100); /* single runs */
	ck_assert_double_eq(slu_curve_deviation(&c.point[0]), 0);
}
END_TEST

START_TEST(test_direct_access_alone_is_unknown)
{
	struct slu_curve c = {0};

	ck_assert(!slu_curve_known(NULL));
	ck_assert(!slu_curve_known(&c));
	slu_curve_add(&c, 0, 100);
	ck_assert(!slu_curve_known(&c)); /* only direct access */
	ck_assert_uint_eq(slu_curve_most(&c), 0);
	ck_assert_double_eq(slu_curve_at(&c, 1), 0);
	slu_curve_add(&c, 3, 100);
	slu_curve_add(&c, 1, 100);
	ck_assert(slu_curve_known(&c));
	ck_assert_uint_eq(slu_curve_most(&c), 3);
}
END_TEST

START_TEST(test_not_believed)
{
	static const double cases[] = {0, -1, NAN, INFINITY, 1.1e9};
	struct slu_curve c = {0};

	each(b, cases) slu_curve_add(&c, 1, *b);
	ck_assert_uint_eq(c.n, 0);
	for (uint32_t n = 40; n > 0; n--)
		slu_curve_add(&c, n, n);
	ck_assert_uint_eq(c.n, SLU_CURVE_POINTS);
	ck_assert_double_eq(slu_curve_at(&c, 40), 40);
	for (uint32_t i = 1; i < c.n; i++)
		ck_assert_uint_lt(c.point[i - 1].ions, c.point[i].ions);
}
END_TEST

static void teach(struct slu_curves *t, const struct slu_job *job,
		  uint32_t ions, double bandwidth)
{
	struct slu_ion_times times = slu_ion_times_one(ions);

	slu_curves_learn(t, job, &times, bandwidth);
}

START_TEST(test_classes)
{
	struct slu_err err;
	struct slu_curves *t = slu_curves_new(100, &err);
	struct slu_job job = {.uid = 1, .name = "a", .node_cnt = 4};
	static const struct slu_job others[] = {
		{.uid = 2, .name = "a", .node_cnt = 4},
		{.uid = 1, .name = "b", .node_cnt = 4},
		{.uid = 1, .name = "a", .node_cnt = 2},
		{.uid = 1, .node_cnt = 4},
	};

	teach(t, &job, 2, 10);
	teach(t, &job, 2, 30);
	ck_assert_double_eq(
		slu_curve_at(slu_curves_find(t, slu_curves_class(&job)), 2),
		20);
	each(o, others) expect(!slu_curves_find(t, slu_curves_class(o)), "%td",
			       o - others);
	teach(t, &others[0], 2, 0); /* taught nothing */
	ck_assert_ptr_null(slu_curves_find(t, slu_curves_class(&others[0])));
	slu_curves_free(t);
}
END_TEST

START_TEST(test_aging)
{
	struct slu_err err;
	struct slu_curves *t = slu_curves_new(1024, &err);
	struct slu_job job = {.name = "j", .node_cnt = 1};
	uint32_t known = 0, old = 0;

	for (job.uid = 1; job.uid <= 10240; job.uid++)
		teach(t, &job, 1, job.uid);
	for (job.uid = 1; job.uid <= 5000; job.uid++)
		old += slu_curves_find(t, slu_curves_class(&job)) != NULL;
	for (job.uid = 10240 - 100; job.uid <= 10240; job.uid++) {
		const struct slu_curve *c =
			slu_curves_find(t, slu_curves_class(&job));

		known += c && slu_curve_at(c, 1) == job.uid;
	}
	ck_assert_uint_eq(old, 0);
	ck_assert_uint_eq(known, 101);
	slu_curves_free(t);
	ck_assert_ptr_null(slu_curves_new(SIZE_MAX, &err));
	expect_err(err, SLU_INVALID, "too many");
}
END_TEST

TEST_MAIN("curves", test_value_at_each_number, test_noise,
	  test_direct_access_alone_is_unknown, test_not_believed, test_classes,
	  test_aging)
