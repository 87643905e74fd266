/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the division of staging among nodes, with random trees and 1 to 40
 * nodes: ranges cover each file exactly, and no node has more than its even
 * share and one range.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/staging/share.h"

#define MIB (1ull << 20)

START_TEST(test_number_of_ranges)
{
	static const struct {
		uint64_t size, n;
	} t[] = {
		{0, 1},
		{1, 1},
		{SLU_STAGE_RANGE, 1},
		{SLU_STAGE_RANGE + 1, 2},
		{10 * SLU_STAGE_RANGE, 10},
		{INT64_MAX, (uint64_t)INT64_MAX / SLU_STAGE_RANGE + 1},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t offset, len;

		ck_assert_uint_eq(slu_share_ranges(t[i].size), t[i].n);
		len = slu_share_range(t[i].size, t[i].n - 1, &offset);
		ck_assert_uint_eq(offset + len, t[i].size);
		ck_assert_uint_eq(offset % SLU_STAGE_RANGE, 0);
		ck_assert_uint_le(len, SLU_STAGE_RANGE);
	}
}
END_TEST

/* Random trees, 1 to 40 nodes: ranges tile each file, owners never go back,
 * and no node has more than its even share and one range. */
static void check_division(void)
{
	unsigned n = 1 + (unsigned)random() % 40, last = 0;
	size_t files = 1 + (size_t)random() % 300;
	uint64_t size[300], total = 0, at = 0, line = 0, load[40] = {0},
			    all = 0;

	for (size_t i = 0; i < files; i++) {
		size[i] = (uint64_t)random() % 4
				  ? (uint64_t)random() % (2 * MIB)
				  : (uint64_t)random() % (2000 * MIB);
		total += slu_share_cost(size[i]);
	}
	for (size_t i = 0; i < files; i++) {
		uint64_t end = 0;

		for (uint64_t r = 0; r < slu_share_ranges(size[i]); r++) {
			uint64_t offset;
			uint64_t len = slu_share_range(size[i], r, &offset);
			uint64_t from = slu_share_begin(at, r);
			unsigned who = slu_share_owner(from, total, n);

			ck_assert_uint_eq(offset, end);
			ck_assert_uint_eq(from, line);
			line = slu_share_end(at, size[i], r);
			ck_assert_uint_eq(line - from,
					  len + (r ? 0 : SLU_STAGE_FILE_COST));
			ck_assert_uint_lt(who, n);
			ck_assert_uint_ge(who, last);
			end += len;
			last = who;
			load[who] += len + (r ? 0 : SLU_STAGE_FILE_COST);
		}
		ck_assert_uint_eq(end, size[i]);
		at += slu_share_cost(size[i]);
	}
	for (unsigned k = 0; k < n; k++) {
		ck_assert_uint_le(load[k], total / n + 1 + SLU_STAGE_RANGE +
						   SLU_STAGE_FILE_COST);
		all += load[k];
	}
	ck_assert_uint_eq(all, total);
}

START_TEST(test_division)
{
	srandom(7);
	for (int i = 0; i < 200; i++)
		check_division();
}
END_TEST

/* The largest numbers do not overflow on the way. */
START_TEST(test_largest_numbers)
{
	ck_assert_uint_eq(slu_share_owner(UINT64_MAX - 1, UINT64_MAX, 65536),
			  65535);
	ck_assert_uint_eq(slu_share_owner(UINT64_MAX / 2, UINT64_MAX, 2), 0);
	ck_assert_uint_eq(slu_share_owner(UINT64_MAX / 2 + 1, UINT64_MAX, 2),
			  1);
	/* A cost that the manifest lied about stays inside the nodes. */
	ck_assert_uint_eq(slu_share_owner(100, 10, 4), 3);
	ck_assert_uint_eq(slu_share_owner(0, 0, 4), 3);
}
END_TEST

TEST_MAIN("share", test_number_of_ranges, test_division, test_largest_numbers)
