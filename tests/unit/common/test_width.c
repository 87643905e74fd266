/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the width of texts on a terminal. */
#include "config.h"
#include "common/width.h"
#include "tests/unit/harness.h"

#include <locale.h>

static const struct {
	const char *text;
	size_t width;
	const char *cut; /* to four columns */
} cases[] = {
	{"", 0, ""},
	{"abc", 3, "abc"},
	{"abcd", 4, "abcd"},
	{"abcde", 5, "abc\u2026"},
	{"\u00e4\u00f6\u00fc\u00df", 4, "\u00e4\u00f6\u00fc\u00df"},
	{"\u00e4\u00f6\u00fc\u00dfx", 5, "\u00e4\u00f6\u00fc\u2026"},
	/* two columns each */
	{"\u65e5\u672c", 4, "\u65e5\u672c"},
	{"\u65e5\u672c\u8a9e", 6, "\u65e5\u2026"},
	{"a\u65e5\u672c", 5, "a\u65e5\u2026"},
	{"\U0001f600\U0001f600\U0001f600", 6, "\U0001f600\u2026"},
	/* the accent belongs to the letter before it */
	{"e\u0301e\u0301e\u0301e\u0301", 4, "e\u0301e\u0301e\u0301e\u0301"},
	{"e\u0301e\u0301e\u0301e\u0301e", 5, "e\u0301e\u0301e\u0301\u2026"},
	{"\u2764\ufe0f", 2, "\u2764\ufe0f"},
};

START_TEST(test_widths)
{
	char text[64];

	each(c, cases)
	{
		expect(slu_width(c->text) == c->width, "%s: %zu", c->text,
		       slu_width(c->text));
		snprintf(text, sizeof(text), "%s", c->text);
		slu_width_cut(text, 4);
		ck_assert_str_eq(text, c->cut);
		slu_width_cut(text, 1);
		expect(slu_width(text) <= 1, "%s", text);
		slu_width_cut(text, 0);
		expect(!*text || slu_width(text) == 0, "%s", text);
	}
	ck_assert_uint_eq(slu_width_prefix("\u65e5\u672c", 3), 3);
	ck_assert_uint_eq(slu_width_prefix("ab\u65e5", 1), 1);
	/* the caller's locale, which knows nothing of UTF-8, stays */
	ck_assert_str_eq(setlocale(LC_ALL, NULL), "C");
}
END_TEST

TEST_MAIN("width", test_widths)
