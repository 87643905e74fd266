/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_HARNESS_H
#define SLU_TESTS_HARNESS_H

/*
 * Includes Check, and provides main() that runs the named tests, and macros for
 * tables of cases and errors. Every unit test includes it.
 *	START_TEST(test_sizes)
 *	{
 *		each(c, cases)
 *			expect(parse(c->text) == c->want, "%s", c->text);
 *	}
 *	END_TEST
 *	TEST_MAIN("size", test_sizes)
 */

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/err.h"
#include "tests/unit/scratch.h"

/* Run through an array. */
#define each(c, table)                                  \
	for (const __typeof__((table)[0]) *c = (table); \
	     c < (table) + sizeof(table) / sizeof((table)[0]); c++)

/* Must hold; the rest, like printf's arguments, says in which case. */
#define expect(cond, ...)                                     \
	do {                                                  \
		char what_[1024];                             \
		snprintf(what_, sizeof(what_), __VA_ARGS__);  \
		ck_assert_msg(cond, "%s [%s]", #cond, what_); \
	} while (0)

/* A call that returns 0 (or a pointer) or fills in `struct slu_err err`. */
#define expect_ok(call, err) \
	ck_assert_msg((call) == 0, "%s: %s", #call, (err).text)

/* A call that must return -1 with this kind and these words in the text. */
#define expect_fail(call, err, want_kind, words)                    \
	do {                                                        \
		(err) = (struct slu_err){0};                        \
		ck_assert_msg((call) == -1, "%s succeeded", #call); \
		expect_err(err, want_kind, words);                  \
	} while (0)

#define expect_err(err, want_kind, words)                                    \
	do {                                                                 \
		ck_assert_msg((err).kind == (want_kind), "%s, not %s: %s",   \
			      slu_kind_name((err).kind),                     \
			      slu_kind_name(want_kind), (err).text);         \
		ck_assert_msg(strstr((err).text, words) != NULL,             \
			      "\"%s\" is not in \"%s\"", words, (err).text); \
	} while (0)

#define SKIPPED 77 /* automake's word */

/* This test, or the rest of it, cannot run here, and why. A program of which
 * no test failed then ends as skipped. */
static inline void skip(const char *why)
{
	printf("skipped: %s\n", why);
	scratch_skipped(true);
}

static inline bool have_root(void)
{
	if (geteuid())
		skip("needs root");
	return !geteuid();
}

/* Run the tests, each in a process of its own with 180 s to live. */
static inline int run_tests(const char *name, const TTest *const *tests,
			    size_t n)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create(name);
	SRunner *runner = srunner_create(suite);
	bool ours = scratch_begin();
	bool skipped;
	int failed;

	tcase_set_timeout(tcase, 600);
	for (size_t i = 0; i < n; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	skipped = scratch_skipped(false);
	if (ours)
		scratch_end();
	return failed ? EXIT_FAILURE : skipped ? SKIPPED : EXIT_SUCCESS;
}

#define TEST_MAIN(name, ...)                                        \
	int main(void)                                              \
	{                                                           \
		const TTest *const tests[] = {__VA_ARGS__};         \
		return run_tests(name, tests,                       \
				 sizeof(tests) / sizeof(tests[0])); \
	}

#endif
