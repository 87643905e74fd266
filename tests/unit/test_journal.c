/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"
#include <unistd.h>
#include "burst_buffer/staging/journal.h"

#define LINE 4000

static struct slu_err err;
static const struct slu_totals totals = {3, 2, LINE};

/* Against a map of every point of the line: several threads' records, any
 * number of lives. */
static void check_line(void)
{
	static bool done[LINE];
	struct slu_journal j;
	FILE *f = tmpfile();

	memset(done, 0, sizeof(done));
	for (int life = 0; life < 4; life++) {
		struct slu_journal_record r[5] = {0};

		ck_assert(!slu_journal_open(&j, fileno(f), &totals, &err));
		ck_assert_int_eq(j.resumed, life > 0);
		for (int i = 0; i < 300; i++) {
			uint64_t a = (uint64_t)random() % LINE;
			uint64_t b = a + (uint64_t)random() % (LINE - a);
			bool all = true;

			for (uint64_t k = a; k < b; k++)
				all &= done[k];
			if (b > a)
				ck_assert_int_eq(slu_journal_has(&j, a, b),
						 all);
		}
		for (int i = 0; i < 100; i++) {
			struct slu_journal_record *one = &r[random() % 5];
			uint64_t a = random() % 3 ? one->is.end
						  : (uint64_t)random() % LINE;
			uint64_t b = a + (uint64_t)random() % 20 + 1;

			b = b < LINE ? b : LINE;
			if (a >= b)
				continue;
			slu_journal_note(&j, one, a, b);
			memset(done + a, true, b - a);
		}
		slu_journal_close(&j);
	}
	fclose(f);
}

START_TEST(test_line)
{
	srandom(5);
	for (int i = 0; i < 50; i++)
		check_line();
}
END_TEST

/* Another manifest begins anew; a cut file says less, never more. */
START_TEST(test_foreign)
{
	const struct slu_totals other = {3, 2, LINE + 1};
	struct slu_journal_record r = {0}, q = {0};
	struct slu_journal j;
	FILE *f = tmpfile();

	ck_assert(!slu_journal_open(&j, fileno(f), &totals, &err));
	slu_journal_note(&j, &r, 0, 10);
	slu_journal_note(&j, &q, 20, 30);
	slu_journal_note(&j, &r, 10, 12);
	ck_assert(!ftruncate(fileno(f), lseek(fileno(f), 0, SEEK_END) - 3));
	ck_assert(!slu_journal_open(&j, fileno(f), &totals, &err));
	ck_assert(slu_journal_has(&j, 0, 12));
	ck_assert(!slu_journal_has(&j, 20, 30));
	slu_journal_close(&j);
	ck_assert(!slu_journal_open(&j, fileno(f), &other, &err));
	ck_assert(!j.resumed);
	ck_assert(!slu_journal_has(&j, 0, 12));
	ck_assert(!slu_journal_open(&j, fileno(f), &totals, &err));
	ck_assert(!j.resumed);
	fclose(f);
}
END_TEST

/* Without a file nothing is known and nothing fails. */
START_TEST(test_none)
{
	struct slu_journal_record r = {0};
	struct slu_journal j;

	ck_assert(!slu_journal_open(&j, 0, &totals, &err));
	slu_journal_note(&j, &r, 0, 10);
	ck_assert(!slu_journal_has(&j, 0, 10));
	slu_journal_close(&j);
}
END_TEST

TEST_MAIN("journal", test_line, test_foreign, test_none)
