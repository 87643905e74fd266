/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"
#include <math.h>
#include "select_io/ion/patterns.h"

static const char table[] = "# measured in May\n"
			    "pattern,0,1,2,4,8\r\n"
			    "shared-1m,246,120,232,421,640\n"
			    "\n"
			    "fpp-32k,,100,200,,1000\n";

START_TEST(test_table)
{
	struct slu_err err;
	struct slu_patterns *t = slu_patterns_parse(table, "t", &err);
	const struct slu_curve *c;

	ck_assert_msg(t != NULL, "%s", err.text);
	c = slu_patterns_find(t, "shared-1m");
	ck_assert_double_eq(slu_curve_at(c, 0), 246);
	ck_assert_double_eq(slu_curve_at(c, 8), 640);
	c = slu_patterns_find(t, "fpp-32k");
	ck_assert_double_eq(slu_curve_at(c, 0), 0);
	ck_assert_double_eq_tol(slu_curve_at(c, 4), 200 + 800.0 / 3, 1e-9);
	ck_assert_ptr_null(slu_patterns_find(t, "fpp"));
	slu_patterns_free(t);
}
END_TEST

START_TEST(test_profiles)
{
	static const struct {
		const char *profile;
		uint32_t ions;
		double want;
	} cases[] = {
		{"shared-1m", 2, 232},
		{"shared-1m:5TiB", 2, 232},
		{"shared-1m:1GiB,fpp-32k:1GiB", 1, 2 / (1 / 120.0 + 1 / 100.0)},
		{"shared-1m:3K,fpp-32k:1K", 8, 4 / (3 / 640.0 + 1 / 1000.0)},
		{"shared-1m,fpp-32k", 0, 0}, /* one was not measured */
	};
	static const struct {
		const char *profile;
		enum slu_kind kind;
		const char *words;
	} bad[] = {
		{"other", SLU_NOTFOUND, "\"other\""},
		{"", SLU_NOTFOUND, "\"\""},
		{"shared-1m,", SLU_NOTFOUND, "\"\""},
		{"shared-1m:x", SLU_INVALID, "x"},
		{"shared-1m:0", SLU_INVALID, "0"},
		{"shared-1m,shared-1m,shared-1m,shared-1m,shared-1m,shared-1m,"
		 "shared-1m,shared-1m,shared-1m,shared-1m,shared-1m,shared-1m,"
		 "shared-1m,shared-1m,shared-1m,shared-1m,shared-1m",
		 SLU_INVALID, "more than 16"},
	};
	struct slu_err err;
	struct slu_patterns *t = slu_patterns_parse(table, "t", &err);
	struct slu_curve c;

	each(p, cases)
	{
		expect_ok(slu_patterns_curve(t, p->profile, &c, &err), err);
		expect(fabs(slu_curve_at(&c, p->ions) - p->want) < 1e-9,
		       "%s at %u: %f", p->profile, p->ions,
		       slu_curve_at(&c, p->ions));
	}
	each(b, bad) expect_fail(slu_patterns_curve(t, b->profile, &c, &err),
				 err, b->kind, b->words);
	slu_patterns_free(t);
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "t: no pattern"},
		{"pattern,1\n", "t: no pattern"},
		{"name,1\nx,2\n", "t:1: the heading begins with \"name\""},
		{"pattern\nx\n", "t:1: the heading names no number"},
		{"pattern,1,-2\n", "t:1: \"-2\" is no number"},
		{"pattern,1,x\n", "t:1: \"x\" is no number"},
		{"pattern,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n",
		 "more than 16"},
		{"pattern,1\n,5\n", "t:2: \"\" is no name"},
		{"pattern,1\na:b,5\n", "is no name"},
		{"pattern,1\nx,5,6\n", "t:2: too many columns"},
		{"pattern,1\nx,0\n", "t:2: \"0\" is no bandwidth"},
		{"pattern,1\nx,nan\n", "is no bandwidth"},
		{"pattern,1\nx,5 \n", "is no bandwidth"},
		{"pattern,0,1\nx,5,\n", "x was never measured"},
		{"pattern,1\nx,5\nx,6\n", "t:3: x stands there twice"},
	};
	struct slu_err err;

	each(c, cases)
	{
		ck_assert_ptr_null(slu_patterns_parse(c->text, "t", &err));
		expect_err(err, SLU_INVALID, c->words);
	}
}
END_TEST

TEST_MAIN("patterns", test_table, test_profiles, test_refused)
