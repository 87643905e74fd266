/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the limits of the knapsack solver: how long a solve takes, how large
 * numbers may be, and which problems are refused. */
#include "config.h"
#include "tests/unit/select_io/mckp_solve.h"
#include "tests/unit/random.h"
#include <math.h>

/* Kinds of bench/mckp.c, with items that nobody would choose, and without
 * direct access. */
static void adversary(struct slu_mckp_item *item, uint32_t n, char kind,
		      uint64_t *seed)
{
	bool idle = kind == 'd', least = kind == 'l';
	uint32_t twice = kind == 'p' ? 3 : 2;

	for (uint32_t j = 0; j < n; j++) {
		double noise = (double)slu_random(seed, 1000) / 1000;
		uint32_t w = twice * j + least;
		double v = 100.0 * w + noise;

		if (kind == 'i')
			v = 3000. * w / (w + 5);
		if (kind == 'u')
			v = 5000 * noise;
		if (idle && j % 2)
			v = 0;
		if (kind != 'o' && kind != 'i' && j == 5 &&
		    slu_random(seed, 10) == 0)
			w--;
		item[j] = (struct slu_mckp_item){w, v};
	}
}

/* By construction no search makes a solve longer than one and a half times the
 * table's, but for some steps that are always allowed: what is done is counted,
 * in the cells of a table. */
START_TEST(test_never_long)
{
	enum { JOBS = 200, ITEMS = 8, STEP = 100, ALWAYS = 128 };
	static struct slu_mckp_item item[JOBS][ITEMS];
	static struct slu_mckp_class class[JOBS];
	static const uint32_t widths[] = {3, 20, 101, 255, 600};
	uint64_t seed = 5;
	bool given_up = false;

	for (const char *kind = "noptiudl"; *kind; kind++)
		for (uint32_t round = 0; round < 40; round++) {
			uint32_t n =
				33 + (uint32_t)slu_random(&seed, JOBS - 32);
			struct slu_mckp_info all, by_table;
			struct slu_mckp_problem p = {class, n,
						     widths[round % 5]};
			double value;

			n = n > JOBS ? JOBS : n;
			p.n = n;
			for (uint32_t i = 0; i < n; i++) {
				adversary(item[i], ITEMS, *kind, &seed);
				class[i] = (struct slu_mckp_class){
					item[i], ITEMS, SLU_MCKP_NONE};
			}
			if (*kind == 'l')
				p.capacity += n;
			method = SLU_MCKP_TABLE;
			value = solve(&p, NULL, &by_table).value;
			method = SLU_MCKP_AUTO;
			ck_assert_double_eq_tol(solve(&p, NULL, &all).value,
						value, 1e-6);
			expect(all.cells + STEP * all.steps <=
				       by_table.cells * 3 / 2 + STEP * ALWAYS,
			       "%c, %u jobs, %u: %llu steps and %llu cells "
			       "against %llu cells",
			       *kind, n, p.capacity,
			       (unsigned long long)all.steps,
			       (unsigned long long)all.cells,
			       (unsigned long long)by_table.cells);
			given_up |= all.by == SLU_MCKP_BY_TABLE;
		}
	ck_assert(given_up);
}
END_TEST

/* So much bandwidth that its unit must grow. */
START_TEST(test_huge_values)
{
	enum { CLASSES = 3000 };
	static const struct slu_mckp_item item[] = {{0, SLU_MCKP_MAX_VALUE / 2},
						    {1, SLU_MCKP_MAX_VALUE}};
	static struct slu_mckp_class class[CLASSES];
	static uint32_t choice[CLASSES];
	struct slu_mckp_problem p = {class, CLASSES, CLASSES / 3};
	struct slu_mckp_info info;
	struct slu_mckp_solution s;

	for (int i = 0; i < CLASSES; i++)
		class[i] = (struct slu_mckp_class){item, 2, SLU_MCKP_NONE};
	s = solve(&p, choice, &info);
	ck_assert_uint_eq(s.weight, CLASSES / 3);
	ck_assert_double_eq_tol(s.value, SLU_MCKP_MAX_VALUE * 2 / 3 * CLASSES,
				info.unit * CLASSES);
	ck_assert_double_gt(info.unit, 0.001);
	ck_assert_double_ge(info.bound, s.value);
}
END_TEST

START_TEST(test_refused)
{
	static const struct slu_mckp_item good = {1, 1};
	static const struct slu_mckp_item bad[] = {
		{1, -1}, {1, NAN}, {1, INFINITY}, {1, 2e12}};
	struct slu_mckp_class class = {&good, 0, SLU_MCKP_NONE};
	struct slu_mckp_problem p = {&class, 1, 1u << 30};
	struct slu_err err;

	ck_assert_ptr_null(slu_mckp_setup(&p, NULL, &err));
	expect_err(err, SLU_INVALID, "class 0: the class is empty");
	class.n = 1;
	class.hold = 1;
	ck_assert_ptr_null(slu_mckp_setup(&p, NULL, &err));
	expect_err(err, SLU_INVALID, "holds item 1 of 1");
	class.hold = 0;
	each(b, bad)
	{
		class.item = b;
		ck_assert_ptr_null(slu_mckp_setup(&p, NULL, &err));
		expect_err(err, SLU_INVALID, "value");
	}
	p.n = SLU_MCKP_MAX_CLASSES + 1;
	ck_assert_ptr_null(slu_mckp_setup(&p, NULL, &err));
	expect_err(err, SLU_INVALID, "too many");
}
END_TEST

TEST_MAIN("mckp bounds", test_never_long, test_huge_values, test_refused)
