/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the drawing of phases as text: to scale, and within the terminal's
 * width. */
#include "config.h"
#include <math.h>
#include "sysquery/cli/paragraph.h"
#include "sysquery/cli/timeline.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"

static const char *draw(const struct slu_span *spans, size_t n, size_t width)
{
	static char text[8192];
	struct slu_buf out = {0};

	slu_timeline(spans, n, width, &out);
	snprintf(text, sizeof(text), "%s", out.data ? out.data : "");
	slu_buf_free(&out);
	return text;
}

START_TEST(test_scale)
{
	static const struct slu_span spans[] = {
		{"setup", 1000, 14, false},
		{"stage_in", 1014, 0.001, false},
		{"run", 1014, 28, false},
		{"stage_out", 1042, 14, true},
	};

	ck_assert_str_eq(
		draw(spans, 4, 80),
		"PHASE           TOOK  a column: 1.00 s\n"
		"setup         14.0 s |==============                            "
		"              |\n"
		"stage_in      0.00 s |              :                           "
		"              |\n"
		"run           28.0 s |              ============================"
		"              |\n"
		"stage_out     14.0 s |                                          "
		"=============>|\n");
	/* nothing to draw, and what is no time */
	ck_assert_str_eq(draw(spans, 0, 0), "");
	ck_assert_str_eq(draw(&(struct slu_span){"run", 5, 0, true}, 1, 0), "");
	ck_assert_str_eq(draw(&(struct slu_span){"run", NAN, 1, true}, 1, 0),
			 "");
	ck_assert_str_eq(draw(&(struct slu_span){"run", 0, -1, true}, 1, 0),
			 "");
}
END_TEST

/* Whatever the times: each line is 80 columns, each span is seen, and those
 * that follow each other share no column in which they go on. */
START_TEST(test_random)
{
	uint64_t seed = 5;

	for (int i = 0; i < 2000; i++) {
		struct slu_span spans[6];
		size_t n = 1 + slu_random(&seed, 6);
		double at = 1.7e9;
		char *line, *rest;
		int marks = 0;
		size_t width = slu_random(&seed, 2) ? 80 : 40;

		for (size_t k = 0; k < n; k++) {
			spans[k] = (struct slu_span){
				.name = "a long name",
				.began = at,
				.seconds =
					exp((double)(slu_random(&seed, 1600)) /
						    100 -
					    4),
				.goes_on = k == n - 1 && i % 2};
			at += spans[k].seconds;
		}
		rest = (char *)(uintptr_t)draw(spans, n, width);
		strsep(&rest, "\n");
		for (size_t k = 0; k < n; k++) {
			line = strsep(&rest, "\n");
			ck_assert_uint_eq(strlen(line), width - 1);
			ck_assert_ptr_nonnull(strpbrk(line + 22, "=:>"));
			for (char *c = line + 22; *c; c++)
				marks += *c == '=' || *c == '>';
		}
		ck_assert_int_le(marks, (int)width - 23);
		ck_assert_str_eq(rest, "");
	}
}
END_TEST

START_TEST(test_paragraph)
{
	struct slu_buf out = {0};
	char *line, *rest;
	struct slu_text_page page = {&out, 0};
	uint64_t seed = 3;

	slu_paragraph(&page, "Empty", "");
	slu_paragraph(&page, "None", NULL);
	ck_assert_uint_eq(out.len, 0);
	slu_paragraphf(&page, "Label", "%d words\nand \33[7m", 2);
	ck_assert_str_eq(out.data, "Label       2 words and [7m\n");
	slu_buf_reset(&out);
	for (int i = 0; i < 500; i++) {
		struct slu_buf text = {0};

		for (int k = 0; k < 30; k++)
			slu_buf_printf(&text, "%s%.*s", k ? " " : "",
				       1 + (int)(slu_random(&seed, 20)),
				       "\xc3\xa4xxxxxxxxxxxxxxxxxxxxxxx");
		slu_buf_reset(&out);
		slu_paragraph(&page, "L", text.data);
		rest = out.data;
		while ((line = strsep(&rest, "\n")) && *line) {
			int columns = 0;

			for (char *c = line; *c; c++)
				columns += (*c & 0xc0) != 0x80;
			ck_assert_int_le(columns, SLU_PAGE_WIDTH);
		}
		slu_buf_free(&text);
	}
	/* a path stays whole, but on a terminal, which would break it anyhow */
	slu_buf_reset(&out);
	slu_paragraph(&page, "L",
		      "a /0123456789/0123456789/0123456789/0123456789"
		      "/0123456789/0123456789/0123456789/0123456789 "
		      "b");
	ck_assert_str_eq(out.data,
			 "L           a\n            /0123456789/0123456789/"
			 "0123456789/0123456789/0123456789/0123456789/"
			 "0123456789/0123456789\n            b\n");
	slu_buf_reset(&out);
	page.width = 24;
	slu_paragraph(&page, "L", "a 0123456789ABCDEF b\u65e5\u672c");
	ck_assert_str_eq(out.data, "L           a\n            0123456789AB\n"
				   "            CDEF b\u65e5\u672c\n");
	slu_buf_free(&out);
}
END_TEST

TEST_MAIN("timeline", test_scale, test_random, test_paragraph)
