/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the printing of tables: column types, widths, colors, hostile texts. */
#include "config.h"
#include "common/table.h"
#include "tests/unit/harness.h"

#include "common/jsonx.h"
#include "common/width.h"
#include "tests/unit/random.h"

static struct slu_err err;

static const struct slu_column columns[] = {
	{"name", "NAME", .type = SLU_COL_PLAIN},
	{"size", NULL, .type = SLU_COL_BYTES},
	{"took", "TOOK", .type = SLU_COL_SECONDS},
	{"at", "AT", .type = SLU_COL_TIME},
	{"rate", "RATE", .type = SLU_COL_ROUND},
	{.key = NULL},
};

static char *table(const char *json, const struct slu_column *cols)
{
	struct json_object *rows = slu_json_parse(json, strlen(json), &err);
	struct slu_buf out = {0};

	ck_assert_msg(rows != NULL, "%s", err.text);
	expect_ok(slu_table(rows, cols, NULL, &out, &err), err);
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

	expect_fail(slu_table(rows, NULL, NULL, &out, &err), err, SLU_INVALID,
		    "row 1 is not an object");
	expect_fail(slu_table(json_object_array_get_idx(rows, 0), NULL, NULL,
			      &out, &err),
		    err, SLU_INVALID, "not an array");
	json_object_put(rows);
	rows = slu_json_parse("[{\"a\":1}]", 9, &err);
	expect_fail(slu_table(rows, NULL, NULL, &small, &err), err, SLU_NOMEM,
		    "table");
	json_object_put(rows);
	slu_buf_free(&small);
}
END_TEST

static enum slu_color red(const char *text)
{
	return strcmp(text, "-") ? SLU_COLOR_BAD : SLU_COLOR_NONE;
}

static const struct slu_column narrow[] = {
	{"id", "ID", .type = SLU_COL_PLAIN},
	{"host", "HOST", .type = SLU_COL_PLAIN, .drop = 2},
	{"size", "SIZE", .type = SLU_COL_BYTES, .drop = 1},
	{"none", "NONE", .type = SLU_COL_PLAIN},
	{"why", "WHY", .type = SLU_COL_TEXT, .color = red},
	{.key = NULL},
};

static char *looks(const char *json, const struct slu_column *cols,
		   struct slu_table_look look)
{
	struct json_object *rows = slu_json_parse(json, strlen(json), &err);
	struct slu_buf out = {0};

	ck_assert_msg(rows != NULL, "%s", err.text);
	expect_ok(slu_table(rows, cols, &look, &out, &err), err);
	json_object_put(rows);
	return slu_buf_steal(&out);
}

START_TEST(test_looks)
{
	static const char rows[] =
		"[{\"id\":1,\"host\":\"n1\",\"size\":1024,\"why\":"
		"\"a sentence that is much too long for its line\"},"
		"{\"id\":22,\"host\":\"n2\",\"size\":2048}]";
	static const struct {
		struct slu_table_look look;
		const char *want;
	} cases[] = {
		{{.width = 0},
		 "ID  HOST  SIZE  NONE  WHY\n"
		 " 1  n1    1KiB  -     a sentence that is much too long for "
		 "its line\n"
		 "22  n2    2KiB  -     -\n"},
		/* what has no value goes first, then a sentence is cut */
		{{.width = 50, .more = "--wide"},
		 "ID  HOST  SIZE  WHY\n"
		 " 1  n1    1KiB  a sentence that is much too long \u2026\n"
		 "22  n2    2KiB  -\n"
		 "(--wide also shows NONE)\n"},
		{{.width = 40, .more = "--wide"},
		 "ID  SIZE  WHY\n"
		 " 1  1KiB  a sentence that is much too l\u2026\n"
		 "22  2KiB  -\n"
		 "(--wide also shows HOST, NONE)\n"},
		{{.width = 12, .more = "--wide"},
		 "ID\n 1\n22\n(--wide als\u2026\n"},
		{{.width = 40, .whole = true},
		 "ID  SIZE  WHY\n"
		 " 1  1KiB  a sentence that is much too\n"
		 "          long for its line\n"
		 "22  2KiB  -\n"},
		{{.width = 1}, "\u2026\n1\n\u2026\n"},
		{{.width = 40, .color = true},
		 "\033[1mID\033[0m  \033[1mSIZE\033[0m  \033[1mWHY\033[0m\n"
		 " 1  1KiB  \033[31ma sentence that is much too "
		 "l\u2026\033[0m\n"
		 "22  2KiB  -\n"},
	};
	char *got;

	each(c, cases)
	{
		got = looks(rows, narrow, c->look);
		ck_assert_str_eq(got, c->want);
		free(got);
	}
}
END_TEST

/* A text of any characters, as JSON: long, wide, and those that command a
 * terminal. */
static void add_hostile(struct slu_buf *json, uint64_t *seed)
{
	static const char *const piece[] = {
		"a",	      "word ",	      "\\u001b[2J",
		"\\n",	      "\\r",	      "\\t",
		"\\u009b31m", "\\u0007",      "\\u007f",
		"\u65e5",     "\U0001f600",   "e\u0301",
		"\\u202e",    "\\u2066",      "\\u200f",
		"\\u2028",    "\u2764\ufe0f", "\U000e0001",
		"\U0010fffd", "\ue000",
	};
	size_t n = slu_random(seed, 60);

	slu_buf_puts(json, "\"");
	while (n--)
		slu_buf_puts(json, piece[slu_random(seed, 20)]);
	slu_buf_puts(json, "\"");
}

static char *hostile_rows(uint64_t *seed)
{
	static const char *const keys[] = {"id", "host", "size", "why", "x"};
	struct slu_buf json = {0};

	slu_buf_puts(&json, "[");
	for (size_t r = 0, n = 1 + slu_random(seed, 4); r < n; r++) {
		slu_buf_puts(&json, r ? ",{" : "{");
		each(key, keys)
		{
			slu_buf_printf(&json,
				       "%s\"%s\":", key == keys ? "" : ",",
				       *key);
			if (slu_random(seed, 4))
				add_hostile(&json, seed);
			else
				slu_buf_printf(&json, "%lu",
					       slu_random(seed, 1ul << 50));
		}
		slu_buf_puts(&json, "}");
	}
	slu_buf_puts(&json, "]");
	return slu_buf_steal(&json);
}

/* No line is longer than the terminal, nor does anything command it. */
static void check_lines(char *text, size_t width)
{
	for (char *line; (line = strsep(&text, "\n"));) {
		char *safe = strdup(line);

		expect(slu_width(line) <= width, "%zu: %s", width, line);
		ck_assert_str_eq(slu_printable(safe), line);
		free(safe);
	}
}

START_TEST(test_hostile)
{
	uint64_t seed = 4;

	for (int round = 0; round < 3000; round++) {
		size_t width = 1 + slu_random(&seed, 100);
		char *json = hostile_rows(&seed);
		char *got = looks(json, round % 2 ? narrow : NULL,
				  (struct slu_table_look){.width = width,
							  .whole = round % 3,
							  .more = "--wide"});

		check_lines(got, width);
		free(got);
		free(json);
	}
}
END_TEST

TEST_MAIN("table", test_tables, test_refused, test_looks, test_hostile)
