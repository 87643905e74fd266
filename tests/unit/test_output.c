/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "sysmap/output.h"
#include "tests/unit/harness.h"

static struct slu_err err;

static const struct slu_format *format(const char *name)
{
	const struct slu_format *f = slu_formats;

	while (strcmp(f->name, name) != 0)
		f++;
	return f;
}

static struct slu_document docs[] = {
	{.extractor = "disks", .text = "[{\"name\":\"it's\"}]", .len = 17},
	{.extractor = "partitions", .text = "[]", .len = 2},
	{.extractor = "memoryinfo", .text = "{\"a\":1,\"b\":[2]}", .len = 15},
};
static const struct slu_map map = {.document = docs, .n = 3};

static char *write_map(const char *name, size_t max)
{
	struct slu_buf out = {.max = max};

	if (format(name)->write(&map, "n'1", &out, &err) == 0)
		return slu_buf_steal(&out);
	slu_buf_free(&out);
	return NULL;
}

START_TEST(test_json)
{
	char *text = write_map("json", 0);

	ck_assert_str_eq(text, "{\"disks\":[{\"name\":\"it's\"}],"
			       "\"partitions\":[],"
			       "\"memoryinfo\":{\"a\":1,\"b\":[2]}}\n");
	free(text);
}
END_TEST

START_TEST(test_table)
{
	char *text = write_map("table", 0);

	ck_assert_str_eq(text, "disks\n"
			       "DISK  SIZE  VENDOR  MODEL  ROTATIONAL  DEVICE\n"
			       "it's  -     -       -      -           -\n"
			       "\n"
			       "partitions\n"
			       "PARTITION  SIZE  MOUNTPOINT  LABEL  UUID\n"
			       "\n"
			       "memoryinfo\n"
			       "KEY  VALUE\n"
			       "a    1\n"
			       "b    [2]\n");
	free(text);
}
END_TEST

/* Texts are quoted; a document that says nothing is none. What the statements
 * do is tested by tests/unit/test_sysmap.sh. */
START_TEST(test_sql)
{
	static const char *const words[] = {
		"BEGIN;\nCREATE TABLE IF NOT EXISTS Hosttable",
		"INTO Hosttable (Hostname) VALUES ('n''1');\n",
		"'[{\"name\":\"it''s\"}]');\n",
		"INTO Extractortable (Name) VALUES ('partitions');\n",
		"\nCOMMIT;\n",
	};
	char *text = write_map("sql", 0);

	each(w, words) expect(strstr(text, *w) != NULL, "%s", *w);
	ck_assert_ptr_null(strstr(text, "'[]'"));
	free(text);
}
END_TEST

START_TEST(test_too_long)
{
	for (const struct slu_format *f = slu_formats; f->name; f++) {
		err = (struct slu_err){0};
		ck_assert_ptr_null(write_map(f->name, 20));
		ck_assert_int_eq(err.kind, SLU_NOMEM);
	}
}
END_TEST

TEST_MAIN("output", test_json, test_table, test_sql, test_too_long)
