/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which Lustre targets are chosen for new files, and the reasons why
 * others are not. */
#include "config.h"
#include "tests/unit/select_io/ost_choose_call.h"

static const char site[] =
	"{\"a\":{\"age\":1,\"cpu\":50,\"memory\":10,\"osts\":["
	"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1000,\"available\":900,"
	"\"io_ms\":5},"
	"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1000,\"available\":500,"
	"\"io_ms\":5},"
	"{\"name\":\"f-OST0002\",\"index\":2,\"total\":1000,\"available\":900,"
	"\"state\":\"degraded\"},"
	"{\"name\":\"f-OST0003\",\"index\":3,\"total\":1000,\"available\":40},"
	"{\"name\":\"nonsense\"},7]},"
	"\"b\":{\"age\":2,\"cpu\":0,\"memory\":10,\"network\":1e6,\"osts\":["
	"{\"name\":\"f-OST0004\",\"index\":4,\"total\":1000,\"available\":900,"
	"\"io_ms\":20},"
	"{\"name\":\"f-OST0005\",\"index\":5,\"total\":1000,\"available\":900,"
	"\"io_ms\":4}]},"
	"\"gone\":{\"age\":60,\"osts\":["
	"{\"name\":\"f-OST0005\",\"index\":5,\"total\":1000,\"available\":1},"
	"{\"name\":\"f-OST0006\",\"index\":6,\"total\":1000,\"available\":1000}"
	"]},\"strange\":[]}";

/* Used above the mean, 0.7 / 3 of the three that can be used. */
#define ABOVE(used) (16 * ((used) - (1 + 0.015) * 0.7 / 3) + 2)
#define SERVER	    ABOVE(0.3) /* a's two together */

START_TEST(test_left_out)
{
	static const struct {
		const char *name, *server, *left_out;
		double cost;
	} want[] = {
		{"f-OST0000", "a", "", 0.4 + SERVER},
		{"f-OST0001", "a", "", 0.8 + SERVER + 0.3 * ABOVE(0.5)},
		{"f-OST0002", "a", "degraded", 0.4 + SERVER},
		{"f-OST0003", "a", "full", 1.26 + SERVER + 0.3 * ABOVE(0.96)},
		{"f-OST0004", "b", "slow", 0.45},
		{"f-OST0005", "b", "", 0.45},
		{"f-OST0006", "gone", "its server has not reported", 0},
	};
	struct json_object *out = choose(site, 0, 0, 0), *list, *one;
	const char *name, *server, *left_out;
	double cost = 0;

	json_object_object_get_ex(out, "osts", &list);
	ck_assert_uint_eq(json_object_array_length(list), 7);
	for (size_t i = 0; i < 7; i++) {
		one = json_object_array_get_idx(list, i);
		left_out = "";
		ck_assert(!slu_json_str(one, "name", &name, NULL) &&
			  !slu_json_str(one, "server", &server, NULL));
		slu_json_str_opt(one, "left_out", &left_out, NULL);
		slu_json_double_opt(one, "cost", &cost, NULL);
		expect(!strcmp(name, want[i].name) &&
			       !strcmp(server, want[i].server) &&
			       !strcmp(left_out, want[i].left_out) &&
			       fabs(cost - want[i].cost) < 6e-4, /* rounded */
		       "%s on %s: %s, %g", name, server, left_out, cost);
	}
	json_object_put(out);
}
END_TEST

/* Where a metadata server makes no objects nobody places any; what one has said
 * that is silent now does not count, nor nonsense. */
START_TEST(test_closed_targets_are_left_out)
{
	static const char said[] =
		"{\"o\":{\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":9,"
		"\"available\":9},"
		"{\"name\":\"f-OST0001\",\"index\":1,\"total\":9,"
		"\"available\":9},"
		"{\"name\":\"f-OST0002\",\"index\":2,\"total\":9,"
		"\"available\":9}]},"
		"\"m\":{\"age\":%d,\"osts\":[],\"closed\":[7,{},{\"name\":3},"
		"{\"name\":\"f-OST0001\",\"why\":\"active=0 on "
		"f-MDT0000\"}]}}";
	static const struct {
		int age, without;
		const char *files, *has;
	} cases[] = {
		{1, -1, "[[0,2]]", "\"left_out\":\"active=0 on f-MDT0000\""},
		{60, -1, "[[0,1,2]]", "OST0001"},
		{60, 2, "[[0,1]]", "the client cannot use it"},
	};

	each(c, cases)
	{
		struct slu_ost_choose_request r = {
			.stripes = 3, .without = json_object_new_array()};
		struct json_object *all, *out;
		struct slu_err err;
		char text[900];

		json_object_array_add(r.without,
				      json_object_new_int(c->without));
		snprintf(text, sizeof(text), said, c->age);
		all = slu_json_parse(text, strlen(text), &err);
		ck_assert_ptr_nonnull(all);
		expect_ok(slu_ost_choose(&slu_ost_choose_defaults, all, &r,
					 &out, &err),
			  err);
		ck_assert_str_eq(text_of(out, "files"), c->files);
		expect(strstr(slu_json_text(out), c->has), "%s",
		       slu_json_text(out));
		json_object_put(out);
		json_object_put(all);
		json_object_put(r.without);
	}
}
END_TEST

/* What waits to be written makes its target dearer, and its server as much as
 * all of its targets have; both of what a server moves now, as far as servers
 * can move more. */
START_TEST(test_waiting)
{
	static const char said[] =
		"{\"a\":{\"network\":5e8,\"peak\":1e9,\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1000,"
		"\"available\":900,\"waiting\":10},"
		"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1000,"
		"\"available\":900}]},"
		"\"b\":{\"network\":1e8,\"osts\":["
		"{\"name\":\"f-OST0002\",\"index\":2,\"total\":1000,"
		"\"available\":900,\"waiting\":4}]}}";
	static const double want[] = {
		0.1 + 3 * 0.5 + 3 * 5 + 0.3 * 10,
		0.1 + 3 * 0.5 + 3 * 5,
		0.1 + 3 * 0.1 + 3 * 4 + 0.3 * 4,
	};
	struct json_object *out = choose(said, 0, 0, 0), *list;
	double cost = 0;

	json_object_object_get_ex(out, "osts", &list);
	for (size_t i = 0; i < 3; i++) {
		ck_assert(
			!slu_json_double_opt(json_object_array_get_idx(list, i),
					     "cost", &cost, NULL));
		ck_assert_double_eq_tol(cost, want[i], 1e-9);
	}
	json_object_put(out);
}
END_TEST

START_TEST(test_place)
{
	struct json_object *out;

	out = choose(site, 2, 0, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[5,0]]");
	ck_assert_str_eq(text_of(out, "commands"),
			 "[\"lfs setstripe -c 2 -o 5,0\"]");
	ck_assert_str_eq(text_of(out, "missing"), "0");
	json_object_put(out);
	out = choose(site, 5, 0, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[5,0,1]]");
	ck_assert_str_eq(text_of(out, "missing"), "2");
	json_object_put(out);
	/* stripes of 570 KiB do not fit on the fuller one; two of 855 do */
	out = choose(site, 3, 0, 1710 << 10);
	ck_assert_str_eq(text_of(out, "files"), "[[0,5]]");
	ck_assert_str_eq(text_of(out, "missing"), "1");
	ck_assert_str_eq(text_of(out, "stripe_bytes"), "875520");
	json_object_put(out);
	/* two of 950 do not, nor one of 1900 */
	out = choose(site, 3, 0, 1900 << 10);
	ck_assert_str_eq(text_of(out, "files"), "[[]]");
	ck_assert_str_eq(text_of(out, "commands"), "[]");
	ck_assert_str_eq(text_of(out, "missing"), "3");
	json_object_put(out);
	/* more stripes than targets: a third on each */
	out = choose(site, 8, 0, 1200 << 10);
	ck_assert_str_eq(text_of(out, "files"), "[[5,0,1]]");
	ck_assert_str_eq(text_of(out, "missing"), "5");
	ck_assert_str_eq(text_of(out, "stripe_bytes"), "409600");
	json_object_put(out);
	/* the third file would have but one of its two stripes */
	out = choose(site, 2, 3, 800 << 10);
	ck_assert_str_eq(text_of(out, "missing"), "2");
	ck_assert_uint_eq(json_object_array_length(
				  json_object_object_get(out, "commands")),
			  2);
	json_object_put(out);
	/* four files of one stripe go to the cheapest until it is dearer; two
	 * of 400 KiB fit on the first, one on the others */
	out = choose(site, 1, 4, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[5],[5],[5],[5]]");
	json_object_put(out);
	out = choose(site, 1, 4, 400 << 10);
	ck_assert_str_eq(text_of(out, "missing"), "0");
	json_object_put(out);
	/* not to one that others read from, on the same server */
	out = choose(busy, 2, 0, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[1,2]]");
	json_object_put(out);
	out = choose("{}", 3, 0, 0);
	ck_assert_str_eq(text_of(out, "files"), "[[]]");
	ck_assert_str_eq(text_of(out, "commands"), "[]");
	ck_assert_str_eq(text_of(out, "missing"), "3");
	json_object_put(out);
}
END_TEST

START_TEST(test_scales)
{
	/* 0.5 of CPU 20 % and memory 40 %; 5 bytes a second of 10; 100 of 1000
	 * KiB */
	static const char said[] =
		"{\"a\":{\"cpu\":20,\"memory\":40,\"network\":5,\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":1000,"
		"\"available\":900,\"read\":9e8,\"recent\":2}]},"
		"\"b\":{\"network\":10,\"moved\":5e8,\"osts\":["
		"{\"name\":\"f-OST0001\",\"index\":1,\"total\":1000,"
		"\"available\":500}]}}";
	static const struct {
		enum slu_ost_cost cost;
		double want[2];
		const char *files; /* two of one stripe */
	} cases[] = {
		{SLU_OST_LINEAR, {0.3 + 0.5 + 0.1, 1 + 0.5}, "[[0],[0]]"},
		{SLU_OST_RAW, {30 + 5 + 100, 10 + 500}, "[[0],[0]]"},
	};
	struct slu_err err;

	each(c, cases)
	{
		struct slu_ost_choose_settings s = slu_ost_choose_defaults;
		const struct slu_ost_choose_request r = {.stripes = 1,
							 .files = 2};
		struct json_object *servers =
			slu_json_parse(said, strlen(said), &err);
		struct json_object *out = NULL, *list;

		s.cost = c->cost;
		expect_ok(slu_ost_choose(&s, servers, &r, &out, &err), err);
		ck_assert_str_eq(text_of(out, "files"), c->files);
		json_object_object_get_ex(out, "osts", &list);
		for (size_t i = 0; i < 2; i++) {
			double cost = 0;

			slu_json_double_opt(json_object_array_get_idx(list, i),
					    "cost", &cost, NULL);
			ck_assert_double_eq_tol(cost, c->want[i], 1e-9);
		}
		json_object_put(out);
		json_object_put(servers);
	}
}
END_TEST
START_TEST(test_file_systems)
{
	static const char both[] =
		"{\"a\":{\"osts\":["
		"{\"name\":\"f-OST0000\",\"index\":0,\"total\":10,"
		"\"available\":9},"
		"{\"name\":\"fg-OST0000\",\"index\":0,\"total\":10,"
		"\"available\":8}]}}";
	struct slu_ost_choose_request r = {.stripes = 1};
	struct json_object *servers = parse(both), *out;
	struct slu_err err;

	expect_fail(slu_ost_choose(&slu_ost_choose_defaults, servers, &r, &out,
				   &err),
		    err, SLU_NOTFOUND, "several file systems");
	r.fsname = "fg";
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "filesystems"), "1");
	ck_assert(strstr(text_of(out, "osts"), "fg-OST0000"));
	json_object_put(out);
	r.fsname = "g";
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "missing"), "1");
	json_object_put(out);
	ck_assert_uint_eq(slu_ost_version("2.15.8"), 2015);
	ck_assert_uint_eq(slu_ost_version("2.5.3_ddn1"), 2005);
	ck_assert_uint_eq(slu_ost_version("x"), 0);
	r = (struct slu_ost_choose_request){0};
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "filesystems"), "2");
	json_object_put(out);
	json_object_put(servers);
}
END_TEST

/* An absurd value of one server does not affect the others. */
START_TEST(test_nonsense)
{
	static const struct {
		const char *server, *target; /* what they say */
	} cases[] = {
		{"\"network\":1e308,", ""},
		{"\"moved\":1e308,", ""},
		{"\"peak\":1e308,", ""},
		{"\"cpu\":1e999,", ""},
		{"\"memory\":1e999,", ""},
		{"\"network\":1e999,", ""},
		{"", ",\"total\":1e300"},
		{"", ",\"total\":1e999,\"available\":1e999"},
		{"", ",\"read\":1.7e308,\"write\":1.7e308"},
		{"", ",\"recent\":1e300"},
		{"", ",\"promised\":1e308"},
		{"", ",\"io_ms\":1e999"},
		{"", ",\"waiting\":1e300"},
	};
	const struct slu_ost_choose_request r = {.stripes = 3};
	struct json_object *servers, *out;
	char *text;

	each(c, cases)
	{
		text = slu_asprintf("{\"x\":{%s\"osts\":[{\"name\":"
				    "\"f-OST0009\",\"index\":9,\"total\":9,"
				    "\"available\":1%s}]},%s",
				    c->server, c->target, three + 1);
		servers = parse(text);
		out = answer(servers, &r);
		expect(!strcmp(text_of(out, "missing"), "0"), "%s: %s", text,
		       slu_json_text(out));
		json_object_put(out);
		json_object_put(servers);
		free(text);
	}
}
END_TEST

START_TEST(test_too_much)
{
	static const struct {
		uint32_t stripes, files;
		const char *words;
	} cases[] = {
		{2001, 1, "2000 stripes of a file"},
		{1, 65537, "65536 stripes of all files"},
		{2000, 33, "65536 stripes of all files"},
		{2000, UINT32_MAX, "65536 stripes of all files"},
	};
	struct json_object *none = json_object_new_object(), *out;
	struct slu_err err;

	each(c, cases)
	{
		const struct slu_ost_choose_request r = {.stripes = c->stripes,
							 .files = c->files};

		expect_fail(slu_ost_choose(&slu_ost_choose_defaults, none, &r,
					   &out, &err),
			    err, SLU_INVALID, c->words);
	}
	json_object_put(none);
}
END_TEST

TEST_MAIN("ost_choose", test_left_out, test_closed_targets_are_left_out,
	  test_waiting, test_place, test_scales, test_file_systems,
	  test_nonsense, test_too_much)
