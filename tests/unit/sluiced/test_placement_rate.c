/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the limit on a user's placements per second, and how long predictions
 * of I/O are valid. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/jsonx.h"
#include "sluiced/questions/io/io_forecasts.h"
#include "sluiced/placement/placement_rate.h"

/* One user's second, whatever others do. */
START_TEST(test_rate)
{
	static const struct {
		double now;
		uid_t uid;
		uint64_t files, stripes;
		double wait;
	} cases[] = {
		{100, 1, 4096, 1, 0},	    {100, 1, 5904, 8, 0},
		{100, 1, 1, 1, 1e-4},	    {100, 2, 5000, 16, 0},
		{100, 2, 1, 1, 1e-4},	    {100.25, 1, 2500, 1, 0},
		{100.25, 1, 100, 9, 1e-4},  {99, 1, 1, 1, 1e-4},
		{100.5, 1, 1u << 30, 1, 0}, /* overdrawn */
		{100.5, 1, 1, 1, 0.7501},   {101.6, 1, 1u << 30, 1, 0},
		{900, 3, 0, 0, 0},
	};
	struct slu_placement_rate rate = {0};

	each(c, cases)
	{
		double wait = slu_placement_rate_take(&rate, c->uid, c->files,
						      c->stripes, c->now);

		expect(wait > c->wait - 1e-6 && wait < c->wait + 1e-6,
		       "%g, uid %u: %g s, not %g", c->now, c->uid, wait,
		       c->wait);
	}
}
END_TEST

/* More users than are remembered: each has its own all the same, as those who
 * are forgotten have asked a while ago. */
START_TEST(test_users)
{
	struct slu_placement_rate rate = {0};

	for (uid_t uid = 0; uid < 3 * SLU_PLACEMENT_USERS; uid++) {
		double now = 10 + 0.1 * uid;

		ck_assert(slu_placement_rate_take(&rate, uid, 10000, 1, now) ==
			  0);
		ck_assert(slu_placement_rate_take(&rate, uid, 1, 1, now) > 0);
	}
}
END_TEST

static void put(struct slu_io_forecasts **f, uid_t uid, const char *name,
		const char *bytes, double now)
{
	struct json_object *list = slu_json_parse(bytes, strlen(bytes), NULL);

	slu_io_forecasts_put(f, uid, name, list, now);
	json_object_put(list);
}

START_TEST(test_forecasts)
{
	struct slu_io_forecasts *f = NULL;
	const double *bytes;
	char name[32];
	size_t n = 9;

	ck_assert_ptr_null(slu_io_forecasts_get(f, 1, "a", 0, &n));
	put(&f, 1, "a", "[5,7]", 100);
	put(&f, 1, "b", "[]", 100);
	put(&f, 1, "c", "{}", 100);
	bytes = slu_io_forecasts_get(f, 1, "a", 130, &n);
	ck_assert(bytes && n == 2 && bytes[0] == 5 && bytes[1] == 7);
	ck_assert(slu_io_forecasts_get(f, 1, "b", 130, &n) && n == 0);
	ck_assert_ptr_null(slu_io_forecasts_get(f, 1, "c", 130, &n));
	ck_assert_ptr_null(slu_io_forecasts_get(f, 2, "a", 130, &n));
	put(&f, 1, "a", "[9]", 150);
	bytes = slu_io_forecasts_get(f, 1, "a", 205, &n);
	ck_assert(bytes && n == 1 && bytes[0] == 9);
	ck_assert_ptr_null(slu_io_forecasts_get(f, 1, "b", 205, &n));
	ck_assert_ptr_null(slu_io_forecasts_get(f, 1, "a", 211, &n));
	/* the oldest go first */
	for (int i = 0; i < SLU_IO_FORECASTS; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		put(&f, 1, name, "[1]", 300 + i / 1e6);
	}
	ck_assert_ptr_null(slu_io_forecasts_get(f, 1, "a", 200, &n));
	ck_assert_ptr_nonnull(slu_io_forecasts_get(f, 1, "n0", 301, &n));
	put(&f, 1, "more", "[1]", 301);
	ck_assert_ptr_null(slu_io_forecasts_get(f, 1, "n0", 301, &n));
	ck_assert_ptr_nonnull(slu_io_forecasts_get(f, 1, "n1", 301, &n));
	slu_io_forecasts_free(f);
}
END_TEST

TEST_MAIN("placement rate", test_rate, test_users, test_forecasts)
