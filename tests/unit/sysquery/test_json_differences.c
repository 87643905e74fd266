/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the comparison of two JSON documents leaf by leaf. */
#include "config.h"
#include "sysquery/map/json_differences.h"
#include "common/jsonx.h"
#include "tests/unit/harness.h"

static struct slu_err err;

static struct json_object *parse(const char *text)
{
	struct json_object *obj = NULL;

	if (text) {
		obj = slu_json_parse(text, strlen(text), &err);
		ck_assert_msg(obj != NULL, "%s: %s", text, err.text);
	}
	return obj;
}

static void check(const char *old, const char *new, const char *want)
{
	struct json_object *a = parse(old), *b = parse(new);
	struct json_object *out = json_object_new_array();

	expect_ok(slu_leaves_diff(a, b, out, &err), err);
	ck_assert_str_eq(slu_json_text(out), want);
	json_object_put(out);
	json_object_put(a);
	json_object_put(b);
}

START_TEST(test_diff)
{
	static const struct {
		const char *old, *new, *want;
	} cases[] = {
		{"{}", "{}", "[]"},
		{"[1,2]", "[1,2]", "[]"},
		{NULL, NULL, "[]"},
		{NULL, "[7]", "[{\"path\":\"\",\"new\":[7]}]"},
		{"{\"a\":1}", NULL, "[{\"path\":\"\",\"old\":{\"a\":1}}]"},
		{"{\"a\":1,\"b\":\"x\"}", "{\"b\":\"y\",\"a\":1}",
		 "[{\"path\":\"b\",\"old\":\"x\",\"new\":\"y\"}]"},
		{"{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2,\"c\":null}}",
		 "[{\"path\":\"a.b\",\"old\":1,\"new\":2},"
		 "{\"path\":\"a.c\",\"new\":null}]"},
		/* told apart by name, wherever they stand */
		{"[{\"name\":\"sdb\",\"size\":1},{\"name\":\"sda\",\"size\":2}]",
		 "[{\"name\":\"sda\",\"size\":2},{\"name\":\"sdb\",\"size\":3}]",
		 "[{\"path\":\"[sdb].size\",\"old\":1,\"new\":3}]"},
		{"[{\"name\":\"sd10\"}]", "[{\"name\":\"sd2\"}]",
		 "[{\"path\":\"[sd2].name\",\"new\":\"sd2\"},"
		 "{\"path\":\"[sd10].name\",\"old\":\"sd10\"}]"},
		/* two of one name: by position */
		{"[{\"name\":\"a\",\"v\":1},{\"name\":\"a\",\"v\":2}]",
		 "[{\"name\":\"a\",\"v\":1},{\"name\":\"a\",\"v\":3}]",
		 "[{\"path\":\"[1].v\",\"old\":2,\"new\":3}]"},
		/* plain values by themselves, but not when they repeat */
		{"{\"f\":[\"avx\",\"sse\"]}", "{\"f\":[\"avx2\",\"sse\"]}",
		 "[{\"path\":\"f[avx2]\",\"new\":\"avx2\"},"
		 "{\"path\":\"f[avx]\",\"old\":\"avx\"}]"},
		{"[5,5]", "[5,6]",
		 "[{\"path\":\"[0]\",\"old\":5},"
		 "{\"path\":\"[1]\",\"old\":5},"
		 "{\"path\":\"[5]\",\"new\":5},"
		 "{\"path\":\"[6]\",\"new\":6}]"},
		/* nothing is something, too */
		{"{\"a\":[]}", "{\"a\":{}}",
		 "[{\"path\":\"a\",\"old\":[],\"new\":{}}]"},
		{"{\"a\":[]}", "{\"a\":[\"x\"]}",
		 "[{\"path\":\"a\",\"old\":[]},"
		 "{\"path\":\"a[x]\",\"new\":\"x\"}]"},
	};

	each(c, cases) check(c->old, c->new, c->want);
}
END_TEST

TEST_MAIN("json_differences", test_diff)
