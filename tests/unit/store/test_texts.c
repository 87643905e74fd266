/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the reading of long texts from the database in pieces: short, longer
 * than a page, NULL, empty and missing ones. */
#include "config.h"
#include "store/column_texts.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

/* Row 1: short; 2: longer than a page; 3: none; 4: empty; 5: not there. */
static struct slu_db *open_db(void)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);

	ck_assert_msg(db != NULL, "%s", err.text);
	expect_ok(slu_db_script(db,
				"CREATE TABLE T (id INTEGER PRIMARY KEY, x "
				"TEXT); INSERT INTO T VALUES (1, 'short'), "
				"(2, printf('%.*c', 100000, 'a') || 'end'), "
				"(3, NULL), (4, '')",
				&err),
		  err);
	return db;
}

START_TEST(test_rows)
{
	static const struct {
		int64_t row;
		int ret;
		size_t len;
	} cases[] = {{1, 1, 5},	     {2, 1, 100003}, {3, 0, 0}, {1, 1, 5},
		     {5, 0, 0},	     {5, 0, 0},	     {4, 1, 0}, {-1, 0, 0},
		     {2, 1, 100003}, {3, 0, 0}};
	struct slu_db *db = open_db();
	struct slu_texts *t = slu_texts_new(db, "T", "x", &err);
	size_t len;

	each(c, cases)
	{
		len = 0;
		expect(slu_texts_at(t, c->row, &len, &err) == c->ret,
		       "row %d: %s", (int)c->row, err.text);
		ck_assert_uint_eq(len, c->len);
	}
	slu_texts_free(t);
	slu_texts_free(NULL);
	slu_db_close(db);
}
END_TEST

START_TEST(test_pieces)
{
	struct slu_db *db = open_db();
	struct slu_texts *t = slu_texts_new(db, "T", "x", &err);
	char text[8] = "", *all = malloc(100004);
	size_t len;

	ck_assert_int_eq(slu_texts_at(t, 2, &len, &err), 1);
	expect_ok(slu_texts_read(t, len - 5, text, 5, &err), err);
	ck_assert_str_eq(text, "aaend");
	expect_ok(slu_texts_read(t, 0, all, len, &err), err);
	all[len] = '\0';
	ck_assert_uint_eq(strspn(all, "a"), 100000);
	ck_assert_str_eq(all + 100000, "end");
	expect_ok(slu_texts_read(t, len, text, 0, &err), err);
	ck_assert_int_eq(slu_texts_read(t, len, text, 1, &err), -1);
	free(all);
	slu_texts_free(t);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("texts", test_rows, test_pieces)
