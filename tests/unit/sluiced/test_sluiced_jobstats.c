/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests what sluiced sends to slurmctld of the I/O that Lustre's servers
 * counted for a job (lustre_totals.h): once after its end, regularly while it
 * runs.
 */
#include "config.h"
#include "sluiced/ingestion/lustre_totals.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_history history;
static struct slu_loop *loop;
static struct slu_err err;
static unsigned sent, moved_sent;
static unsigned metadata_sent;
static double bytes, ops;
static size_t n_moved;
static struct slu_job_moved last_moved;
static char moved_fs[100];
static unsigned fs_sent;
static char fs_said[2][100];

void __wrap_slu_control_send(struct slu_control *c, const struct slu_desc *desc,
			     const void *msg);

void __wrap_slu_control_send(struct slu_control *c, const struct slu_desc *desc,
			     const void *msg)
{
	const struct slu_jobs_moved *moved = msg;

	(void)c;
	if (desc == &slu_jobs_moved_desc) {
		moved_sent++;
		n_moved = moved->n_jobs;
		if (n_moved)
			last_moved = moved->jobs[n_moved - 1];
		snprintf(moved_fs, sizeof(moved_fs), "%s",
			 n_moved && last_moved.by_fs ? last_moved.by_fs : "");
		return;
	}
	if (desc == &slu_fs_row_desc) {
		const char *by_fs =
			((const struct slu_history_row *)msg)->by_fs;

		snprintf(fs_said[fs_sent++ % 2], sizeof(fs_said[0]), "%s",
			 by_fs ? by_fs : "");
		return;
	}
	if (desc == &slu_metadata_row_desc) {
		metadata_sent++;
		ops = ((const struct slu_history_row *)msg)->metadata_ops;
		return;
	}
	ck_assert_ptr_eq(desc, &slu_history_row_desc);
	sent++;
	bytes = ((const struct slu_history_row *)msg)->written_bytes;
}

/* A job that ended so many seconds ago. */
static void add(uint32_t id, int64_t ago)
{
	int64_t now = (int64_t)slu_now_wall();
	struct slu_job job = {.job_id = id,
			      .start = now - 1000,
			      .end = now - ago,
			      .node_cnt = 2};

	expect_ok(slu_history_add(history.db, &job, &err), err);
}

static void told(uint32_t id, const char *server)
{
	const struct slu_server_job io = {
		.job_id = id, .written_bytes = 50, .rpcs = 1};

	ck_assert_int_eq(slu_history_server_io(history.db, server, &io, 0,
					       (int64_t)slu_now_wall() - 900,
					       &err),
			 1);
}

/* Sent once, some time after the end, with the counters of all servers. */
START_TEST(test_sums_are_sent_once)
{
	static struct slu_log quiet;
	struct slu_lustre_totals served;

	loop = slu_loop_new(NULL);
	history = (struct slu_history){
		.db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err),
		.log = &quiet};
	ck_assert_ptr_nonnull(history.db);
	add(1, 500); /* the replay tells it */
	told(1, "a");
	slu_lustre_totals_start(&served, loop, &history);
	served.timer.fn(served.timer.arg);
	ck_assert_uint_eq(sent, 0);
	add(2, 300);
	told(2, "a");
	told(2, "b");
	add(3, 300); /* nobody has seen it */
	add(4, 10);  /* it has just ended */
	told(4, "a");
	for (int i = 0; i < 2; i++) {
		served.timer.fn(served.timer.arg);
		ck_assert_uint_eq(sent, 1);
		ck_assert_double_eq(bytes, 100);
	}
	slu_db_close(history.db);
	slu_loop_free(loop);
}
END_TEST

/* Where metadata counts slurmctld hears it once, whoever told of the bytes. */
START_TEST(test_metadata)
{
	static struct slu_log quiet;
	struct slu_conf conf = {.io_start = SLU_IOSTART_ON};
	struct slu_lustre_totals served;

	loop = slu_loop_new(NULL);
	history = (struct slu_history){
		.db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err),
		.conf = &conf,
		.log = &quiet};
	sent = 0;
	slu_lustre_totals_start(&served, loop, &history);
	served.timer.fn(served.timer.arg);
	for (uint32_t id = 1; id <= 2; id++) {
		const struct slu_server_job io = {.job_id = id,
						  .metadata_ops = 70};

		add(id, 300);
		for (int i = 0; i < 2; i++)
			ck_assert_int_eq(
				slu_history_server_io(
					history.db, i ? "a" : "b", &io, 0,
					(int64_t)slu_now_wall() - 900, &err),
				1);
		conf.io[0].metadata = id - 1;
		served.timer.fn(served.timer.arg);
		served.timer.fn(served.timer.arg);
		ck_assert_uint_eq(metadata_sent, id - 1);
	}
	ck_assert_double_eq(ops, 140);
	ck_assert_uint_eq(sent, 0);
	slu_lustre_totals_stop(&served);
	slu_db_close(history.db);
	slu_loop_free(loop);
}
END_TEST

static void runs(uint32_t id, const char *server, double read, double written,
		 struct slu_lustre_totals *served)
{
	const struct slu_server_job io = {.job_id = id,
					  .read_bytes = read,
					  .written_bytes = written,
					  .rpcs = 1,
					  .metadata_ops = read};

	ck_assert_int_eq(slu_history_server_io(history.db, server, &io, 1000,
					       (int64_t)slu_now_wall(), &err),
			 1);
	slu_lustre_totals_moved(served, id, 1000);
}

/* Where jobs wait for bandwidth slurmctld hears what running ones have moved,
 * each once with all servers' words, also that nobody has; else nothing. */
START_TEST(test_moved)
{
	static struct slu_log quiet;
	struct slu_conf conf = {.io_start = SLU_IOSTART_ON};
	struct slu_lustre_totals served;

	loop = slu_loop_new(NULL);
	history = (struct slu_history){
		.db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err),
		.conf = &conf,
		.log = &quiet};
	slu_lustre_totals_start(&served, loop, &history);
	served.timer.fn(served.timer.arg);
	ck_assert_uint_eq(moved_sent, 0); /* no server speaks */
	runs(8, "a", 1, 2, &served);
	runs(7, "a", 5, 9, &served);
	runs(8, "b", 10, 20, &served);
	served.timer.fn(served.timer.arg);
	ck_assert_uint_eq(moved_sent, 1);
	ck_assert_uint_eq(n_moved, 2);
	ck_assert_uint_eq(last_moved.job_id, 8);
	ck_assert_double_eq(last_moved.read_bytes, 11);
	ck_assert_double_eq(last_moved.metadata_ops, 11);
	ck_assert_double_eq(last_moved.written_bytes, 22);
	served.timer.fn(served.timer.arg);
	ck_assert_uint_eq(moved_sent, 2);
	ck_assert_uint_eq(n_moved, 0);
	for (uint32_t i = 0; i < 2 * SLU_MOVED_MOST; i++) /* many servers */
		slu_lustre_totals_moved(&served, 100 + i % 100, 1000);
	runs(300, "a", 3, 4, &served);
	served.timer.fn(served.timer.arg);
	ck_assert_uint_eq(n_moved, 101);
	ck_assert_uint_eq(last_moved.job_id, 300);
	ck_assert_double_eq(last_moved.read_bytes, 3);
	slu_lustre_totals_moved(&served, 9, 0); /* of no run that is live */
	conf.io_start = SLU_IOSTART_OFF;
	served.timer.fn(served.timer.arg);
	ck_assert_uint_eq(moved_sent, 3);
	slu_lustre_totals_stop(&served);
	slu_db_close(history.db);
	slu_loop_free(loop);
}
END_TEST

/* Where file systems are named slurmctld hears once of each run what went to
 * which, also of one of which only others have told, and of running ones. */
START_TEST(test_by_file_system)
{
	static struct slu_log quiet;
	struct slu_conf conf = {.io_start = SLU_IOSTART_ON,
				.io = {{.fs = "home", .bandwidth = 5}}};
	struct slu_server_job io = {
		.job_id = 1,
		.read_bytes = 7,
		.rpcs = 1,
		.by_fs = (char *)(uintptr_t) "home 5 0 1 0,scratch 2 0 0 0"};
	struct slu_lustre_totals served;
	struct slu_io_report report = {
		.job_id = 2, .node = (char *)(uintptr_t) "*", .read_bytes = 3};
	int64_t start;
	bool whole;

	loop = slu_loop_new(NULL);
	history = (struct slu_history){
		.db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err),
		.conf = &conf,
		.log = &quiet};
	fs_sent = 0;
	slu_lustre_totals_start(&served, loop, &history);
	served.timer.fn(served.timer.arg);
	add(1, 300);
	add(2, 300);
	add(3, 300); /* nothing is known of it */
	add(4, 10);
	ck_assert_int_eq(slu_history_server_io(history.db, "a", &io, 0,
					       (int64_t)slu_now_wall() - 900,
					       &err),
			 1);
	expect_ok(slu_db_value(history.db, &start, 0, &err,
			       "SELECT StartTime FROM History WHERE JobID = 2",
			       ""),
		  err);
	expect_ok(slu_history_io(history.db, &report, start, &history.io_runs,
				 &whole, &err),
		  err);
	for (int i = 0; i < 2; i++) {
		served.timer.fn(served.timer.arg);
		ck_assert_uint_eq(fs_sent, 2);
		ck_assert_str_eq(fs_said[0], "home 5 0 1 0,scratch 2 0 0 0");
		ck_assert_str_eq(fs_said[1], "");
	}
	io.job_id = 9;
	ck_assert_int_eq(slu_history_server_io(history.db, "a", &io, 1000,
					       (int64_t)slu_now_wall(), &err),
			 1);
	for (int i = 0; i < 2; i++) {
		slu_lustre_totals_moved(&served, 9, 1000);
		served.timer.fn(served.timer.arg);
		ck_assert_uint_eq(n_moved, 1);
		ck_assert_str_eq(moved_fs,
				 i ? "" : "home 5 0 1 0,scratch 2 0 0 0");
		*conf.io[0].fs = '\0';
	}
	slu_lustre_totals_stop(&served);
	slu_db_close(history.db);
	slu_loop_free(loop);
}
END_TEST

TEST_MAIN("sluiced_jobstats", test_by_file_system, test_metadata,
	  test_sums_are_sent_once, test_moved)
