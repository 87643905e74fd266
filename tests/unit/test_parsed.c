/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "common/str.h"
#include "ctl/jobs/parsed.h"

static void text_of(char text[200], unsigned i)
{
	snprintf(text, 200, "jobfs capacity=%u type=t%u%s", 1 + i, i % 7,
		 i % 3 ? "; stage_in source=/a destination=$BB_JOBFS/" : "");
}

static void expect_right(struct slu_parsed_set *set, unsigned i)
{
	const struct slu_request *req;
	char text[200], fs[20];

	text_of(text, i);
	snprintf(fs, sizeof(fs), "t%u", i % 7);
	req = slu_parsed_get(set, text);
	ck_assert_ptr_nonnull(req);
	ck_assert_uint_eq(req->capacity, 1 + i);
	ck_assert_str_eq(req->fs, fs);
	ck_assert_uint_eq(req->n_stage, i % 3 ? 1 : 0);
	slu_parsed_put(set, req);
}

START_TEST(test_once)
{
	struct slu_parsed_set set;

	ck_assert_int_eq(slu_parsed_init(&set), 0);
	for (int pass = 0; pass < 5; pass++)
		for (unsigned i = 0; i < 1000; i++)
			expect_right(&set, i);
	ck_assert_uint_eq(set.parsed, 1000);
	slu_parsed_fini(&set);
}
END_TEST

/* More than it keeps: who is put out is parsed again, and what somebody looks
 * at stays. */
START_TEST(test_full)
{
	struct slu_parsed_set set;
	const struct slu_request *held;
	char text[200];

	ck_assert_int_eq(slu_parsed_init(&set), 0);
	text_of(text, 5);
	held = slu_parsed_get(&set, text);
	for (unsigned i = 10; i < 3 * SLU_PARSED; i++)
		expect_right(&set, i);
	ck_assert_uint_eq(held->capacity, 6);
	ck_assert_str_eq(held->fs, "t5");
	slu_parsed_put(&set, held);
	for (unsigned i = 0; i < 100; i++)
		expect_right(&set, i);
	slu_parsed_fini(&set);
}
END_TEST

START_TEST(test_no_request)
{
	struct slu_parsed_set set;

	ck_assert_int_eq(slu_parsed_init(&set), 0);
	ck_assert_ptr_null(slu_parsed_get(&set, "jobfs capacity=much"));
	slu_parsed_put(&set, NULL);
	ck_assert_uint_eq(set.parsed, 0);
	slu_parsed_fini(&set);
}
END_TEST

/* What only its length tells from another. */
START_TEST(test_persistent)
{
	static const char one[] = "persistent_create name=p capacity=1GiB",
			  two[] = "persistent_create name=p capacity=1GiB; "
				  "persistent name=p";
	struct slu_parsed_set set;
	const struct slu_request *a, *b;

	ck_assert_int_eq(slu_parsed_init(&set), 0);
	a = slu_parsed_get(&set, one);
	b = slu_parsed_get(&set, two);
	ck_assert_uint_eq(a->n_persist, 1);
	ck_assert_str_eq(a->persist[0].name, "p");
	ck_assert(!a->persistent);
	ck_assert(b->persistent);
	slu_parsed_put(&set, a);
	slu_parsed_put(&set, b);
	slu_parsed_fini(&set);
}
END_TEST

static void *look(void *arg)
{
	for (unsigned i = 0; i < 20000; i++)
		expect_right(arg, i % 500);
	return NULL;
}

START_TEST(test_threads)
{
	struct slu_parsed_set set;
	pthread_t thread[4];

	ck_assert_int_eq(slu_parsed_init(&set), 0);
	for (size_t t = 0; t < 4; t++)
		ck_assert_int_eq(pthread_create(&thread[t], NULL, look, &set),
				 0);
	for (size_t t = 0; t < 4; t++)
		pthread_join(thread[t], NULL);
	slu_parsed_fini(&set);
}
END_TEST

TEST_MAIN("parsed", test_once, test_full, test_no_request, test_persistent,
	  test_threads)
