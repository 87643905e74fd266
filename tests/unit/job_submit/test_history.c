/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the storage of jobs and their I/O in the history, and its pruning. */
#include "config.h"
#include "tests/unit/job_submit/history_rows.h"
#include "wire/rows.h"
#include "tests/unit/tmpdir.h"
#include "job_submit/history/job_history.h"

/* A value of its own in every field that is kept. */
static void fill(struct slu_job *job)
{
	uint32_t n = 1;

	for (const struct slu_field *f = slu_job_desc.field; f->name;
	     f++, n++) {
		char *at = (char *)job + f->offset;
		bool kept = !strstr(f->name, "completing") &&
			    strcmp(f->name, "down_nodes") != 0 &&
			    strcmp(f->name, "unlaunched") != 0 &&
			    strcmp(f->name, "hurry") != 0 &&
			    strcmp(f->name, "request_size") != 0 &&
			    strcmp(f->name, "file_size") != 0 &&
			    strncmp(f->name, "later_", 6) != 0 &&
			    strcmp(f->name, "ion_pattern") != 0;

		if (!kept)
			continue;
		if (f->type == SLU_T_STR)
			ck_assert_int_gt(asprintf((char **)at, "text %u", n),
					 0);
		else if (f->type == SLU_T_U32)
			*(uint32_t *)at = n;
		else if (f->type == SLU_T_U64)
			*(uint64_t *)at = n + (UINT64_C(1) << 40);
		else if (f->type == SLU_T_I64)
			*(int64_t *)at = n + (INT64_C(1) << 40);
		else if (f->type == SLU_T_DOUBLE)
			*(double *)at = n + 0.25;
		else if (f->type == SLU_T_BOOL)
			*(bool *)at = true;
		else
			ck_abort_msg("field %s", f->name);
	}
}

static int as_text(void *arg, const struct slu_history_row *row,
		   struct slu_err *err)
{
	(void)err;
	*(char **)arg = slu_encode_text(&slu_job_desc, &row->job);
	return 0;
}

START_TEST(test_round_trip)
{
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_job job = {0};
	char *text = NULL, *want;
	struct slu_err err;

	fill(&job);
	/* of a run that goes on */
	job.het_job = job.het_buffers = 0;
	job.suspended_since = job.boot_timeout = 0;
	expect_ok(slu_history_add(db, &job, &err), err);
	expect_ok(slu_history_each(db, &all, as_text, &text, &err), err);
	want = slu_encode_text(&slu_job_desc, &job);
	ck_assert_str_eq(text, want);
	free(text);
	free(want);
	slu_msg_clear(&slu_job_desc, &job);
	slu_db_close(db);
}
END_TEST

static int count_sound(void *arg, const struct slu_history_row *row,
		       struct slu_err *err)
{
	const struct slu_job *j = &row->job;

	(void)err;
	expect(slu_job_ran(j) < INT64_C(1) << 46, "job %u ran for %lld s",
	       j->job_id, (long long)slu_job_ran(j));
	expect(j->end - j->submit - j->eligible - j->prepared < INT64_MAX / 4,
	       "job %u", j->job_id);
	++*(int *)arg;
	return 0;
}

/* Rows with invalid times: each is read once, and nothing overflows. */
START_TEST(test_damaged)
{
	static const char *const bad[] = {"-9223372036854775808",
					  "9223372036854775807",
					  "'x'",
					  "1e300",
					  "-1e18",
					  "-1"};
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_job job = {0};
	struct slu_err err;
	char sql[400];
	int n = 0;

	fill(&job);
	each(b, bad)
	{
		for (int i = 0; i < 2; i++) {
			job.job_id++;
			expect_ok(slu_history_add(db, &job, &err), err);
			snprintf(sql, sizeof(sql),
				 "UPDATE History SET %s = %s, SubmitTime = %s,"
				 " EligibleTime = %s, Prepared = %s, LateBy ="
				 " %s, Suspended = %s WHERE JobID = %u",
				 i ? "EndTime" : "StartTime", *b, *b, *b, *b,
				 *b, *b, job.job_id);
			expect_ok(slu_db_script(db, sql, &err), err);
		}
	}
	expect_ok(slu_history_each(db, &all, count_sound, &n, &err), err);
	ck_assert_int_eq(n, 2 * 6);
	slu_msg_clear(&slu_job_desc, &job);
	slu_db_close(db);
}
END_TEST

static int pack(void *arg, const struct slu_history_row *row,
		struct slu_err *err)
{
	(void)err;
	slu_row_pack(row, arg);
	return 0;
}

/* What teaches is the same, and nothing else is read. */
START_TEST(test_brief_query_trains_the_same)
{
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_buf whole = {0}, brief = {0};
	struct slu_job job = {0};
	char *text = NULL;
	struct slu_err err;

	fill(&job);
	/* of a run that goes on */
	job.het_job = job.het_buffers = 0;
	job.suspended_since = 0;
	expect_ok(slu_history_add(db, &job, &err), err);
	expect_ok(slu_history_each(db, &all, pack, &whole, &err), err);
	for (int i = 0; i < 2; i++) {
		all.brief = true;
		all.uid = i ? job.uid : SLU_NO_ID;
		expect_ok(slu_history_each(db, &all, pack, &brief, &err), err);
		ck_assert_str_eq(brief.data, whole.data);
		slu_buf_reset(&brief);
	}
	expect_ok(slu_history_each(db, &all, as_text, &text, &err), err);
	ck_assert_ptr_null(strstr(text, "work_dir"));
	free(text);
	slu_buf_free(&whole);
	slu_buf_free(&brief);
	slu_msg_clear(&slu_job_desc, &job);
	slu_db_close(db);
}
END_TEST

START_TEST(test_run_is_stored_once)
{
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_job running = {.job_id = 9, .start = 5};
	char ids[64] = "";
	struct slu_err err;

	add(db, 1, 7, 10, 20);
	add(db, 1, 7, 10, 99); /* known */
	add(db, 1, 7, 30, 50); /* requeued: another run */
	add(db, 2, 7, 0, 40);  /* cancelled before it ran */
	expect_fail(slu_history_add(db, &running, &err), err, SLU_INVALID,
		    "job 9 has not ended");
	expect_ok(slu_history_each(db, &all, print_id, ids, &err), err);
	ck_assert_str_eq(ids, "1 2 1 ");
	slu_db_close(db);
}
END_TEST

static const struct {
	const char *stored, *told, *is;
} verdicts[] = {
	{"COMPLETED", "FAILED", "FAILED"},
	{"COMPLETED", "REQUEUED", "COMPLETED"},
	{"CANCELLED", "FAILED", "CANCELLED"},
	{"FAILED", "COMPLETED", "FAILED"},
};

/* A run that has completed may be turned into one that failed, no other. */
START_TEST(test_turned)
{
	struct slu_db *db = new_db();
	struct slu_job job = {.start = 10, .end = 20};
	struct slu_err err;
	int64_t is;

	each(c, verdicts)
	{
		job.job_id++;
		job.state = (char *)(uintptr_t)c->stored;
		job.exit_code = 0;
		expect_ok(slu_history_add(db, &job, &err), err);
		job.state = (char *)(uintptr_t)c->told;
		job.exit_code = 256;
		expect_ok(slu_history_add(db, &job, &err), err);
		expect_ok(slu_db_value(db, &is, 0, &err,
				       "SELECT COUNT(*) FROM History WHERE"
				       " JobID = ? AND State = ? AND"
				       " ExitCode = ?",
				       "Isi", (int64_t)job.job_id, c->is,
				       strcmp(c->is, c->stored) ? 256 : 0),
			  err);
		expect(is == 1, "%s, %s", c->stored, c->told);
	}
	slu_db_close(db);
}
END_TEST

START_TEST(test_import)
{
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_job jobs[] = {{.job_id = 1, .start = 10, .end = 20},
				 {.job_id = 2, .start = 10, .end = 30},
				 {.job_id = 1, .start = 10, .end = 40}};
	struct slu_job running[] = {{.job_id = 3, .start = 10, .end = 20},
				    {.job_id = 4, .start = 10}};
	uint64_t added = 9;
	char ids[64] = "";
	struct slu_err err;

	expect_ok(slu_history_import(db, jobs, 3, &added, &err), err);
	ck_assert_uint_eq(added, 2);
	expect_ok(slu_history_import(db, jobs, 3, &added, &err), err);
	ck_assert_uint_eq(added, 0);
	expect_fail(slu_history_import(db, running, 2, &added, &err), err,
		    SLU_INVALID, "job 4"); /* and none of them */
	expect_ok(slu_history_each(db, &all, print_id, ids, &err), err);
	ck_assert_str_eq(ids, "1 2 ");
	slu_db_close(db);
}
END_TEST

/* Who is to be asked for: in the order of rows, each once, none too early. */
START_TEST(test_uncounted)
{
	struct slu_import_io out[3];
	struct slu_db *db = new_db();
	struct slu_err err;
	int64_t seen = 99;
	bool more;

	expect_ok(slu_history_before(db, 500, &seen, &err), err);
	ck_assert_int_eq(seen, 0);
	add(db, 1, 7, 10, 20); /* too long ago */
	add(db, 2, 7, 100, 520);
	add(db, 3, 7, 100, 530); /* counted */
	expect_ok(add_io(db, 3, 100, "n1", 1, 1, &err), err);
	expect_ok(add_io(db, 3, 100, "n2", 1, 1, &err), err);
	add(db, 4, 7, 100, 510); /* in part */
	expect_ok(add_io(db, 4, 100, "n1", 1, 1, &err), err);
	add(db, 5, 7, 100, 600); /* just now */
	add(db, 6, 7, 100, 540); /* told late */
	expect_ok(slu_history_before(db, 9999, &seen, &err), err);
	ck_assert_int_eq(seen, 6);
	expect_ok(slu_history_before(db, 500, &seen, &err), err);
	ck_assert_int_eq(seen, 1);
	ck_assert_int_eq(
		slu_history_uncounted(db, 500, 590, &seen, out, 3, &more, &err),
		2);
	ck_assert_uint_eq(out[0].job_id, 2);
	ck_assert_uint_eq(out[1].job_id, 4);
	ck_assert_int_eq(out[1].start, 100);
	ck_assert(!more);
	ck_assert_int_eq(
		slu_history_uncounted(db, 500, 590, &seen, out, 3, &more, &err),
		0);
	ck_assert_int_eq(
		slu_history_uncounted(db, 500, 600, &seen, out, 1, &more, &err),
		1);
	ck_assert_uint_eq(out[0].job_id, 5);
	ck_assert(more);
	ck_assert_int_eq(
		slu_history_uncounted(db, 500, 600, &seen, out, 1, &more, &err),
		1);
	ck_assert_uint_eq(out[0].job_id, 6);
	ck_assert_int_eq(
		slu_history_uncounted(db, 500, 600, &seen, out, 1, &more, &err),
		0);
	ck_assert(!more);
	add(db, 7, 7, 100, 99999); /* a wrong clock's */
	add(db, 8, 7, 100, 560);
	seen = 1000; /* rows beyond were pruned, and numbers come again */
	slu_history_uncounted(db, 500, 600, &seen, out, 3, &more, &err);
	seen = 6;
	ck_assert_int_eq(
		slu_history_uncounted(db, 500, 600, &seen, out, 3, &more, &err),
		1);
	ck_assert_uint_eq(out[0].job_id, 8);
	slu_db_close(db);
}
END_TEST

static int count(void *arg, const struct slu_history_row *row,
		 struct slu_err *e)
{
	(void)e;
	ck_assert_double_eq(row->read_bytes, 3);
	++*(int *)arg;
	return 0;
}

/* A run is whole when it is stored and all of its nodes have spoken. */
START_TEST(test_run_is_whole_after_all_reports)
{
	struct slu_db *db = new_db();
	struct slu_err err;
	int64_t rows;
	struct slu_job job = {
		.job_id = 1, .start = 10, .end = 20, .node_cnt = 2};
	int n = 0;

	expect_ok(add_io(db, 1, 10, "n1", 1, 0, &err), err);
	expect_ok(add_io(db, 1, 10, "n2", 2, 0, &err), err);
	expect_ok(slu_history_whole(db, 1, 10, SLU_IO_ACCOUNTING, count, &n,
				    &err),
		  err);
	ck_assert_int_eq(n, 0);
	expect_ok(slu_history_add(db, &job, &err), err);
	expect_ok(slu_history_whole(db, 1, 10, SLU_IO_ACCOUNTING, count, &n,
				    &err),
		  err);
	ck_assert_int_eq(n, 1);
	/* Their rows are one now, and a late word changes nothing. */
	expect_ok(add_io(db, 1, 10, "n2", 99, 0, &err), err);
	expect_ok(slu_history_whole(db, 1, 10, SLU_IO_ACCOUNTING, count, &n,
				    &err),
		  err);
	ck_assert_int_eq(n, 2);
	expect_ok(slu_db_value(db, &rows, 0, &err, "SELECT COUNT(*) FROM JobIo",
			       ""),
		  err);
	ck_assert_int_eq(rows, 1);
	job.job_id = 2;
	expect_ok(slu_history_add(db, &job, &err), err);
	expect_ok(add_io(db, 2, 10, "n1", 3, 0, &err), err);
	expect_ok(slu_history_whole(db, 2, 10, SLU_IO_ACCOUNTING, count, &n,
				    &err),
		  err);
	ck_assert_int_eq(n, 2);
	job.job_id = 3;
	job.node_cnt = 1;
	expect_ok(slu_history_add(db, &job, &err), err);
	expect_ok(add_io(db, 3, 10, "n1", 3, 0, &err), err);
	expect_ok(slu_history_whole(db, 3, 10, SLU_IO_ACCOUNTING, count, &n,
				    &err),
		  err);
	ck_assert_int_eq(n, 3);
	slu_db_close(db);
}
END_TEST

/* Ten jobs that ended at 100, 200, ... */
static const struct {
	int64_t before, rows;
	size_t max;
	long gone;
	const char *left;
} prunings[] = {
	{0, 100, 5, 0, "1 2 3 4 5 6 7 8 9 10 "},
	{100, 10, 5, 0, "1 2 3 4 5 6 7 8 9 10 "},
	{101, 10, 5, 1, "2 3 4 5 6 7 8 9 10 "},
	{401, 100, 3, 3, "4 5 6 7 8 9 10 "},
	{401, 2, 100, 8, "9 10 "},
	{0, 2, 3, 3, "4 5 6 7 8 9 10 "},
	{10000, 100, 100, 10, ""},
};

START_TEST(test_prune)
{
	struct slu_history_query all = {.uid = SLU_NO_ID};

	each(c, prunings)
	{
		struct slu_db *db = new_db();
		char ids[128] = "";
		int64_t with_io = 0, surplus = 0, left;
		struct slu_err err;

		expect_ok(slu_history_prune(db, INT64_MIN, &surplus, 10, &err),
			  err);
		for (uint32_t id = 1; id <= 10; id++) {
			add(db, id, 7, 10, id * 100);
			expect_ok(add_io(db, id, 10, "n1", 1, 1, &err), err);
		}
		expect_ok(slu_history_surplus(db, c->rows, &surplus, &err),
			  err);
		ck_assert_int_eq(surplus, c->rows < 10 ? 10 - c->rows : 0);
		left = surplus < c->gone ? 0 : surplus - c->gone;
		expect(slu_history_prune(db, c->before, &surplus, c->max,
					 &err) == c->gone,
		       "before %lld", (long long)c->before);
		ck_assert_int_eq(surplus, left);
		expect_ok(slu_history_each(db, &all, print_id, ids, &err), err);
		ck_assert_str_eq(ids, c->left);
		expect_ok(slu_db_value(db, &with_io, -1, &err,
				       "SELECT COUNT(*) FROM JobIo", ""),
			  err);
		ck_assert_int_eq(with_io, 10 - c->gone);
		slu_db_close(db);
		unlink(tmpfile_path("h.db"));
	}
}
END_TEST

TEST_MAIN("history", test_prune, test_run_is_whole_after_all_reports,
	  test_round_trip, test_damaged, test_brief_query_trains_the_same,
	  test_run_is_stored_once, test_turned, test_import, test_uncounted)
