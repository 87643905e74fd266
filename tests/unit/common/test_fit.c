/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the fitting of table columns to a width: what must hold of every
 * result. */
#include "config.h"
#include "common/fit.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"

#define MOST 6
#define GAP  2

START_TEST(test_columns_of_known_tables)
{
	static const struct {
		const char *what;
		size_t room, n;
		struct slu_fit in[3];
		size_t want[3];
	} cases[] = {
		{"all of it", 80, 2, {{5, 5, 0, 0}, {9, 4, 0, 0}}, {5, 9}},
		{"a text is cut", 10, 2, {{5, 5, 0, 0}, {9, 3, 0, 0}}, {5, 3}},
		{"one goes",
		 10,
		 3,
		 {{4, 4, 0, 0}, {9, 9, 1, 0}, {4, 4, 0, 0}},
		 {4, 0, 4}},
		{"the last of equal ones",
		 10,
		 3,
		 {{4, 4, 1, 0}, {4, 4, 2, 0}, {4, 4, 2, 0}},
		 {4, 4, 0}},
		{"both as wide", 14, 2, {{9, 3, 0, 0}, {9, 3, 0, 0}}, {6, 6}},
		{"no room", 3, 2, {{9, 9, 0, 0}, {9, 9, 1, 0}}, {3, 0}},
	};
	struct slu_fit column[3];

	each(c, cases)
	{
		memcpy(column, c->in, sizeof(column));
		slu_fit(column, c->n, c->room, GAP);
		for (size_t i = 0; i < c->n; i++)
			expect(column[i].width == c->want[i], "%s: %zu: %zu",
			       c->what, i, column[i].width);
	}
}
END_TEST

static size_t sum(const struct slu_fit *column, size_t n, bool least)
{
	size_t all = 0;

	for (size_t i = 0; i < n; i++)
		if (column[i].width)
			all += (least ? column[i].least : column[i].width) +
			       (all ? GAP : 0);
	return all;
}

/* Whatever must hold of an answer. */
static void check_answer(const struct slu_fit *column, size_t n, size_t room)
{
	size_t shown = 0, lowest_left_out = SIZE_MAX;

	ck_assert_uint_le(sum(column, n, false), room);
	for (size_t i = 0; i < n; i++) {
		shown += column[i].width > 0;
		ck_assert_uint_le(column[i].width, column[i].want);
		if (!column[i].width && column[i].drop < lowest_left_out)
			lowest_left_out = column[i].drop;
	}
	ck_assert_uint_ge(shown, 1);
	for (size_t i = 0; i < n; i++) {
		if (!column[i].width)
			continue;
		ck_assert_uint_le(column[i].drop, lowest_left_out);
		if (shown > 1)
			ck_assert_uint_ge(column[i].width, column[i].least);
		/* nothing is cut while there is room */
		if (sum(column, n, false) < room)
			ck_assert_uint_eq(column[i].width, column[i].want);
	}
}

/* One left out less would not have fitted. */
static void check_needed(const struct slu_fit *column, size_t n, size_t room)
{
	struct slu_fit more[MOST];
	size_t best = n;

	memcpy(more, column, sizeof(more));
	for (size_t i = 0; i < n; i++)
		if (!column[i].width &&
		    (best == n || column[i].drop < column[best].drop))
			best = i;
	if (best == n)
		return;
	more[best].width = 1;
	ck_assert_uint_gt(sum(more, n, true), room);
}

START_TEST(test_columns_of_random_tables)
{
	uint64_t seed = 28;
	struct slu_fit column[MOST] = {{0}};
	size_t n, room;

	for (int round = 0; round < 20000; round++) {
		n = 1 + slu_random(&seed, MOST);
		room = 1 + slu_random(&seed, 100);
		for (size_t i = 0; i < n; i++) {
			column[i].want = 1 + slu_random(&seed, 40);
			column[i].least = 1 + slu_random(&seed, column[i].want);
			column[i].drop = (unsigned)slu_random(&seed, 4);
		}
		slu_fit(column, n, room, GAP);
		check_answer(column, n, room);
		check_needed(column, n, room);
	}
}
END_TEST

TEST_MAIN("fit", test_columns_of_known_tables, test_columns_of_random_tables)
