/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the splitting of a stream into lines: however it is cut into pieces,
 * the lines are the same. */
#include "sluiced/control/line.h"
#include "tests/unit/harness.h"

/* However a stream is cut into pieces, the same lines come out. */
START_TEST(test_every_cut)
{
	static const char stream[] = "one\n\ntwo words\nx\nno end";
	static const char *const want[] = {"one", "", "two words", "x"};

	for (size_t cut = 1; cut <= sizeof(stream); cut++) {
		struct slu_lines lines = {.max = 64};
		size_t found = 0, len;
		const char *line;

		for (size_t at = 0; at < sizeof(stream) - 1; at += cut) {
			size_t n = sizeof(stream) - 1 - at;

			n = n < cut ? n : cut;
			ck_assert_int_eq(
				slu_lines_add(&lines, stream + at, n, NULL), 0);
			while ((line = slu_lines_next(&lines, &len))) {
				ck_assert_uint_lt(found, 4);
				ck_assert_str_eq(line, want[found]);
				ck_assert_uint_eq(len, strlen(want[found]));
				found++;
			}
		}
		expect(found == 4, "cut %zu: %zu lines", cut, found);
		slu_lines_free(&lines);
	}
}
END_TEST

START_TEST(test_length_of_lines_is_bounded)
{
	struct slu_lines lines = {.max = 8};
	struct slu_err err;
	size_t len;

	expect_ok(slu_lines_add(&lines, "1234567\n", 8, &err), err);
	ck_assert_str_eq(slu_lines_next(&lines, &len), "1234567");
	ck_assert_ptr_null(slu_lines_next(&lines, &len));
	expect_ok(slu_lines_add(&lines, "12345678", 8, &err), err);
	ck_assert_ptr_null(slu_lines_next(&lines, &len));
	expect_fail(slu_lines_add(&lines, "9", 1, &err), err, SLU_INVALID,
		    "longer than 8");
	slu_lines_free(&lines);
}
END_TEST

START_TEST(test_nul_inside)
{
	struct slu_lines lines = {.max = 8};
	size_t len;

	slu_lines_add(&lines, "a\0b\n", 4, NULL);
	ck_assert_ptr_nonnull(slu_lines_next(&lines, &len));
	ck_assert_uint_eq(len, 3);
	ck_assert_ptr_null(slu_lines_next(&lines, &len));
	slu_lines_free(&lines);
}
END_TEST

TEST_MAIN("sluiced_line", test_every_cut, test_length_of_lines_is_bounded,
	  test_nul_inside)
