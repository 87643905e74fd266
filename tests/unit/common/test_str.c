/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the string functions and buffers. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/str.h"
#include <stdint.h>

START_TEST(test_buf_grows)
{
	struct slu_buf buf = {0};

	for (int i = 0; i < 1000; i++) {
		slu_buf_add(&buf, "ab\0", 3);
		slu_buf_printf(&buf, "%03d", i);
	}
	ck_assert(!buf.failed);
	ck_assert_uint_eq(buf.len, 6000);
	ck_assert_int_eq(memcmp(buf.data + 5994,
				"ab\0"
				"999",
				7),
			 0);
	slu_buf_reset(&buf);
	ck_assert_uint_eq(buf.len, 0);
	slu_buf_puts(&buf, "new");
	ck_assert_str_eq(buf.data, "new");
	slu_buf_free(&buf);
	ck_assert(!buf.data && !buf.cap);
}
END_TEST

/* What is printed fits exactly, or not by one. */
/* What is written into room counts as far as is said. */
START_TEST(test_buf_room)
{
	struct slu_buf buf = {.max = 20};

	for (int i = 0; i < 3; i++) {
		char *at = slu_buf_room(&buf, 8);

		ck_assert(at != NULL);
		memcpy(at, "12345678", 8);
		slu_buf_cut(&buf, (size_t)(at + 3 - buf.data));
	}
	ck_assert_str_eq(buf.data, "123123123");
	ck_assert_ptr_null(slu_buf_room(&buf, 12));
	ck_assert(buf.failed);
	ck_assert_str_eq(buf.data, "123123123");
	slu_buf_free(&buf);
}
END_TEST

START_TEST(test_buf_printf)
{
	for (int had = 0; had < 130; had++)
		for (int more = 0; more < 130; more++) {
			struct slu_buf buf = {0};

			slu_buf_printf(&buf, "%*s", had, "");
			slu_buf_printf(&buf, "%*s|", more, "");
			expect(buf.len == (size_t)(had + more + 1) &&
				       buf.data[buf.len - 1] == '|' &&
				       !buf.data[buf.len],
			       "%d and %d", had, more);
			slu_buf_free(&buf);
		}
}
END_TEST

/* The ceiling is exact; what does not fit is dropped, and all that follows. */
START_TEST(test_buf_ceiling)
{
	struct slu_buf buf = {.max = 5};

	slu_buf_puts(&buf, "abcde");
	ck_assert(!buf.failed);
	slu_buf_puts(&buf, "");
	ck_assert(!buf.failed);
	slu_buf_printf(&buf, "%d", 7);
	ck_assert(buf.failed);
	slu_buf_puts(&buf, "");
	ck_assert_str_eq(buf.data, "abcde");
	slu_buf_reset(&buf);
	ck_assert(!buf.failed);
	slu_buf_puts(&buf, "x");
	ck_assert_str_eq(buf.data, "x");
	slu_buf_puts(&buf, "yyyyy");
	ck_assert_ptr_null(slu_buf_steal(&buf));
	ck_assert(!buf.data && !buf.failed);
	buf.max = SIZE_MAX; /* no ceiling of ours */
	slu_buf_puts(&buf, "fits");
	ck_assert(!buf.failed);
	buf.max = 2; /* lowered below what is there */
	slu_buf_puts(&buf, "x");
	ck_assert(buf.failed);
	slu_buf_free(&buf);
}
END_TEST

START_TEST(test_buf_drop)
{
	struct slu_buf buf = {0};

	slu_buf_drop(&buf, 0);
	slu_buf_puts(&buf, "line one\nline two\n");
	slu_buf_drop(&buf, 9);
	ck_assert_str_eq(buf.data, "line two\n");
	slu_buf_cut(&buf, 4);
	ck_assert_str_eq(buf.data, "line");
	slu_buf_drop(&buf, buf.len);
	ck_assert_str_eq(buf.data, "");
	slu_buf_free(&buf);
}
END_TEST

START_TEST(test_buf_steal)
{
	struct slu_buf buf = {0};
	char *text = slu_buf_steal(&buf);

	ck_assert_str_eq(text, "");
	free(text);
	slu_buf_puts(&buf, "kept");
	text = slu_buf_steal(&buf);
	ck_assert_str_eq(text, "kept");
	ck_assert(!buf.data && !buf.len && !buf.cap);
	free(text);
}
END_TEST

START_TEST(test_small_helpers)
{
	char *text = slu_asprintf("%s-%d", "n", 7), dst[4];

	ck_assert_str_eq(text, "n-7");
	free(text);
	ck_assert(slu_copy(dst, sizeof(dst), "abc"));
	ck_assert_str_eq(dst, "abc");
	ck_assert(!slu_copy(dst, sizeof(dst), "abcd"));
	ck_assert_str_eq(dst, "abc");
	ck_assert(!slu_copy(dst, 1, "a"));
	ck_assert_str_eq(dst, "");
	ck_assert(slu_copy(dst, 1, "") && slu_copy(dst, sizeof(dst), NULL));
	ck_assert_str_eq(dst, "");
	ck_assert(slu_eq(NULL, "") && slu_eq(NULL, NULL) && slu_eq("a", "a"));
	ck_assert(!slu_eq("a", NULL) && !slu_eq("a", "A"));
	ck_assert(slu_is_below("/a", "/a") && slu_is_below("/a/b", "/a"));
	ck_assert(!slu_is_below("/ab", "/a") && !slu_is_below("/", "/a"));
}
END_TEST

START_TEST(test_trim)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"", ""},
		{" \t\n", ""},
		{"a", "a"},
		{"  a b\r\n", "a b"},
	};

	each(c, cases)
	{
		char s[16];

		slu_copy(s, sizeof(s), c->in);
		ck_assert_str_eq(slu_trim(s), c->out);
	}
}
END_TEST

START_TEST(test_split)
{
	char text[] = ",a b,,c ", more[] = "1 2 3", none[] = " ", *out[3];

	ck_assert_uint_eq(slu_split(text, ", ", out, 3), 3);
	ck_assert_str_eq(out[0], "a");
	ck_assert_str_eq(out[1], "b");
	ck_assert_str_eq(out[2], "c");
	ck_assert_uint_eq(slu_split(more, " ", out, 2), 3);
	ck_assert_str_eq(out[1], "2");
	ck_assert_uint_eq(slu_split(none, " ", out, 3), 0);
}
END_TEST

START_TEST(test_has_word)
{
	static const struct {
		const char *list, *word;
		bool want;
	} cases[] = {
		{"7.1 8.2 9.3", "7.1", true},
		{"7.1 8.2 9.3", "8.2", true},
		{"7.1 8.2 9.3", "9.3", true},
		{"  7.1   8.2 ", "8.2", true},
		{"7.1", "7.1", true},
		{"7.1 8.2", "7.10", false},
		{"7.10 18.2", "7.1", false},
		{"7.10 18.2", "8.2", false},
		{"7.1 8.2", "7.1 8.2", false},
		{"7.1", "", false},
		{" ", "", false},
		{"", "7.1", false},
	};

	each(c, cases) expect(slu_has_word(c->list, c->word) == c->want,
			      "%s: %s", c->list, c->word);
}
END_TEST

START_TEST(test_nearest)
{
	static const char *const words[] = {"Database", "DaemonAddr",
					    "NodeStorage", NULL};
	static const struct {
		const char *word, *want;
	} cases[] = {
		{"database", "Database"},
		{"Databse", "Database"},
		{"daemonadr", "DaemonAddr"},
		{"NodeStore", "NodeStorage"},
		{"Unrelated", NULL},
		{"", NULL},
		{"x", NULL},
		{"Data", NULL},
		{"NodeStorageX", "NodeStorage"},
	};
	char long_word[200];

	each(c, cases)
	{
		const char *got = slu_nearest(c->word, words);

		expect(slu_eq(got, c->want), "%s: %s", c->word, got);
	}
	memset(long_word, 'D', sizeof(long_word) - 1);
	long_word[sizeof(long_word) - 1] = '\0';
	ck_assert_ptr_null(slu_nearest(long_word, words));
}
END_TEST

START_TEST(test_strv)
{
	char **v = calloc(3, sizeof(*v));

	ck_assert_uint_eq(slu_strv_len(NULL), 0);
	ck_assert_uint_eq(slu_strv_len(v), 0);
	v[0] = strdup("a");
	v[1] = strdup("b");
	ck_assert_uint_eq(slu_strv_len(v), 2);
	slu_strv_free(v);
	slu_strv_free(NULL);
}
END_TEST

START_TEST(test_utf8)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"plain", "plain"},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80",
		 "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"a\xff"
		 "b",
		 "a?b"},
		{"cut \xc3", "cut ?"},
		{"cut \xf0\x9f\x98", "cut ???"},
		{"\xe2\x82x", "??x"},
		{"\xc0\xaf \xe0\x80\xaf", "?? ???"}, /* too long */
		{"\xed\xa0\x80", "???"},	     /* a surrogate */
		{"\xf4\x90\x80\x80 \xf8", "???? ?"},
	};
	char text[32];

	each(c, cases)
	{
		slu_copy(text, sizeof(text), (*c)[0]);
		slu_utf8_clean(text);
		ck_assert_str_eq(text, (*c)[1]);
	}
}
END_TEST

START_TEST(test_listed)
{
	ck_assert(slu_is_listed("FAILED", "failed"));
	ck_assert(slu_is_listed("a,FAILED", "FAILED"));
	ck_assert(slu_is_listed("FAILED,a", "FAILED"));
	ck_assert(!slu_is_listed("FAILED,a", "FAIL"));
	ck_assert(!slu_is_listed("FAIL,a", "FAILED"));
	ck_assert(!slu_is_listed("", "FAILED"));
}
END_TEST

/* Each that slu_printable() replaces is found, with its code. */
START_TEST(test_terminal_command)
{
	static const struct {
		const char *text;
		size_t n;
		unsigned code;
	} cases[] = {
		{"a", 0, 0},
		{"\n", 0, 0},
		{"\x7f", 1, 0x7f},
		{"\xc2\x9b", 2, 0x9b},
		{"\xc2\xa0", 0, 0},
		{"\xd8\x9c", 2, 0x61c},
		{"\xe2\x80\xae", 3, 0x202e},
		{"\xe2\x81\xa6", 3, 0x2066},
		{"\xe2\x80\x94", 0, 0},
		{"\xf0\x9f\x98\x80", 0, 0},
	};
	unsigned code;

	each(c, cases)
	{
		code = 0;
		ck_assert_uint_eq(
			slu_terminal_control(c->text, strlen(c->text), &code),
			c->n);
		ck_assert_uint_eq(code, c->code);
		if (c->n > 1)
			ck_assert_uint_eq(
				slu_terminal_control(c->text, c->n - 1, &code),
				0);
	}
}
END_TEST

START_TEST(test_printable)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"caf\xc3\xa9 \xe2\x80\x94 \xc2\xa0",
		 "caf\xc3\xa9 \xe2\x80\x94 \xc2\xa0"},
		{"a\033[2J\x7f\n", "a?[2J??"},
		{"a\xc2\x9b"
		 "2J\xc2\x80\xc2\x9f",
		 "a??2J????"}, /* C1 */
		{"a\x9b"
		 "2J\x80",
		 "a?2J?"}, /* the same, of one byte */
		{"\xe2\x80\xaegpj.exe\xe2\x81\xa6", "???gpj.exe???"},
		{"\xe2\x80\xa7\xe2\x80\xaf", "\xe2\x80\xa7\xe2\x80\xaf"},
		/* ends of lines, marks of a direction */
		{"\xe2\x80\xa8\xe2\x80\xa9", "??????"},
		{"\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "????????"},
	};
	char text[32];

	each(c, cases)
	{
		slu_copy(text, sizeof(text), (*c)[0]);
		ck_assert_str_eq(slu_printable(text), (*c)[1]);
	}
	slu_copy(text, sizeof(text), "two\nlines\tof\xc2\x9bmany");
	ck_assert_str_eq(slu_one_line(text), "two lines of??many");
}
END_TEST

START_TEST(test_fold)
{
	static const struct {
		const char *text, *folded;
	} cases[] = {
		{"", ""},
		{"\n", "\n"},
		{"0123456789\n", "0123456789\n"},
		{"0123456789", "0123456789\n"},
		{"01234 67890\nab\n", "01234\n    67890\nab\n"},
		{"0123456789 12\n", "0123456789\n    12\n"},
		{"01 3456 89ab cd ef gh\n",
		 "01 3456\n    89ab\n    cd ef\n    gh\n"},
		/* what cannot be divided is not */
		{"0123456789abc de\n", "0123456789abc\n    de\n"},
		{"    0123456789abc\n", "    0123456789abc\n"},
		{"    01 0123456789abc\n", "    01\n    0123456789abc\n"},
		{"0123456 89   \n\nb", "0123456 89\n\nb\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct slu_buf out = {0};

		slu_buf_puts(&out, "");
		slu_buf_fold(&out, cases[i].text, 10);
		ck_assert_str_eq(out.data, cases[i].folded);
		slu_buf_free(&out);
	}
}
END_TEST

TEST_MAIN("str", test_fold, test_listed, test_terminal_command, test_printable,
	  test_utf8, test_buf_grows, test_buf_room, test_buf_printf,
	  test_buf_ceiling, test_buf_drop, test_buf_steal, test_small_helpers,
	  test_trim, test_split, test_has_word, test_nearest, test_strv)
