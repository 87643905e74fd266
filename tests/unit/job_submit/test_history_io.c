/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the storage of jobs' I/O from all sources that report it. */
#include "config.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/tmpdir.h"
#include "job_submit/history/job_history.h"

/* A program's I/O finds the run it was part of; the nodes' own word wins. */
START_TEST(test_import_io)
{
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_import_io io[] = {
		{.job_id = 1,
		 .start = 150,
		 .read_bytes = 5,
		 .written_bytes = 6}, /* in the second run */
		{.job_id = 1,
		 .start = 150,
		 .log = 0x7700000001,
		 .read_bytes = 1,
		 .written_bytes = 1}, /* another program, of the same second */
		{.job_id = 1,
		 .start = 9999,
		 .read_bytes = 7,
		 .written_bytes = 7},
		{.job_id = 2,
		 .start = 150,
		 .read_bytes = 7,
		 .written_bytes = 7}};
	double got[3];
	struct slu_history_counts counts;
	struct slu_err err;

	add(db, 1, 7, 10, 20);
	add(db, 1, 7, 100, 200);
	for (int i = 0; i < 2; i++) { /* repeated: the same */
		expect_ok(slu_history_import_io(db, io, 4, &counts, &err), err);
		ck_assert_uint_eq(counts.added, i ? 0 : 2);
		expect_ok(slu_history_each(db, &all, keep_io, got, &err), err);
		ck_assert_double_eq(got[0], 6);
		ck_assert_double_eq(got[1], 7);
	}
	expect_ok(add_io(db, 1, 100, "n1", 20, 30, &err), err);
	expect_ok(add_io(db, 1, 100, "n2", 1, 2, &err), err);
	expect_ok(slu_history_each(db, &all, keep_io, got, &err), err);
	ck_assert_double_eq(got[0], 21);
	expect_ok(slu_history_import_io(db, io, 4, &counts, &err), err);
	ck_assert_uint_eq(counts.added, 0);
	io[0].start = 101;
	io[0].read_bytes = 40;
	io[1].read_bytes = -1;
	expect_fail(slu_history_import_io(db, io, 2, &counts, &err), err,
		    SLU_INVALID, "job 1"); /* and none of them */
	io[1].read_bytes = 0;
	expect_ok(slu_history_import_io(db, io, 1, &counts, &err), err);
	ck_assert_uint_eq(counts.added, 1);
	slu_db_close(db);
}
END_TEST

/* An old row of the same program, known by its start alone, goes; that of
 * another of the same second stays. */
START_TEST(test_unnamed)
{
	struct slu_db *db = new_db();
	struct slu_import_io io[] = {
		{.job_id = 1,
		 .start = 150,
		 .read_bytes = 5,
		 .written_bytes = 6}, /* as it was once imported */
		{.job_id = 1,
		 .start = 150,
		 .log = 0x7800000001,
		 .read_bytes = 5,
		 .written_bytes = 7},
		{.job_id = 1,
		 .start = 150,
		 .log = 0x7700000001,
		 .read_bytes = 5,
		 .written_bytes = 6}};
	static const int64_t then[] = {1, 2, 2};
	struct slu_history_counts counts;
	struct slu_err err;

	add(db, 1, 7, 100, 200);
	for (size_t n = 1; n <= 3; n++) {
		expect_ok(
			slu_history_import_io(db, &io[n - 1], 1, &counts, &err),
			err);
		ck_assert_int_eq(rows_of_io(db), then[n - 1]);
	}
	expect_ok(slu_history_import_io(db, &io[1], 2, &counts, &err), err);
	ck_assert_uint_eq(counts.added, 0);
	ck_assert_int_eq(rows_of_io(db), 2);
	slu_db_close(db);
}
END_TEST

static int keep_calls(void *arg, const struct slu_history_row *row,
		      struct slu_err *err)
{
	double *got = arg;

	(void)err;
	got[0] = row->read_bytes;
	got[1] = row->calls;
	return 0;
}

/* A log of which more has come since; the most that was said of each program
 * counts. */
START_TEST(test_longer)
{
	static const struct {
		uint64_t log;
		double read, calls;
		double is[2]; /* in the history then */
		char as;      /* new, changed, known */
	} steps[] = {
		{0x100000000,
		 5,
		 1,
		 {5, 1},
		 'n'}, /* cut off in its first file */
		{0x100000000, 6, 1, {6, 1}, 'c'}, /* less so */
		{0x200000000, 1, 1, {7, 2}, 'n'}, /* another program */
		{0x100000007,
		 8,
		 2,
		 {9, 3},
		 'c'}, /* its first timers are there */
		{0x100000007, 9, 2, {10, 3}, 'c'}, /* all is there */
		{0x100000007, 9, 3, {10, 4}, 'c'}, /* but for a file */
		{0x100000007, 8, 2, {10, 4}, 'k'}, /* an old copy */
		{0x100000008,
		 4,
		 1,
		 {14, 5},
		 'n'}, /* again, in the same second */
		{0x200000001, 0, 9, {14, 14}, 'n'}, /* no more of the second */
	};
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_db *db = new_db();
	struct slu_err err;

	add(db, 1, 7, 100, 200);
	each(c, steps)
	{
		struct slu_import_io io = {.job_id = 1,
					   .start = 150,
					   .log = c->log,
					   .read_bytes = c->read,
					   .calls = c->calls};
		double got[2];
		struct slu_history_counts counts;

		expect_ok(slu_history_import_io(db, &io, 1, &counts, &err),
			  err);
		expect_ok(slu_history_each(db, &all, keep_calls, got, &err),
			  err);
		expect(got[0] == c->is[0] && got[1] == c->is[1],
		       "step %td: %g read, %g calls", c - steps, got[0],
		       got[1]);
		ck_assert_uint_eq(counts.added, c->as == 'n');
		ck_assert_uint_eq(counts.changed, c->as == 'c');
	}
	slu_db_close(db);
}
END_TEST

static int keep_source(void *arg, const struct slu_history_row *row,
		       struct slu_err *err)
{
	char *out = arg;

	(void)err;
	sprintf(out, "%u: %g, %g calls", row->io_source, row->read_bytes,
		row->calls);
	return 0;
}

/*
 * The best source wins in any order of arrival, and nothing is counted twice.
 */
START_TEST(test_sources)
{
	static const struct {
		uint32_t source;
		const char *node; /* NULL: imported */
		double bytes, calls;
		const char *then;
	} steps[] = {
		{SLU_IO_ACCOUNTING, NULL, 10, 0, "6: 10, 0 calls"},
		{SLU_IO_ACCOUNTING, NULL, 11, 0, "6: 11, 0 calls"},
		{SLU_IO_DARSHAN, NULL, 20, 5, "5: 20, 5 calls"},
		{SLU_IO_LLITE, "n1", 30, 0, "5: 20, 5 calls"}, /* a part */
		{SLU_IO_LLITE, "n2", 31, 0, "3: 61, 5 calls"}, /* folded */
		{SLU_IO_ACCOUNTING, NULL, 12, 0, "3: 61, 5 calls"},
		{SLU_IO_TASKS, "n1", 1, 0, "3: 61, 5 calls"}, /* too late */
	};
	struct slu_job job = {
		.job_id = 1, .start = 100, .end = 200, .node_cnt = 2};
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_io_report bad = {1, (char[]){"n1"}, 1, 1, SLU_IO_DARSHAN};
	struct slu_io_runs runs = {0};
	struct slu_err err;
	char got[64];
	bool whole;

	expect_ok(slu_history_add(db, &job, &err), err);
	each(c, steps)
	{
		struct slu_import_io in = {.job_id = 1,
					   .start = 100,
					   .read_bytes = c->bytes,
					   .calls = c->calls,
					   .source = c->source};
		struct slu_io_report io = {.job_id = 1,
					   .node = (char *)(uintptr_t)c->node,
					   .read_bytes = c->bytes,
					   .source = c->source};
		struct slu_history_counts counts;

		if (c->node)
			expect_ok(slu_history_io(db, &io, 100, &runs, &whole,
						 &err),
				  err);
		else
			expect_ok(slu_history_import_io(db, &in, 1, &counts,
							&err),
				  err);
		expect_ok(slu_history_each(db, &all, keep_source, got, &err),
			  err);
		expect(strcmp(got, c->then) == 0, "step %td: %s", c - steps,
		       got);
	}
	ck_assert_int_eq(rows_of_io(db), 3);
	expect_fail(slu_history_io(db, &bad, 100, &runs, &whole, &err), err,
		    SLU_INVALID, "source 5");
	slu_db_close(db);
}
END_TEST

/* Reports of forwarding daemons come before all others, also the report that
 * the job is unknown. */
START_TEST(test_forwarded)
{
	static const struct {
		double bytes;
		const char *then;
	} cases[] = {{0, "7: 0, 0 calls"}, {80, "7: 80, 0 calls"}};
	const struct slu_job job = {
		.job_id = 1, .start = 100, .end = 200, .node_cnt = 1};
	struct slu_import_io in = {.job_id = 1,
				   .start = 100,
				   .read_bytes = 3,
				   .source = SLU_IO_ACCOUNTING};
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_history_counts counts;
	struct slu_db *db = new_db();
	int64_t start = 0;
	struct slu_err err;
	char got[64];

	expect_ok(slu_history_add(db, &job, &err), err);
	expect_ok(add_io(db, 1, 100, "n1", 2, 0, &err), err);
	expect_ok(slu_history_import_io(db, &in, 1, &counts, &err), err);
	each(c, cases)
	{
		struct slu_server_job seen = {.job_id = 1,
					      .read_bytes = c->bytes};

		start = 0;
		ck_assert_int_eq(
			slu_history_forwarded(db, &seen, &start, 150, &err), 1);
		ck_assert_int_eq(start, 100);
		expect_ok(slu_history_each(db, &all, keep_source, got, &err),
			  err);
		ck_assert_str_eq(got, c->then);
	}
	start = 0;
	ck_assert_int_eq(
		slu_history_forwarded(db, &(struct slu_server_job){.job_id = 2},
				      &start, 150, &err),
		0);
	slu_db_close(db);
}
END_TEST

/* A buffer in which nothing was written hides nothing that others have seen. */
START_TEST(test_idle_buffer)
{
	static const struct {
		double bytes; /* in the buffer; 9 at the server */
		const char *then;
		long served;
	} cases[] = {{0, "4: 9, 0 calls", 1}, {5, "1: 5, 0 calls", 0}};
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_import_io run[2];
	struct slu_err err;
	char got[64];

	each(c, cases)
	{
		const struct slu_job job = {
			.job_id = 1, .start = 100, .end = 200, .node_cnt = 1};
		const struct slu_server_job seen = {.job_id = 1,
						    .read_bytes = 9};
		const struct slu_io_report io = {.job_id = 1,
						 .node = (char *)"n1",
						 .read_bytes = c->bytes,
						 .source = SLU_IO_BUFFER};
		struct slu_io_runs runs = {0};
		struct slu_db *db = new_db();
		int64_t at = 0;
		bool whole, more;

		expect_ok(slu_history_add(db, &job, &err), err);
		expect_ok(slu_history_io(db, &io, 100, &runs, &whole, &err),
			  err);
		ck_assert_int_eq(
			slu_history_server_io(db, "s", &seen, 100, 0, &err), 1);
		expect_ok(slu_history_each(db, &all, keep_source, got, &err),
			  err);
		ck_assert_str_eq(got, c->then);
		ck_assert_int_eq(slu_history_served(db, 0, 1000, &at, run, 2,
						    &more, &err),
				 c->served);
		slu_db_close(db);
	}
}
END_TEST

/* A run is whole with the word that was missing, whoever speaks twice, when the
 * run is stored, and what has been forgotten. */
START_TEST(test_run_is_whole_with_missing_report)
{
	static const struct {
		uint32_t nodes; /* != 0: the run is stored now */
		const char *node;
		bool forget; /* before it: a restart */
		bool whole;
		int64_t rows; /* after it */
		bool undone;
	} steps[] = {
		{0, "n1", false, false, 1, false},
		{0, "n2", false, false, 2, false},
		{0, "n2", false, false, 2, false},
		{4, "n2", false, false, 2, false},
		{0, "n2", false, false, 2, false},
		{0, "n3", false, false, 3, false},
		{0, "n3", true, false, 3, false},
		{0, "n1", false, false, 3, false},
		{0, "n4", false, true, 1, true},
		{0, "n4", false, true, 1, false},
		{0, "n4", false, false, 1, false},
	};
	struct slu_db *db = new_db();
	struct slu_io_runs runs = {0};
	struct slu_err err;
	bool whole;

	each(c, steps)
	{
		struct slu_job job = {.job_id = 1,
				      .start = 100,
				      .end = 200,
				      .node_cnt = c->nodes};
		struct slu_io_report io = {.job_id = 1,
					   .node = (char *)(uintptr_t)c->node,
					   .read_bytes = 1};

		if (c->nodes)
			expect_ok(slu_history_add(db, &job, &err), err);
		if (c->forget)
			runs = (struct slu_io_runs){0};
		expect_ok(slu_db_begin(db, &err), err);
		expect_ok(slu_history_io(db, &io, 100, &runs, &whole, &err),
			  err);
		expect(whole == c->whole && rows_of_io(db) == c->rows,
		       "step %td: %d, %lld rows", c - steps, whole,
		       (long long)rows_of_io(db));
		if (c->undone)
			slu_db_rollback(db);
		else
			expect_ok(slu_db_commit(db, &err), err);
	}
	slu_db_close(db);
}
END_TEST

/* More runs end at once than are remembered. */
START_TEST(test_many_runs)
{
	struct slu_db *db = new_db();
	struct slu_io_runs runs = {0};
	struct slu_io_report io = {.node = (char[]){"n1"}};
	uint32_t wholes = 0;
	struct slu_err err;
	bool whole;

	for (uint32_t id = 1; id <= SLU_IO_RUNS + 9; id++)
		add(db, id, 7, 100, 200);
	for (; io.node[1] <= '2'; io.node[1]++)
		for (io.job_id = 1; io.job_id <= SLU_IO_RUNS + 9; io.job_id++) {
			expect_ok(slu_history_io(db, &io, 100, &runs, &whole,
						 &err),
				  err);
			wholes += whole;
		}
	ck_assert_uint_eq(wholes, SLU_IO_RUNS + 9);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("history_io", test_longer, test_unnamed, test_import_io, test_sources,
	  test_run_is_whole_with_missing_report, test_forwarded,
	  test_idle_buffer, test_many_runs)
