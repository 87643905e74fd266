/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the error type: kinds, texts, prefixes, one line, cut texts. */
#include "config.h"
#include "tests/unit/harness.h"
#include <errno.h>

START_TEST(test_kind_and_text)
{
	struct slu_err err;

	ck_assert_int_eq(slu_err(&err, SLU_BUSY, "pool %d is full", 3), -1);
	expect_err(err, SLU_BUSY, "pool 3 is full");
	ck_assert_int_eq(slu_err(NULL, SLU_BUSY, "nobody asks"), -1);
}
END_TEST

START_TEST(test_errno)
{
	struct slu_err err;

	errno = ENOENT;
	ck_assert_int_eq(slu_errno(&err, SLU_IO, "open %s", "/x"), -1);
	ck_assert_str_eq(err.text, "open /x: No such file or directory");
	ck_assert_int_eq(slu_errno(NULL, SLU_IO, "nobody asks"), -1);
}
END_TEST

START_TEST(test_prefix)
{
	struct slu_err err;

	slu_err(&err, SLU_DENIED, "not yours");
	ck_assert_int_eq(slu_err_prefix(&err, "pool[%d]", 2), -1);
	expect_err(err, SLU_DENIED, "pool[2]: not yours");
	slu_err_prefix(&err, "%s", err.text);
	ck_assert_str_eq(err.text, "pool[2]: not yours: pool[2]: not yours");
	ck_assert_int_eq(slu_err_prefix(NULL, "x"), -1);
}
END_TEST

/* A text may be an argument of its own replacement. */
START_TEST(test_from_itself)
{
	struct slu_err err;

	slu_err(&err, SLU_IO, "disk");
	slu_err(&err, SLU_BUSY, "%s and again %s", err.text, err.text);
	ck_assert_str_eq(err.text, "disk and again disk");
}
END_TEST

START_TEST(test_one_line)
{
	struct slu_err err;

	slu_err(&err, SLU_INVALID, "a\nb\tc\x1b[0m");
	ck_assert_str_eq(err.text, "a b c [0m");
	slu_err(&err, SLU_INVALID, "a\xc2\x9b");
	ck_assert_str_eq(err.text, "a??");
}
END_TEST

START_TEST(test_long_text_is_cut)
{
	struct slu_err err;
	char big[2 * SLU_ERR_TEXT];

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	slu_err(&err, SLU_INVALID, "%s", big);
	ck_assert_uint_eq(strlen(err.text), SLU_ERR_TEXT - 1);
	slu_err_prefix(&err, "%s", big);
	ck_assert_uint_eq(strlen(err.text), SLU_ERR_TEXT - 1);
	errno = EIO;
	slu_errno(&err, SLU_IO, "%s", big);
	ck_assert_uint_eq(strlen(err.text), SLU_ERR_TEXT - 1);
}
END_TEST

START_TEST(test_names_of_kinds)
{
	static const struct {
		enum slu_kind kind;
		const char *name;
	} cases[] = {
		{SLU_NOTFOUND, "notfound"}, {SLU_INVALID, "invalid"},
		{SLU_DENIED, "denied"},	    {SLU_BUSY, "busy"},
		{SLU_TIMEOUT, "timeout"},   {SLU_IO, "io"},
		{SLU_NOMEM, "nomem"},	    {SLU_INTERNAL, "internal"},
	};

	each(c, cases) ck_assert_str_eq(slu_kind_name(c->kind), c->name);
	ck_assert_str_eq(slu_kind_name(0), "unknown");
}
END_TEST

TEST_MAIN("err", test_kind_and_text, test_errno, test_prefix, test_from_itself,
	  test_one_line, test_long_text_is_cut, test_names_of_kinds)
