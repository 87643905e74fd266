/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "common/table.h"
#include "tests/unit/harness.h"

#include "common/jsonx.h"

static struct slu_err err;

static const struct slu_column columns[] = {
	{"name", "NAME", SLU_COL_PLAIN},   {"size", NULL, SLU_COL_BYTES},
	{"took", "TOOK", SLU_COL_SECONDS}, {"at", "AT", SLU_COL_TIME},
	{"rate", "RATE", SLU_COL_ROUND},   {.key = NULL},
};

static char *table(const char *json, const struct slu_column *cols)
{
	struct json_object *rows = slu_json_parse(json, strlen(json), &err);
	struct slu_buf out = {0};

	ck_assert_msg(rows != NULL, "%s", err.text);
	expect_ok(slu_table(rows, cols, &out, &err), err);
	json_object_put(rows);
	return slu_buf_steal(&out);
}

START_TEST(test_tables)
{
	static const struct {
		const char *json;
		const struct slu_column *columns;
		const char *want;
	} cases[] = {
		{"[]", NULL, ""},
		{"[]", columns, "NAME  size  TOOK  AT  RATE\n"},
		{"[{\"a\":1,\"b\":\"x\"},{\"b\":\"long\",\"c\":null}]", NULL,
		 "a  b     c\n"
		 "1  x     -\n"
		 "-  long  -\n"},
		{"[{\"a\":10},{\"a\":-2.5},{\"a\":true},{\"a\":[1,{\"b\":2}]}]",
		 NULL,
		 "          a\n"
		 "         10\n"
		 "       -2.5\n"
		 "       true\n"
		 "[1,{\"b\":2}]\n"},
		/* as wide as it looks, and safe for a terminal */
		{"[{\"a\":\"\xc3\xa4\xc3\xb6\",\"b\":1},"
		 "{\"a\":\"\\u001b[2J\",\"b\":2},"
		 "{\"a\":\"\\u009b2J\",\"b\":3}]",
		 NULL,
		 "a     b\n"
		 "\xc3\xa4\xc3\xb6    1\n"
		 "?[2J  2\n"
		 "??2J  3\n"},
		{"[{\"name\":\"n\",\"size\":1610612736,\"took\":125,\"at\":1,"
		 "\"rate\":66.48271444444444}]",
		 columns,
		 "NAME    size  TOOK                   AT     RATE\n"
		 "n     1.5GiB  2:05  1970-01-01T00:00:01  66.4827\n"},
		{"[{\"name\":\"n\",\"size\":\"much\",\"at\":0}]", columns,
		 "NAME  size  TOOK  AT  RATE\n"
		 "n     much  -      -  -\n"},
	};
	char *got;

	setenv("TZ", "UTC", 1);
	each(c, cases)
	{
		got = table(c->json, c->columns);
		ck_assert_str_eq(got, c->want);
		free(got);
	}
}
END_TEST

START_TEST(test_refused)
{
	struct json_object *rows = slu_json_parse("[{},3]", 6, &err);
	struct slu_buf out = {0}, small = {.max = 2};

	expect_fail(slu_table(rows, NULL, &out, &err), err, SLU_INVALID,
		    "row 1 is not an object");
	expect_fail(
		slu_table(json_object_array_get_idx(rows, 0), NULL, &out, &err),
		err, SLU_INVALID, "not an array");
	json_object_put(rows);
	rows = slu_json_parse("[{\"a\":1}]", 9, &err);
	expect_fail(slu_table(rows, NULL, &small, &err), err, SLU_NOMEM,
		    "table");
	json_object_put(rows);
	slu_buf_free(&small);
}
END_TEST

TEST_MAIN("table", test_tables, test_refused)
