/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the fetching of jobs' totals from a simulated sacct, which knows the
 * end of every job but those of `young`, and fails as the shell line `trouble`
 * does.
 */
#include "config.h"
#include "sluiced/ingestion/totals.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static struct slu_sacct_totals totals;
static struct slu_loop *loop;
static struct slu_log quiet;
static struct slu_conf conf;
static struct slu_write_batch batch;
static struct slu_history history;
static char sacct[512];

/* Knows the end of every job but those of `young`; fails on what `trouble`
 * does, a line of sh that finds the jobs in $ids. */
static void set_sacct(const char *trouble, const char *young)
{
	FILE *f;

	snprintf(sacct, sizeof(sacct), "%s", tmpfile_path("sacct"));
	f = fopen(sacct, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f,
		"#!/bin/sh\nfor ids; do :; done\n"
		"%s\necho 'JobID|JobIDRaw|UID|Start|End|State|NNodes|"
		"TRESUsageInTot|TRESUsageOutTot'\n"
		"for id in $(echo $ids | tr , ' '); do case $id in %s) ;; *)\n"
		"echo \"$id|$id|0|2026-01-02T00:00:00|2026-01-02T01:00:00|"
		"COMPLETED|1||\";; esac; done\n",
		trouble, young);
	ck_assert_int_eq(fchmod(fileno(f), 0755), 0);
	fclose(f);
}

static void open_all(int jobs)
{
	int64_t now = (int64_t)slu_now_wall();
	struct tm tm = {.tm_year = 126, .tm_mday = 2, .tm_isdst = -1};
	struct slu_job job = {
		.start = mktime(&tm), .end = now - 100, .node_cnt = 1};
	struct slu_err err;

	loop = slu_loop_new(NULL);
	conf.job_totals = sacct;
	history = (struct slu_history){
		.db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err),
		.batch = &batch,
		.log = &quiet,
		.conf = &conf};
	ck_assert_ptr_nonnull(history.db);
	slu_write_batch_init(&batch, loop, history.db);
	for (int i = 1; i <= jobs; i++) {
		job.job_id = (uint32_t)i;
		expect_ok(slu_history_add(history.db, &job, &err), err);
	}
	slu_totals_start(&totals, loop, &history);
}

static void close_all(void)
{
	slu_totals_stop(&totals);
	slu_db_close(history.db);
	slu_loop_free(loop);
}

/* One question; returns whether there was one. */
static bool question(void)
{
	totals.timer.fn(totals.timer.arg);
	if (!totals.child)
		return false;
	while (totals.child)
		slu_loop_turn(loop, 0.05, NULL);
	return true;
}

static void later(void)
{
	for (size_t i = 0; i < totals.n; i++)
		totals.run[i].due = 0;
}

/* A job that sacct fails on is found and given up; the others are answered. */
START_TEST(test_one_bad)
{
	int n = 0;

	set_sacct("case ,$ids, in *,3,*) echo 'sacct: error: no'; exit 1;; "
		  "esac",
		  "-");
	open_all(20);
	for (; n < 20 && totals.n != 1; n++)
		question(), later();
	ck_assert_uint_eq(totals.n, 1);
	ck_assert_uint_eq(totals.run[0].job_id, 3);
	for (n = 0; n < 2 * SLU_TOTALS_TRIES && totals.n; n++)
		question(), later();
	ck_assert_uint_eq(totals.n, 0);
	ck_assert_int_le(n, SLU_TOTALS_TRIES);
	close_all();
}
END_TEST

/* An answer that is too long for all is not for some. */
START_TEST(test_too_long)
{
	set_sacct("case $ids in *,*,*,*,*,*) head -c 17000000 /dev/zero;; esac",
		  "-");
	open_all(20);
	for (int n = 0; n < 20 && (!n || totals.n); n++)
		question(), later();
	ck_assert_uint_eq(totals.n, 0);
	close_all();
}
END_TEST

/* While slurmdbd is away nothing counts and nothing is lost; who says that it
 * may be back need not wait. */
START_TEST(test_slurmdbd_is_away)
{
	set_sacct("echo 'sacct: error: Problem talking to the database: "
		  "Connection refused'; exit 1",
		  "-");
	open_all(1);
	for (int n = 0; n < 2 * SLU_TOTALS_TRIES; n++)
		question(), later();
	ck_assert_uint_eq(totals.n, 1);
	ck_assert_uint_eq(totals.run[0].tries, 0);
	ck_assert_double_gt(totals.timer.due, slu_now_mono() + 600);
	slu_totals_retry(&totals);
	ck_assert_double_lt(totals.timer.due, slu_now_mono() + 60);
	close_all();
}
END_TEST

/* Who is not known yet is not asked for again at once, whoever waits. */
START_TEST(test_young)
{
	set_sacct("", "7");
	open_all(SLU_TOTALS_MAX + 50);
	ck_assert(question());
	ck_assert_uint_eq(totals.n, 1);
	ck_assert(totals.more);
	ck_assert(question());
	ck_assert_uint_eq(totals.n, 1);
	ck_assert_uint_eq(totals.run[0].job_id, 7);
	ck_assert_uint_eq(totals.run[0].tries, 1);
	ck_assert(!question());
	later();
	ck_assert(question());
	ck_assert_uint_eq(totals.run[0].tries, 2);
	close_all();
}
END_TEST

TEST_MAIN("sluiced_totals", test_one_bad, test_too_long, test_slurmdbd_is_away,
	  test_young)
