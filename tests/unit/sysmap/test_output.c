/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the formats in which sysmap writes a map. */
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

START_TEST(test_output_as_table)
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
 * do is tested by tests/unit/sysmap/test_sysmap.sh. */
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

/* Every kind of value, and keys that are no names. */
static struct slu_document odd[] = {
	{.extractor = "disks",
	 .text = "[{\"name\":\"a<b\\\"\",\"n\":null,\"list\":[1,[2],{}]},[],7]",
	 .len = 52},
	{.extractor = "memoryinfo",
	 .text = "{\"a.b\":1.5,\"on\":true,\"1 & 2\":{\"c\":\"\"}}",
	 .len = 42},
};

static char *write_odd(const char *name)
{
	static const struct slu_map two = {.document = odd, .n = 2};
	struct slu_buf out = {0};

	for (size_t i = 0; i < 2; i++)
		odd[i].len = strlen(odd[i].text);
	expect_ok(format(name)->write(&two, "n\"1", &out, &err), err);
	return slu_buf_steal(&out);
}

START_TEST(test_yaml)
{
	char *text = write_odd("yaml");

	ck_assert_str_eq(text, "---\n"
			       "disks:\n"
			       "  - name: \"a<b\\\"\"\n"
			       "    \"n\": null\n"
			       "    list:\n"
			       "      - 1\n"
			       "      -\n"
			       "        - 2\n"
			       "      - {}\n"
			       "  - []\n"
			       "  - 7\n"
			       "memoryinfo:\n"
			       "  a.b: 1.5\n"
			       "  \"on\": true\n"
			       "  \"1 & 2\":\n"
			       "    c: \"\"\n");
	free(text);
}
END_TEST

START_TEST(test_xml)
{
	char *text = write_odd("xml");

	ck_assert_str_eq(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			       "<sysmap host=\"n&quot;1\">\n"
			       "  <disks>\n"
			       "    <item>\n"
			       "      <name>a&lt;b&quot;</name>\n"
			       "      <n></n>\n"
			       "      <list>\n"
			       "        <item>1</item>\n"
			       "        <item>\n"
			       "          <item>2</item>\n"
			       "        </item>\n"
			       "        <item></item>\n"
			       "      </list>\n"
			       "    </item>\n"
			       "    <item></item>\n"
			       "    <item>7</item>\n"
			       "  </disks>\n"
			       "  <memoryinfo>\n"
			       "    <a.b>1.5</a.b>\n"
			       "    <on>true</on>\n"
			       "    <value key=\"1 &amp; 2\">\n"
			       "      <c></c>\n"
			       "    </value>\n"
			       "  </memoryinfo>\n"
			       "</sysmap>\n");
	free(text);
}
END_TEST

TEST_MAIN("output", test_yaml, test_xml, test_json, test_output_as_table,
	  test_sql, test_too_long)
