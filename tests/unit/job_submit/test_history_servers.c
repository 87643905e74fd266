/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the storage of the I/O of jobs that servers of Lustre report. */
#include "config.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/tmpdir.h"
#include "job_submit/history/job_history.h"

/* Of what a server has seen of a job, in all its runs, what belongs to one. */
START_TEST(test_server)
{
	static const struct {
		int64_t start, when;
		double bytes; /* read; as many written, and half the RPCs */
		int known;
		double of[2]; /* the two runs then have read */
		const char *server;
	} cases[] = {
		{10, 20, 100, 1, {100, 0}, "oss1"},
		{10, 20, 50, 1, {100, 0}, "oss1"}, /* it came late */
		{10, 20, 130, 1, {130, 0}, "oss1"},
		{10, 20, 7, 1, {137, 0}, "oss2"},
		{0, 500, 140, 1, {147, 0}, "oss1"}, /* who ran then? */
		{0, 5, 999, 0, {147, 0}, "oss1"},
		{0, 20000, 999, 0, {147, 0}, "oss1"},
		{0, 2100, 150, 1, {147, 10}, "oss1"}, /* it is the second */
		{2000, 2100, 150, 1, {147, 10}, "oss1"},
		{2000, 2100, 30, 1, {147, 30}, "oss1"}, /* it has forgotten */
		{2000, 2100, 0, 1, {147, 30}, "oss3"},
	};
	struct slu_db *db = new_db();
	struct slu_err err;

	add(db, 1, 7, 10, 1000);
	add(db, 1, 7, 2000, 3000);
	each(c, cases)
	{
		struct slu_server_job io = {.job_id = 1,
					    .read_bytes = c->bytes,
					    .written_bytes = c->bytes,
					    .rpcs = c->bytes / 2};
		int64_t sum[2];

		ck_assert_int_eq(slu_history_server_io(db, c->server, &io,
						       c->start, c->when, &err),
				 c->known);
		for (int i = 0; i < 2; i++) {
			expect_ok(
				slu_db_value(db, &sum[i], 0, &err,
					     "SELECT CAST(coalesce(SUM("
					     "ReadBytes + WrittenBytes + 2 *"
					     " Calls), 0) / 3 AS INTEGER) FROM"
					     " JobIo WHERE StartTime = ? AND"
					     " Source = 4",
					     "I", (int64_t)(i ? 2000 : 10)),
				err);
			expect(sum[i] == (int64_t)c->of[i], "%d %g: run %d %g",
			       (int)(c - cases), c->bytes, i, (double)sum[i]);
		}
	}
	slu_db_close(db);
}
END_TEST

static int keep_rpcs(void *arg, const struct slu_history_row *row,
		     struct slu_err *e)
{
	(void)e;
	ck_assert_double_eq(row->calls, 0); /* they are no application's */
	*(double *)arg = row->rpcs;
	return 0;
}

/* Runs that only servers speak of are handed out once, each as a whole. */
START_TEST(test_server_sums_come_once)
{
	const struct slu_server_job io = {
		.job_id = 2, .read_bytes = 4, .written_bytes = 4, .rpcs = 3};
	const struct slu_server_job wrong[] = {
		{2, -1, 0, 0, 0, 0, NULL},  {2, 0, 1e19, 0, 0, 0, NULL},
		{2, NAN, 0, 0, 0, 0, NULL}, {2, 0, 0, -1, 0, 0, NULL},
		{2, 0, 0, 0, 0, -1, NULL},  {2, 0, 0, 0, 0, 1e19, NULL}};
	struct slu_db *db = new_db();
	struct slu_import_io out[3];
	struct slu_err err;
	double rpcs = 0;
	int64_t seen = 0;
	bool more;

	add(db, 1, 7, 100, 540); /* nobody has spoken */
	add(db, 2, 7, 100, 550);
	add(db, 3, 7, 100, 560); /* its nodes have, too */
	expect_ok(add_io(db, 3, 100, "n1", 1, 0, &err), err);
	expect_ok(add_io(db, 3, 100, "n2", 1, 0, &err), err);
	expect_ok(add_io(db, 2, 100, "n1", 1, 0, &err), err);
	for (uint32_t id = 2; id <= 3; id++) {
		struct slu_server_job j = io;

		j.job_id = id;
		ck_assert_int_eq(
			slu_history_server_io(db, "oss1", &j, 100, 0, &err), 1);
	}
	ck_assert_int_eq(
		slu_history_served(db, 500, 590, &seen, out, 3, &more, &err),
		1);
	ck_assert_uint_eq(out[0].job_id, 2);
	ck_assert_int_eq(
		slu_history_served(db, 500, 590, &seen, out, 3, &more, &err),
		0);
	expect_ok(slu_history_whole(db, 2, 100, SLU_IO_ACCOUNTING, keep_rpcs,
				    &rpcs, &err),
		  err);
	ck_assert_double_eq(rpcs, 0);
	expect_ok(slu_history_whole(db, 2, 100, SLU_IO_JOBSTATS, keep_rpcs,
				    &rpcs, &err),
		  err);
	ck_assert_double_eq(rpcs, 3);
	each(w, wrong)
		expect_fail(slu_history_server_io(db, "oss1", w, 100, 0, &err),
			    err, SLU_INVALID, "job 2");
	slu_db_close(db);
}
END_TEST

static int keep_metadata(void *arg, const struct slu_history_row *row,
			 struct slu_err *e)
{
	double *out = arg;

	(void)e;
	out[0] = row->read_bytes + row->written_bytes;
	out[1] = row->metadata_ops;
	out[2] = row->io_source;
	return 0;
}

static void count_metadata(struct slu_db *db, const char *server, int64_t start,
			   double ops)
{
	const struct slu_server_job io = {.job_id = 1, .metadata_ops = ops};
	struct slu_err err;

	ck_assert_int_eq(slu_history_server_io(db, server, &io, start, 0, &err),
			 1);
}

/* Operations of metadata say nothing about bytes: who counts these is asked all
 * the same. They are by run, the sum of all MDTs, and one row in the end. */
START_TEST(test_metadata)
{
	struct slu_history_query all = {.uid = SLU_NO_ID};
	int64_t seen = 0, none = 0, folded = 0, n;
	struct slu_db *db = new_db();
	struct slu_import_io out[3];
	struct slu_job_moved moved;
	struct slu_err err;
	double got[3];
	bool more;

	add(db, 1, 7, 10, 500);
	add(db, 1, 7, 1000, 1500);
	count_metadata(db, "mds1", 10, 100);
	count_metadata(db, "mds1", 1000, 130);
	count_metadata(db, "mds2", 1000, 4);
	count_metadata(db, "mds2", 1000, 5);
	expect_ok(slu_history_each(db, &all, keep_metadata, got, &err), err);
	ck_assert_double_eq(got[0], 0);
	ck_assert_double_eq(got[1], 35); /* of the second run */
	ck_assert_double_eq(got[2], 0);
	expect_ok(slu_history_moved(db, 1, 1000, &moved, &err), err);
	ck_assert_double_eq(moved.metadata_ops, 35);
	ck_assert_double_eq(moved.read_bytes, 0);
	ck_assert_int_eq(
		slu_history_metadata(db, 0, 1500, &seen, out, 3, &more, &err),
		2);
	ck_assert_int_eq(out[1].start, 1000);
	ck_assert_int_eq(
		slu_history_served(db, 0, 1500, &none, out, 3, &more, &err), 0);
	none = 0;
	ck_assert_int_eq(
		slu_history_uncounted(db, 0, 1500, &none, out, 3, &more, &err),
		2);
	expect_ok(add_io(db, 1, 1000, "*", 20, 30, &err), err);
	expect_ok(slu_history_each(db, &all, keep_metadata, got, &err), err);
	ck_assert_double_eq(got[0], 50);
	ck_assert_double_eq(got[1], 35);
	ck_assert_double_eq(got[2], SLU_IO_TASKS);
	ck_assert_int_eq(slu_history_fold_servers(db, 1501 + SLU_HISTORY_SPOKEN,
						  &folded, &more, &err),
			 1);
	expect_ok(slu_db_value(db, &n, 0, &err,
			       "SELECT COUNT(*) FROM JobIo WHERE Source = 8 AND"
			       " StartTime = 1000",
			       ""),
		  err);
	ck_assert_int_eq(n, 1);
	count_metadata(db, "mds2", 1000, 99); /* it is too late to say so */
	expect_ok(slu_history_each(db, &all, keep_metadata, got, &err), err);
	ck_assert_double_eq(got[1], 35);
	slu_db_close(db);
}
END_TEST

static int keep_by_fs(void *arg, const struct slu_history_row *row,
		      struct slu_err *e)
{
	struct slu_buf *out = arg;

	(void)e;
	slu_buf_reset(out);
	slu_buf_printf(out, "%.0f %.0f %.0f %.0f: %s", row->read_bytes,
		       row->written_bytes, row->rpcs, row->metadata_ops,
		       row->by_fs ? row->by_fs : "");
	return 0;
}

static void expect_by_fs(struct slu_db *db, int64_t start, const char *want)
{
	struct slu_buf got = {0};
	struct slu_err err;

	expect_ok(slu_history_whole(db, 1, start, SLU_IO_JOBSTATS, keep_by_fs,
				    &got, &err),
		  err);
	ck_assert_str_eq(got.data, want);
	slu_buf_free(&got);
}

static void serve(struct slu_db *db, const char *server, int64_t start,
		  double read, double ops, const char *by_fs)
{
	const struct slu_server_job io = {.job_id = 1,
					  .read_bytes = read,
					  .rpcs = read / 10,
					  .metadata_ops = ops,
					  .by_fs = (char *)(uintptr_t)by_fs};
	struct slu_err err;

	ck_assert_int_eq(slu_history_server_io(db, server, &io, start, 0, &err),
			 1);
}

/* What servers say of file systems is kept by file system, and the sums are as
 * without; also of servers that do not say it, of one that begins to, of an
 * earlier run, and when the rows are merged. */
START_TEST(test_by_file_system)
{
	static const char all[] =
		"450 0 45 9: home 0 0 0 2,scratch 0 0 0 7,home 100 0 10 0,"
		"scratch 300 0 30 0,? 50 0 5 0";
	struct slu_db *db = new_db();
	struct slu_job_moved moved;
	int64_t seen = 0;
	struct slu_err err;
	bool more;

	add(db, 1, 7, 10, 500);
	add(db, 1, 7, 1000, 1500);
	serve(db, "oss1", 10, 40, 0, NULL); /* of an earlier release */
	serve(db, "oss1", 10, 50, 0, "scratch 50 0 5 0");
	expect_by_fs(db, 10, "50 0 5 0: scratch 50 0 5 0");
	serve(db, "oss1", 10, 30, 0, "scratch 30 0 3 0"); /* has forgotten */
	expect_by_fs(db, 10, "50 0 5 0: scratch 50 0 5 0");
	serve(db, "oss1", 1000, 300, 0, "scratch 250 0 25 0,home 50 0 5 0");
	serve(db, "oss2", 1000, 50, 0, NULL);
	serve(db, "oss3", 1000, 150, 0, "scratch 100 0 10 0,home 50 0 5 0");
	serve(db, "mds1", 1000, 0, 9, "scratch 0 0 0 7,home 0 0 0 2");
	expect_by_fs(db, 1000, all);
	expect_ok(slu_history_moved(db, 1, 1000, &moved, &err), err);
	ck_assert_double_eq(moved.read_bytes, 450);
	ck_assert_str_eq(moved.by_fs, strstr(all, "home"));
	free(moved.by_fs);
	ck_assert_int_eq(rows_of_io(db), 8);
	ck_assert_int_eq(slu_history_fold_servers(db, 1501 + SLU_HISTORY_SPOKEN,
						  &seen, &more, &err),
			 1);
	ck_assert_int_eq(rows_of_io(db), 6);
	expect_by_fs(db, 1000, all);
	serve(db, "oss1", 1000, 999, 0, "scratch 999 0 99 0"); /* too late */
	expect_by_fs(db, 1000, all);
	slu_db_close(db);
}
END_TEST

START_TEST(test_wrong_shares)
{
	static const char *const wrong[] = {"scratch", "scratch 1e19 0 0 0",
					    "/home 1 1 1 1"};
	struct slu_db *db = new_db();
	struct slu_err err;

	add(db, 1, 7, 10, 500);
	each(w, wrong)
	{
		struct slu_server_job io = {.job_id = 1,
					    .read_bytes = 1,
					    .by_fs = (char *)(uintptr_t)*w};

		expect_fail(slu_history_server_io(db, "oss1", &io, 10, 0, &err),
			    err, SLU_INVALID, "job 1");
	}
	ck_assert_int_eq(rows_of_io(db), 0);
	slu_db_close(db);
}
END_TEST

/* Long after a run its servers' rows are one, that says the same; not of a run
 * after which the job ran again. */
START_TEST(test_fold_servers)
{
	static const char *const server[] = {"oss1", "oss2", "oss3"};
	struct slu_db *db = new_db();
	int64_t seen = 0, end = 1000, now = end + SLU_HISTORY_SPOKEN;
	struct slu_err err;
	double rpcs = 0;
	bool more;

	add(db, 1, 7, 10, end);
	add(db, 2, 7, 10, end - 500);
	add(db, 2, 7, 600, end);
	for (size_t i = 0; i < 6; i++) {
		struct slu_server_job io = {.job_id = 1 + (uint32_t)i / 3,
					    .read_bytes = 7,
					    .rpcs = 5};
		int64_t start = i == 5 ? 600 : 10;

		ck_assert_int_eq(slu_history_server_io(db, server[i % 3], &io,
						       start, 20, &err),
				 1);
	}
	for (int i = 0; i < 4; i++) {
		struct slu_server_job late = {
			.job_id = 1, .read_bytes = 9 + i, .rpcs = 9};

		ck_assert_int_eq(slu_history_fold_servers(db, now - 1 + i / 2,
							  &seen, &more, &err),
				 i == 2 ? 1 : 0);
		ck_assert_int_eq(rows_of_io(db), i < 2 ? 6 : 4);
		expect_ok(slu_history_whole(db, 1, 10, SLU_IO_JOBSTATS,
					    keep_rpcs, &rpcs, &err),
			  err);
		ck_assert_double_eq(rpcs, 15);
		if (i >= 2) /* it is too late to speak */
			ck_assert_int_eq(slu_history_server_io(db, "oss1",
							       &late, 10, 20,
							       &err),
					 1);
	}
	slu_db_close(db);
}
END_TEST

TEST_MAIN("history_servers", test_by_file_system, test_wrong_shares,
	  test_metadata, test_fold_servers, test_server,
	  test_server_sums_come_once)
