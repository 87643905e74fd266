/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how recent placements and predicted I/O change the choice of Lustre
 * targets. */
#include "config.h"
#include "tests/unit/select_io/ost_answers.h"
#include "select_io/ost/recent_placements.h"

/* Six stripes fit. What is predicted gives way, the farthest first. */
START_TEST(test_predicted)
{
	static const double bytes[] = {0x1p30, 0, 0x1.8p31, 0x1p30};
	static const struct {
		uint32_t stripes, files;
		const char *fits; /* of each predicted one */
		uint64_t missing;
	} cases[] = {
		{1, 1, "1111", 0}, /* 1 + 1 + 3 + 1 */
		{2, 1, "1110", 0}, {1, 3, "1100", 0}, {2, 3, "0100", 0},
		{3, 2, "0100", 0}, {3, 3, "0100", 3}, {4, 1, "0100", 1},
	};
	struct json_object *servers = parse(three), *out, *list, *one;

	each(c, cases)
	{
		const struct slu_ost_choose_request r = {
			.stripes = c->stripes,
			.files = c->files,
			.size = (uint64_t)c->stripes << 30,
			.predicted = bytes,
			.n_predicted = 4,
		};
		uint64_t missing = 99;

		out = answer(servers, &r);
		slu_json_u64_opt(out, "missing", &missing, NULL);
		ck_assert_uint_eq(missing, c->missing);
		json_object_object_get_ex(out, "predicted", &list);
		ck_assert_uint_eq(json_object_array_length(list), 4);
		for (size_t i = 0; i < 4; i++) {
			bool fits = false;

			one = json_object_array_get_idx(list, i);
			slu_json_bool_opt(one, "fits", &fits, NULL);
			/* one of no bytes is out or in as may be */
			expect(bytes[i] == 0 || fits == (c->fits[i] == '1'),
			       "%u x %u: %s", c->files, c->stripes,
			       slu_json_text(list));
		}
		json_object_put(out);
	}
	json_object_put(servers);
}
END_TEST

/* No prediction fits that is more than there is room for, whether or not the
 * current file's size is said. Three targets have 2.09 GiB each. */
START_TEST(test_predicted_wide)
{
	static const struct {
		uint64_t size;
		double gib[2];
		const char *fits;
	} cases[] = {
		{0, {4, 1}, "11"}, /* 1 + 4 + 1 stripes of 1 GiB */
		{0, {5, 1}, "10"}, /* what is nearer goes first */
		{0, {6, 1}, "00"},	   {0, {1e9, 0}, "00"},
		{0, {3, 3}, "10"},	   {1 << 30, {5, 0}, "11"},
		{1 << 30, {5.1, 0}, "00"}, {1 << 29, {5, 0.5}, "11"},
		{1 << 29, {5, 1}, "10"},
	};
	struct json_object *servers = parse(three), *out, *list;

	each(c, cases)
	{
		const double bytes[] = {c->gib[0] * 0x1p30, c->gib[1] * 0x1p30};
		const struct slu_ost_choose_request r = {
			.stripes = 1,
			.size = c->size,
			.predicted = bytes,
			.n_predicted = 2,
		};

		out = answer(servers, &r);
		ck_assert_str_eq(text_of(out, "missing"), "0");
		json_object_object_get_ex(out, "predicted", &list);
		for (size_t i = 0; i < 2; i++) {
			bool fits = false;

			slu_json_bool_opt(json_object_array_get_idx(list, i),
					  "fits", &fits, NULL);
			expect(fits == (c->fits[i] == '1'), "%g, %g: %s",
			       c->gib[0], c->gib[1], slu_json_text(list));
		}
		json_object_put(out);
	}
	json_object_put(servers);
}
END_TEST

/* A file of unknown size goes where there is less than a stripe may have. */
START_TEST(test_predicted_little)
{
	static const double bytes[] = {1};
	const struct slu_ost_choose_request r = {
		.stripes = 2, .predicted = bytes, .n_predicted = 1};
	struct json_object *servers = parse(busy);
	struct json_object *out = answer(servers, &r);

	ck_assert_str_eq(text_of(out, "missing"), "0");
	ck_assert(strstr(text_of(out, "predicted"), "\"fits\":false"));
	json_object_put(out);
	json_object_put(servers);
}
END_TEST

static void learn(struct slu_recent_placements *m, struct json_object *out,
		  uint32_t uid, double now)
{
	struct json_object *lesson = slu_recent_placements_of_answer(out);

	slu_recent_placements_add(m, lesson, uid, now);
	json_object_put(lesson);
}

/* A lesson is short, however many files; one that was only to be looked at
 * teaches the ranking. */
START_TEST(test_lesson)
{
	const struct slu_ost_choose_request r = {.stripes = 2, .files = 300};
	struct json_object *servers = parse(three), *out, *lesson;

	out = answer(servers, &r);
	lesson = slu_recent_placements_of_answer(out);
	ck_assert_str_eq(slu_json_text(lesson),
			 "{\"kib\":0,\"available\":6600000,\"stripes\":{"
			 "\"f-OST0000\":200,\"f-OST0001\":200,"
			 "\"f-OST0002\":200},\"ranking\":[\"f-OST0000\","
			 "\"f-OST0001\",\"f-OST0002\"]}");
	json_object_put(lesson);
	slu_json_set_bool(out, "dry", true);
	lesson = slu_recent_placements_of_answer(out);
	ck_assert_str_eq(slu_json_text(lesson),
			 "{\"ranking\":[\"f-OST0000\",\"f-OST0001\","
			 "\"f-OST0002\"]}");
	json_object_put(lesson);
	json_object_put(out);
	json_object_put(servers);
}
END_TEST

/* Two answers in a row do not go to the same targets, for a minute. */
START_TEST(test_memory)
{
	const struct slu_ost_choose_request one = {.stripes = 1};
	const struct slu_ost_choose_request big = {.stripes = 1,
						   .size = UINT64_C(2) << 30};
	static const struct {
		double time;
		const char *files;
	} cases[] = {{0, "[[0]]"},  {1, "[[1]]"},    {2, "[[2]]"},
		     {3, "[[0]]"},  {63.5, "[[0]]"}, {64, "[[1]]"},
		     {200, "[[0]]"}};
	struct slu_recent_placements *m = slu_recent_placements_new();
	struct json_object *servers = parse(three), *out;

	ck_assert(m && !slu_recent_placements_ranking(m));
	each(c, cases)
	{
		slu_recent_placements_write(m, servers, c->time);
		out = answer(servers, &one);
		ck_assert_str_eq(text_of(out, "files"), c->files);
		learn(m, out, 0, c->time);
		json_object_put(out);
	}
	ck_assert_str_eq(slu_json_text(slu_recent_placements_ranking(m)),
			 "[\"f-OST0000\",\"f-OST0001\",\"f-OST0002\"]");
	/* bytes that are promised are not given twice */
	for (int i = 0; i < 4; i++) {
		slu_recent_placements_write(m, servers, 500);
		out = answer(servers, &big);
		ck_assert_str_eq(text_of(out, "missing"), i < 3 ? "0" : "1");
		learn(m, out, 0, 500);
		json_object_put(out);
	}
	/* who only asks fills nothing: a quarter, and no more */
	for (int i = 0; i < 9; i++) {
		slu_recent_placements_write(m, servers, 700);
		out = answer(servers, &big);
		ck_assert_str_eq(text_of(out, "missing"), "0");
		learn(m, out, 1000, 700);
		json_object_put(out);
	}
	/* each file system has its own ranking */
	out = parse("{\"files\":[[0]],\"osts\":[{\"name\":\"g-OST0000\","
		    "\"index\":0,\"cost\":2},{\"name\":\"g-OST0001\","
		    "\"index\":1,\"cost\":1}]}");
	learn(m, out, 0, 800);
	json_object_put(out);
	ck_assert_str_eq(slu_json_text(slu_recent_placements_ranking(m)),
			 "[\"f-OST0000\",\"f-OST0001\",\"f-OST0002\","
			 "\"g-OST0001\",\"g-OST0000\"]");
	/* nonsense teaches nothing */
	out = parse("{\"files\":[[7,\"x\"],3],\"osts\":[1,{}]}");
	learn(m, out, 0, 600);
	json_object_put(out);
	out = parse("[]");
	learn(m, out, 0, 600);
	json_object_put(out);
	json_object_put(servers);
	slu_recent_placements_free(m);
}
END_TEST

/* Targets stay in use however many stripes are asked for in a minute. */
START_TEST(test_targets_stay_in_use)
{
	const struct slu_ost_choose_request r = {.stripes = 1, .files = 65536};
	struct slu_recent_placements *m = slu_recent_placements_new();
	struct json_object *servers = parse(three), *out;

	ck_assert_ptr_nonnull(m);
	for (int i = 0; i < 60; i++) {
		slu_recent_placements_write(m, servers, 1);
		out = answer(servers, &r);
		ck_assert_str_eq(text_of(out, "missing"), "0");
		learn(m, out, 1000, 1);
		json_object_put(out);
	}
	json_object_put(servers);
	slu_recent_placements_free(m);
}
END_TEST

static void promised(struct json_object *servers, double *kib)
{
	struct json_object *one = NULL;

	json_object_object_get_ex(servers, "a", &one);
	json_object_object_get_ex(one, "osts", &one);
	for (size_t j = 0; j < 3; j++) {
		kib[j] = 0;
		slu_json_double_opt(json_object_array_get_idx(one, j),
				    "promised", &kib[j], NULL);
	}
}

/* What was placed waits until the target has written it, or for a minute. */
START_TEST(test_waits)
{
	static const struct {
		uint64_t size;	    /* of the stripe; 0: unknown */
		double peak, after; /* bytes/s; s */
		double want;	    /* s */
	} cases[] = {
		{UINT64_C(4) << 30, 0x1p30, 0, 8},
		{UINT64_C(4) << 30, 0x1p30, 3, 5},
		{UINT64_C(4) << 30, 0x1p30, 9, 0},
		{UINT64_C(4) << 30, 0x1p20, 1, 60},
		{UINT64_C(4) << 30, 0x1p20, 60, 0},
		{UINT64_C(4) << 30, 0, 0, 0},
		{0, 0x1p30, 1, 1},
	};

	each(c, cases)
	{
		const uint32_t stripes = 1;
		struct slu_recent_placements *m = slu_recent_placements_new();
		uint32_t number = slu_recent_placements_number(m, "f-OST0000");
		const struct slu_placed_stripes placed = {
			.number = &number,
			.stripes = &stripes,
			.n = 1,
			.kib = (double)(c->size >> 10),
			.available = 1e12,
		};
		/* a server of two targets: each has half of its speed */
		double rate = slu_recent_placements_rate(c->peak, 1, 2);

		slu_recent_placements_placed(m, &placed, 0, 100);
		slu_recent_placements_forget(m, 100 + c->after);
		ck_assert_double_eq_tol(
			slu_recent_placements_waits(m, number, 100 + c->after,
						    rate),
			c->want, 1e-9);
		/* as often as it is asked */
		ck_assert_double_eq_tol(
			slu_recent_placements_waits(m, number, 100 + c->after,
						    rate),
			c->want, 1e-9);
		slu_recent_placements_free(m);
	}
	ck_assert_double_eq(slu_recent_placements_rate(1, 0, 0), 0);
}
END_TEST

/* Nor for longer than a minute, though more is placed there all the time: what
 * somebody asked for may never be written. */
START_TEST(test_waits_no_more)
{
	const uint32_t stripes = 1;
	struct slu_recent_placements *m = slu_recent_placements_new();
	uint32_t number = slu_recent_placements_number(m, "f-OST0000");
	struct slu_placed_stripes placed = {.number = &number,
					    .stripes = &stripes,
					    .n = 1,
					    .kib = 0x1p30,
					    .available = 1e12};
	const double rate = 0x1p30; /* the first would take 1,024 s */

	for (double now = 0; now <= 70; now += 10) {
		slu_recent_placements_placed(m, &placed, 0, now);
		ck_assert_double_eq_tol(
			slu_recent_placements_waits(m, number, now, rate),
			fmax(60 - now, 0), 1e-3);
		placed.kib = 1;
	}
	slu_recent_placements_free(m);
}
END_TEST

/* What a user's answers promise, stripes on each target: all of them, or as
 * many whole ones as a quarter of the space (1,650,000 KiB) holds. */
START_TEST(test_promises)
{
	static const struct {
		uint32_t files, uid;
		uint64_t kib;	      /* of a stripe */
		double on[3], all[2]; /* by one answer; by one and by two */
	} cases[] = {
		{3, 1000, 500000, {1, 1, 1}, {3, 3}},
		{3, 1000, 700000, {0, 1, 1}, {2, 2}},
		{1, 1000, 1650000, {1, 0, 0}, {1, 1}},
		{1, 1000, 1650001, {0, 0, 0}, {0, 0}},
		{6, 1000, 400000, {1, 1, 2}, {4, 4}},
		{6, 1000, 200000, {2, 2, 2}, {6, 8}},
		{3, 0, 700000, {1, 1, 1}, {3, 6}},
	};

	each(c, cases)
	{
		const struct slu_ost_choose_request r = {
			.stripes = 1, .files = c->files, .size = c->kib << 10};
		struct slu_recent_placements *m = slu_recent_placements_new();

		ck_assert_ptr_nonnull(m);
		for (int i = 0; i < 2; i++) {
			struct json_object *servers = parse(three);
			struct json_object *out = answer(servers, &r);
			double kib[3], size = (double)c->kib;

			learn(m, out, c->uid, i);
			slu_recent_placements_write(m, servers, i);
			promised(servers, kib);
			for (size_t j = 0; i == 0 && j < 3; j++)
				ck_assert_double_eq(kib[j], c->on[j] * size);
			ck_assert_double_eq(kib[0] + kib[1] + kib[2],
					    c->all[i] * size);
			json_object_put(out);
			json_object_put(servers);
		}
		slu_recent_placements_free(m);
	}
}
END_TEST

/* Nothing is solved: the ranking decides. */
START_TEST(test_ranking_without_solving)
{
	struct json_object *servers = parse(three), *out;
	struct slu_ost_choose_request r = {.stripes = 2, .files = 1};

	r.ranking = parse("[\"f-OST0002\",\"f-OST0001\",\"gone\"]");
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "files"), "[[2,1]]");
	ck_assert_str_eq(text_of(out, "ranked"), "true");
	json_object_put(out);
	r.stripes = 3; /* who is not in it comes last */
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "files"), "[[2,1,0]]");
	json_object_put(out);
	r.stripes = 1;
	r.files = 7;
	r.size = UINT64_C(1) << 30; /* two fit on each */
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "missing"), "1");
	json_object_put(out);
	/* many more targets than stripes */
	json_object_put(r.ranking);
	r.ranking = parse("[\"f-OST0002\",\"f-OST0001\",\"f-OST0000\"]");
	r.files = 1;
	r.size = 0;
	out = answer(servers, &r);
	ck_assert_str_eq(text_of(out, "files"), "[[2]]");
	json_object_put(out);
	json_object_put(r.ranking);
	json_object_put(servers);
}
END_TEST
TEST_MAIN("recent_placements", test_predicted, test_predicted_wide,
	  test_predicted_little, test_lesson, test_memory,
	  test_targets_stay_in_use, test_waits, test_waits_no_more,
	  test_promises, test_ranking_without_solving)
