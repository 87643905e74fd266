/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the numbering of texts: the same text always has the same number. */
#include "config.h"
#include "tests/unit/harness.h"
#include "job_submit/simulation/intern.h"

/* The same text has the same number, and keeps it while the table grows. */
START_TEST(test_numbers)
{
	enum { N = 5000 };
	struct slu_intern *names = slu_intern_new();
	char text[16];

	ck_assert_uint_eq(slu_intern_put(names, NULL), 0);
	ck_assert_ptr_null(slu_intern_text(names, 0));
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 1; i < N; i++) {
			snprintf(text, sizeof(text), i == 1 ? "" : "t%u", i);
			ck_assert_uint_eq(slu_intern_put(names, text), i);
			ck_assert_str_eq(slu_intern_text(names, i), text);
		}
	ck_assert_uint_eq(slu_intern_count(names), N);
	slu_intern_free(names);
	slu_intern_free(NULL);
}
END_TEST

TEST_MAIN("intern", test_numbers)
