/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the JSON functions: what is parsed and what is refused, getters,
 * setters. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/jsonx.h"
#include <math.h>

static struct json_object *parse(const char *text, struct slu_err *err)
{
	*err = (struct slu_err){0};
	return slu_json_parse(text, strlen(text), err);
}

START_TEST(test_accepted)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"{}", "{}"},
		{" [1, 2.5, \"a/b\", true, null] \n",
		 "[1,2.5,\"a/b\",true,null]"},
		{"12", "12"},
		{" -3.25 ", "-3.25"},
		{"\"x\"", "\"x\""},
		{"true", "true"},
		{"[-0.5e+7, 0, 10E2]", "[-0.5e+7,0,10E2]"},
		{"\"caf\xc3\xa9 \xff\"", "\"caf\xc3\xa9 \xff\""},
	};
	struct slu_err err;

	each(c, cases)
	{
		struct json_object *obj = parse(c->in, &err);

		expect(obj, "%s: %s", c->in, err.text);
		ck_assert_str_eq(slu_json_text(obj), c->out);
		json_object_put(obj);
	}
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		const char *in, *words;
	} cases[] = {
		{"", "byte 0"},
		{"   ", "not JSON"},
		{"{", "not JSON"},
		{"{\"a\":1", "not JSON"},
		{"{}x", "byte 2: more text after"},
		{"{} {}", "more text after"},
		{"12x", "more text after"},
		{"[1,]", "byte 3"},
		{"/*c*/{}", "byte 0"},
		{"{a:1}", "byte 1"},
		{"null", "the document is null"},
		{"-", "not JSON"},
		{"01", "not JSON"},
		{"nul", "not JSON"},
		{"[1, 01]", "byte 4"},
		{"[1.]", "byte 1"},
		{"[1e+]", "byte 1"},
		{"1e", "byte 0"},
		{"[NaN]", "byte 1"},
		{"[-Infinity]", "byte 1"},
		{"[true,TRUE]", "byte 6"},
		{"{'a':1}", "byte 1"},
		{"{\"a\\\"\":[1,{},] }", "byte 13"},
		{"{\"a\":1, }", "byte 8"},
		{"[1 /*c*/]", "byte 3"},
	};
	struct slu_err err;

	each(c, cases)
	{
		expect(!parse(c->in, &err), "%s", c->in);
		expect_err(err, SLU_INVALID, c->words);
	}
	ck_assert_ptr_null(slu_json_parse("{}\0{}", 5, &err));
	ck_assert_ptr_null(slu_json_parse("", (size_t)1 << 32, &err));
	expect_err(err, SLU_INVALID, "2 GiB");
}
END_TEST

START_TEST(test_nesting_is_bounded)
{
	struct slu_err err;
	char text[101] = "";
	struct json_object *obj;

	memset(text, '[', 50);
	memset(text + 50, ']', 50);
	ck_assert_ptr_null(parse(text, &err));
	expect_err(err, SLU_INVALID, "nesting too deep");
	obj = slu_json_parse(text + 25, 50, &err);
	ck_assert_ptr_nonnull(obj);
	json_object_put(obj);
}
END_TEST

START_TEST(test_getters)
{
	struct slu_err err;
	struct json_object *obj =
		parse("{\"s\":\"text\",\"u\":7,\"i\":-7,\"b\":true,\"d\":1.5,"
		      "\"null\":null}",
		      &err);
	const char *s = NULL;
	uint64_t u = 0;
	int64_t i = 0;
	bool b = false;
	double d = 0;

	expect_ok(slu_json_str(obj, "s", &s, &err), err);
	ck_assert_str_eq(s, "text");
	expect_ok(slu_json_u64(obj, "u", &u, &err), err);
	ck_assert_uint_eq(u, 7);
	expect_ok(slu_json_i64_opt(obj, "i", &i, &err), err);
	ck_assert_int_eq(i, -7);
	expect_ok(slu_json_bool_opt(obj, "b", &b, &err), err);
	ck_assert(b);
	expect_ok(slu_json_double_opt(obj, "d", &d, &err), err);
	ck_assert_double_eq(d, 1.5);
	expect_ok(slu_json_double_opt(obj, "u", &d, &err), err);
	ck_assert_double_eq(d, 7);
	json_object_put(obj);
}
END_TEST

/* Absent and null leave an optional value alone, and fail a required one. */
START_TEST(test_absent)
{
	static const char *const keys[] = {"none", "null"};
	struct slu_err err;
	struct json_object *obj = parse("{\"null\":null}", &err);

	each(k, keys)
	{
		const char *s = "kept";
		uint64_t u = 1;
		int64_t i = 2;
		bool b = true;
		double d = 3;

		expect_ok(slu_json_str_opt(obj, *k, &s, &err), err);
		expect_ok(slu_json_u64_opt(obj, *k, &u, &err), err);
		expect_ok(slu_json_i64_opt(obj, *k, &i, &err), err);
		expect_ok(slu_json_bool_opt(obj, *k, &b, &err), err);
		expect_ok(slu_json_double_opt(obj, *k, &d, &err), err);
		ck_assert_str_eq(s, "kept");
		ck_assert(u == 1 && i == 2 && b && d == 3);
		expect_fail(slu_json_str(obj, *k, &s, &err), err, SLU_INVALID,
			    "is missing");
		expect_fail(slu_json_u64(obj, *k, &u, &err), err, SLU_INVALID,
			    "is missing");
	}
	json_object_put(obj);
	expect_fail(slu_json_str(NULL, "k", &(const char *){0}, &err), err,
		    SLU_INVALID, "k: is missing");
}
END_TEST

/* For each value: which of str, u64, i64, bool, double take it. */
START_TEST(test_types)
{
	static const struct {
		const char *value, *takes;
	} cases[] = {
		{"\"x\"", "s"},
		{"\"12\"", "sui"},
		{"\"-12\"", "si"},
		{"\" 12\"", "s"},
		{"\"12 \"", "s"},
		{"\"+12\"", "s"},
		{"\"\"", "s"},
		{"\"-\"", "s"},
		{"\"18446744073709551615\"", "su"},
		{"\"18446744073709551616\"", "s"},
		{"\"9223372036854775807\"", "sui"},
		{"\"-9223372036854775808\"", "si"},
		{"\"-9223372036854775809\"", "s"},
		{"\"a\\u0000b\"", ""},
		{"0", "uid"},
		{"-1", "id"},
		{"9223372036854775806", "uid"},
		{"18446744073709551614", "ud"},
		{"99999999999999999999", "d"},
		{"-99999999999999999999", "d"},
		{"1.0", "d"},
		{"1e999", ""},
		{"false", "b"},
		{"[]", ""},
		{"{}", ""},
	};
	struct slu_err err;

	each(c, cases)
	{
		char text[64], takes[8] = "", *t = takes;
		struct json_object *obj;

		snprintf(text, sizeof(text), "{\"k\":%s}", c->value);
		obj = parse(text, &err);
		expect(obj, "%s: %s", text, err.text);
		if (!slu_json_str(obj, "k", &(const char *){0}, &err))
			*t++ = 's';
		if (!slu_json_u64(obj, "k", &(uint64_t){0}, &err))
			*t++ = 'u';
		if (!slu_json_i64_opt(obj, "k", &(int64_t){0}, &err))
			*t++ = 'i';
		if (!slu_json_bool_opt(obj, "k", &(bool){0}, &err))
			*t++ = 'b';
		if (!slu_json_double_opt(obj, "k", &(double){0}, &err))
			*t++ = 'd';
		expect(strcmp(takes, c->takes) == 0, "%s: %s", text, takes);
		expect_err(err, SLU_INVALID, "k: must ");
		json_object_put(obj);
	}
}
END_TEST

START_TEST(test_setters)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "s", "a/\"b\"\n");
	slu_json_set_str(obj, "none", NULL);
	slu_json_set_u64(obj, "u", (uint64_t)1 << 53);
	slu_json_set_u64(obj, "U", ((uint64_t)1 << 53) + 1);
	slu_json_set_i64(obj, "i", -((int64_t)1 << 53));
	slu_json_set_i64(obj, "I", INT64_MIN);
	slu_json_set_bool(obj, "b", true);
	slu_json_set_double(obj, "d", 0.1);
	slu_json_set_double(obj, "nan", NAN);
	slu_json_set_double(obj, "inf", -INFINITY);
	ck_assert_str_eq(slu_json_text(obj), "{\"s\":\"a/\\\"b\\\"\\n\","
					     "\"u\":9007199254740992,"
					     "\"U\":\"9007199254740993\","
					     "\"i\":-9007199254740992,"
					     "\"I\":\"-9223372036854775808\","
					     "\"b\":true,\"d\":0.1}");
	json_object_put(obj);
}
END_TEST

static struct json_object *again(struct json_object *obj)
{
	const char *text = slu_json_text(obj);
	struct json_object *back = slu_json_parse(text, strlen(text), NULL);

	ck_assert_ptr_nonnull(back);
	json_object_put(obj);
	return back;
}

START_TEST(test_round_trip)
{
	static const uint64_t u64[] = {
		0, 1, 1ull << 53, (1ull << 53) + 1, INT64_MAX, UINT64_MAX};
	static const int64_t i64[] = {0, -1, INT64_MIN, INT64_MAX, 1ll << 53};
	static const double dbl[] = {
		0,	0.1,	     1.0 / 3,		1e300,
		5e-324, -123456.789, 9007199254740993.0};

	each(u, u64)
	{
		struct json_object *obj = json_object_new_object();
		uint64_t got = 42;

		slu_json_set_u64(obj, "k", *u);
		obj = again(obj);
		ck_assert_int_eq(slu_json_u64(obj, "k", &got, NULL), 0);
		ck_assert_uint_eq(got, *u);
		json_object_put(obj);
	}
	each(i, i64)
	{
		struct json_object *obj = json_object_new_object();
		int64_t got = 42;

		slu_json_set_i64(obj, "k", *i);
		obj = again(obj);
		ck_assert_int_eq(slu_json_i64_opt(obj, "k", &got, NULL), 0);
		ck_assert_int_eq(got, *i);
		json_object_put(obj);
	}
	each(d, dbl)
	{
		struct json_object *obj = json_object_new_object();
		double got = 42;

		slu_json_set_double(obj, "k", *d);
		obj = again(obj);
		ck_assert_int_eq(slu_json_double_opt(obj, "k", &got, NULL), 0);
		ck_assert(got == *d);
		json_object_put(obj);
	}
}
END_TEST

/* We keep any name of a file; readers of others get UTF-8. */
START_TEST(test_utf8)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj,
			 "gr\xfc\xdf"
			 "e",
			 "\xc3\xa4 \xe2\x82");
	ck_assert_str_eq(slu_json_text(obj), "{\"gr\xfc\xdf"
					     "e\":\"\xc3\xa4 \xe2\x82\"}");
	ck_assert_str_eq(slu_json_utf8(obj), "{\"gr??e\":\"\xc3\xa4 ??\"}");
	ck_assert_str_eq(slu_json_text(obj), "{\"gr\xfc\xdf"
					     "e\":\"\xc3\xa4 \xe2\x82\"}");
	json_object_put(obj);
}
END_TEST

static int add_element(void *arg, struct json_object *element,
		       struct slu_err *err)
{
	strcat(arg, json_object_to_json_string_ext(element, 0));
	strcat(arg, " ");
	return json_object_is_type(element, json_type_boolean)
		       ? slu_err(err, SLU_BUSY, "enough")
		       : 0;
}

static void add_broken(void *arg, const struct slu_err *why)
{
	(void)why;
	strcat(arg, "- ");
}

/* An array is read element by element. */
START_TEST(test_elements)
{
	static const struct {
		const char *text, *seen, *rest; /* NULL: it fails */
		const char *why;
	} cases[] = {
		{"{\"a\":[1,{\"b\":[2]} ,null , \"]\"],\"c\" : 5}",
		 "1 {\"b\":[2]} null \"]\" ", "{\"a\":[],\"c\":5}", NULL},
		{" { \"c\":[1],\"a\":[ ] } \n", "", "{\"c\":[1],\"a\":[]}",
		 NULL},
		{"{\"a\":{\"a\":[1]}}", "", "{\"a\":{\"a\":[1]}}", NULL},
		{"{}", "", "{}", NULL},
		{"[1]", "", "[1]", NULL},
		{"", "", NULL, "byte 0"},
		{"{", "", NULL, "byte 1 of 1: the text ends too early"},
		{"{\"a\":[1,2", "1 ", NULL, "too early"},
		{"{\"a\":[1,{\"b\":", "1 ", NULL, "too early"},
		{"{\"a\":[1,]}", "1 ", NULL, "byte 8"},
		{"{\"a\":[1 2]}", "1 ", NULL, "array"},
		{"{\"a\":[1}", "1 ", NULL, "byte 7"},
		{"{\"a\":[1];", "1 ", NULL, "byte 8"},
		{"{\"a\" [1]}", "", NULL, "byte 5"},
		{"{5:[1]}", "", NULL, "byte"},
		{"{\"a\":[1]} x", "1 ", NULL, "more text"},
		{"{\"a\":[1,true,2]}", "1 true ", NULL, "enough"},
		/* The next one is found by its line. */
		{"{\"a\":[\n {},\n {\"b\":\n  {},{\n {},\n  {}\n]}",
		 "{} - {} {} ", "{\"a\":[]}", NULL},
		{"{\"a\":[\n {\"b\n {}\n {}]}", "- {} - {} ", "{\"a\":[]}",
		 NULL},
		{"{\"a\":[\n {},\n {\"b\":", "{} ", NULL,
		 "byte 18 of 18: the text ends too early"},
		{"{\"a\":[\n {}],\"a\":[5 {}", "{} 5 ", NULL, "byte 19 of"},
		{"{\"a\":[\n {},\n {]\n ,{}]}", "{} ", NULL, "byte"},
		{"{\"a\":[ {},{\"b\":}, {}]}", "{} ", NULL, "byte 15 of"},
		{"{\"a\":[\n1,\n2 3,\n4]}", "1 2 ", NULL, "array"},
	};

	each(c, cases)
	{
		struct json_object *rest = NULL;
		char seen[99] = "";
		struct slu_err err = {0};
		int rc = slu_json_elements(c->text, strlen(c->text), "a",
					   add_element, add_broken, seen, &rest,
					   &err);

		expect(rc == (c->rest ? 0 : -1), "case %td: %s", c - cases,
		       err.text);
		expect(!strcmp(seen, c->seen), "case %td: %s", c - cases, seen);
		if (c->rest)
			ck_assert_str_eq(
				json_object_to_json_string_ext(rest, 0),
				c->rest);
		else
			expect(strstr(err.text, c->why) != NULL, "case %td: %s",
			       c - cases, err.text);
		json_object_put(rest);
	}
}
END_TEST

TEST_MAIN("jsonx", test_elements, test_utf8, test_accepted, test_refused,
	  test_nesting_is_bounded, test_getters, test_absent, test_types,
	  test_setters, test_round_trip)
