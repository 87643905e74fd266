/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the journal of copied ranges against a map of every point of the line
 * of cost (share.h): records of several threads, and any number of restarts. */
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

		ck_assert(
			!slu_journal_open(&j, fileno(f), NULL, &totals, &err));
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

/* Another manifest starts a new journal; a cut file has fewer records, never
 * more. */
START_TEST(test_foreign)
{
	const struct slu_totals other = {3, 2, LINE + 1};
	struct slu_journal_record r = {0}, q = {0};
	struct slu_journal j;
	FILE *f = tmpfile();

	ck_assert(!slu_journal_open(&j, fileno(f), NULL, &totals, &err));
	slu_journal_note(&j, &r, 0, 10);
	slu_journal_note(&j, &q, 20, 30);
	slu_journal_note(&j, &r, 10, 12);
	ck_assert(!ftruncate(fileno(f), lseek(fileno(f), 0, SEEK_END) - 3));
	ck_assert(!slu_journal_open(&j, fileno(f), NULL, &totals, &err));
	ck_assert(slu_journal_has(&j, 0, 12));
	ck_assert(!slu_journal_has(&j, 20, 30));
	slu_journal_close(&j);
	ck_assert(!slu_journal_open(&j, fileno(f), NULL, &other, &err));
	ck_assert(!j.resumed);
	ck_assert(!slu_journal_has(&j, 0, 12));
	ck_assert(!slu_journal_open(&j, fileno(f), NULL, &totals, &err));
	ck_assert(!j.resumed);
	fclose(f);
}
END_TEST

static struct slu_journal_record told[8];
static size_t n_told;

static void tell(uint64_t number, const struct slu_stretch *is)
{
	told[n_told++] = (struct slu_journal_record){number, *is};
}

/* One who may only read says what is to be written. */
START_TEST(test_reader_reports_records)
{
	struct slu_journal_record r = {0}, q = {0};
	struct slu_journal j;
	FILE *f = tmpfile();

	n_told = 0;
	for (int life = 0; life < 2; life++) {
		ck_assert(
			!slu_journal_open(&j, fileno(f), tell, &totals, &err));
		ck_assert_int_eq(j.resumed, life > 0);
		ck_assert_int_eq(slu_journal_has(&j, 20, 30), life > 0);
		if (life == 0) {
			slu_journal_note(&j, &r, 0, 10);
			slu_journal_note(&j, &q, 20, 30);
			slu_journal_note(&j, &r, 10, 12);
			ck_assert_int_eq(lseek(fileno(f), 0, SEEK_END), 0);
			ck_assert_uint_eq(n_told, 4);
			ck_assert_uint_eq(told[0].number, 0);
		}
		for (size_t i = 0; life == 0 && i < n_told; i++)
			ck_assert(!slu_journal_keep(fileno(f), told[i].number,
						    &told[i].is));
		slu_journal_close(&j);
	}
	ck_assert_uint_eq(n_told, 4);
	fclose(f);
}
END_TEST

/* A file that another process has made large is neither read completely nor
 * extended. */
START_TEST(test_oversized_file_is_ignored)
{
	const off_t most = (off_t)SLU_JOURNAL_RECORDS * 16;
	struct slu_journal_record r = {0}, q = {.number = UINT64_MAX};
	struct slu_journal j;
	FILE *f = tmpfile();

	ck_assert(!slu_journal_open(&j, fileno(f), NULL, &totals, &err));
	slu_journal_note(&j, &r, 7, 9);
	slu_journal_close(&j);
	ck_assert(!ftruncate(fileno(f), (off_t)1 << 42));
	expect_ok(slu_journal_open(&j, fileno(f), NULL, &totals, &err), err);
	ck_assert(j.resumed && slu_journal_has(&j, 7, 9));
	slu_journal_close(&j);
	ck_assert(!ftruncate(fileno(f), most - 16));
	expect_ok(slu_journal_open(&j, fileno(f), NULL, &totals, &err), err);
	memset(&r, 0, sizeof(r));
	for (uint64_t i = 0; i < 5; i++)
		slu_journal_note(&j, &r, 10 * i, 10 * i + 1);
	ck_assert_int_eq(lseek(fileno(f), 0, SEEK_END), most);
	slu_journal_close(&j);
	ck_assert(slu_journal_keep(fileno(f), UINT64_MAX / 16, &q.is));
	fclose(f);
}
END_TEST

/* Without a file nothing is known and nothing fails. */
START_TEST(test_no_file_is_no_error)
{
	struct slu_journal_record r = {0};
	struct slu_journal j;

	ck_assert(!slu_journal_open(&j, 0, NULL, &totals, &err));
	slu_journal_note(&j, &r, 0, 10);
	ck_assert(!slu_journal_has(&j, 0, 10));
	slu_journal_close(&j);
}
END_TEST

TEST_MAIN("journal", test_line, test_foreign, test_reader_reports_records,
	  test_oversized_file_is_ignored, test_no_file_is_no_error)
