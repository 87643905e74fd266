/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the expiry of kept data by its date and its recorded age: it is not
 * removed too early, however the clocks are changed, and is removed in the end.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/storage/kept_age.h"

#define LEAST 1000

/* The time that really passes, and what a node knows of it. */
struct node {
	int64_t real, booted;
	int boots;
};

static int64_t look(const struct node *n)
{
	struct slu_uptime up = {.seconds = n->real - n->booted};

	snprintf(up.boot, sizeof(up.boot), "boot-%d", n->boots);
	return slu_kept_age(tmpdir(), &up);
}

static void restart(struct node *n, int64_t down)
{
	n->real += down;
	n->booted = n->real;
	n->boots++;
}

START_TEST(test_ages)
{
	struct node n = {.real = 5000};

	ck_assert_int_eq(look(&n), 0);
	n.real += 300;
	ck_assert_int_eq(look(&n), 300);
	ck_assert_int_eq(look(&n), 300);
	restart(&n, 100000); /* nobody saw that */
	ck_assert_int_eq(look(&n), 300);
	n.real += 10;
	ck_assert_int_eq(look(&n), 310);
}
END_TEST

/* Never older than the time that has passed, however often it is looked and the
 * node restarted; and a node that stays up gets there. */
START_TEST(test_never_older_than_real_time)
{
	uint64_t seed = 11;

	for (int run = 0; run < 200; run++) {
		struct node n = {.real = 100, .boots = run * 1000};
		int64_t begun = n.real;

		unlink(tmpfile_path("age"));
		for (int i = 0; i < 50; i++) {
			n.real += (int64_t)slu_random(&seed, 60);
			if (!slu_random(&seed, 5))
				restart(&n, (int64_t)slu_random(&seed, 500));
			if (slu_random(&seed, 2))
				ck_assert_int_le(look(&n), n.real - begun);
		}
		look(&n);
		n.real += LEAST;
		ck_assert_int_ge(look(&n), LEAST);
	}
}
END_TEST

/* A note that was overwritten with garbage counts as none. */
START_TEST(test_spoilt_note_counts_as_none)
{
	static const char *const texts[] = {
		"",
		"x",
		"boot-0 1",
		"boot-0 -5 1000000",
		"boot-0 1 -1",
		"boot-0 99999999999999999999 5",
		"a-very-long-boot-id-that-does-not-fit-into-its-place 1 1"};
	struct node n = {.real = 5000};

	each(t, texts)
	{
		FILE *f = fopen(tmpfile_path("age"), "w");

		fputs(*t, f);
		fclose(f);
		ck_assert_int_le(look(&n), 5000);
		n.real += 7;
		ck_assert_int_ge(look(&n), 7);
	}
}
END_TEST

TEST_MAIN("kept age", test_ages, test_never_older_than_real_time,
	  test_spoilt_note_counts_as_none)
