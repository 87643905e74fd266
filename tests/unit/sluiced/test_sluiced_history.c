/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the history of jobs in a whole sluiced: import, storage, and
 * predictions from it. */
#include "tests/unit/sluiced/sluiced.h"
#include "wire/rows.h"

static const char two_jobs[] =
	"{\"jobs\":[{\"job_id\":5,\"uid\":3,\"name\":\"old\",\"start\":100,"
	"\"end\":200,\"state\":\"COMPLETED\"},{\"job_id\":6,\"uid\":3,"
	"\"name\":\"old\",\"start\":300,\"end\":500}],\"io\":[{\"job_id\":6,"
	"\"start\":400,\"log\":1,\"read_bytes\":3},{\"job_id\":7,\"start\":400,"
	"\"log\":1,\"read_bytes\":3},{\"job_id\":7,\"start\":400,\"source\":6,"
	"\"read_bytes\":3}]}";

static int nobody_imports(void)
{
	return post("/v1/import", two_jobs, NULL);
}

static int ask_long(void)
{
	return post("/v1/query",
		    "{\"question\":\"select\",\"sql\":"
		    "\"SELECT hex(zeroblob(3000000))\"}",
		    NULL);
}

/* History of others: stored once, by the administrator only. */
START_TEST(test_import)
{
	static const char *const want[] = {
		"{\"added\":2,\"io\":1,\"io_changed\":0,\"old\":0,"
		"\"unknown\":1}",
		"{\"added\":0,\"io\":0,\"io_changed\":0,\"old\":0,"
		"\"unknown\":1}"};
	struct slu_buf reply = {0};

	if (!have_root() || !sluiced_begin())
		return;
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(post("/v1/import", two_jobs, &reply), 0);
		ck_assert_str_eq(reply.data, want[i]);
	}
	ck_assert_int_ne(as_nobody(nobody_imports), 0);
	/* An answer of six million bytes is not for everybody. */
	err.kind = (enum slu_kind)ask_long();
	expect(!err.kind, "kind %d: %s", err.kind, err.text);
	ck_assert_int_ne(as_nobody(ask_long), 0);
	ck_assert_int_eq(post("/v1/query", "{\"question\":\"jobs\"}", &reply),
			 0);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"job_id\":6"));
	slu_buf_free(&reply);
	sluiced_end();
}
END_TEST

/* What would be taken away within the hour is not kept at all. */
START_TEST(test_import_old)
{
	struct slu_buf reply = {0};
	char jobs[400];

	if (!have_root())
		return;
	snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "HistoryDays=2\n");
	snprintf(
		jobs, sizeof(jobs),
		"{\"jobs\":[{\"job_id\":5,\"uid\":3,\"start\":%ld,\"end\":%ld},"
		"{\"job_id\":6,\"uid\":3,\"start\":%ld,\"end\":%ld}]}",
		time(NULL) - 190000, time(NULL) - 180000, time(NULL) - 170000,
		time(NULL) - 160000);
	if (sluiced_begin()) {
		ck_assert_int_eq(post("/v1/import", jobs, &reply), 0);
		ck_assert_str_eq(reply.data, "{\"added\":1,\"io\":0,"
					     "\"io_changed\":0,\"old\":1,"
					     "\"unknown\":0}");
		ck_assert_int_eq(
			post("/v1/query", "{\"question\":\"jobs\"}", &reply),
			0);
		ck_assert_ptr_null(strstr(reply.data, "\"job_id\":5"));
		ck_assert_ptr_nonnull(strstr(reply.data, "\"job_id\":6"));
		sluiced_end();
	}
	slu_buf_free(&reply);
	*sluiced_extra_conf = '\0';
}
END_TEST

/* Another question than the one that was asked is not answered. */
START_TEST(test_predict_beyond)
{
	static const struct {
		const char *key, *most, *beyond;
	} cases[] = {
		{"limit", "71582788", "71582789"},
		{"limit", "60", "4294967356"},
		{"nodes", "4294967294", "4294967295"},
		{"nodes", "1", "0"},
		{"uid", "4294967294", "4294967297"},
	};
	char ask[100];

	if (!have_root() || !sluiced_begin())
		return;
	each(c, cases)
	{
		snprintf(ask, sizeof(ask),
			 "{\"question\":\"predict\",\"%s\":%s}", c->key,
			 c->most);
		ck_assert_int_eq(post("/v1/query", ask, NULL), 0);
		snprintf(ask, sizeof(ask),
			 "{\"question\":\"predict\",\"%s\":%s}", c->key,
			 c->beyond);
		ck_assert_int_eq(post("/v1/query", ask, NULL), SLU_INVALID);
		expect(strstr(err.text, c->key) && strstr(err.text, c->beyond),
		       "%s", err.text);
	}
	sluiced_end();
}
END_TEST

static const char of_7[] = "{\"question\":\"predict\",\"job_id\":7}";

static int nobody_predicts(void)
{
	return post("/v1/query", of_7, NULL);
}

/* Ask of job 7 until this is the status, slurmctld's word being on its way. */
static void ask_of_7(int status, struct slu_buf *reply)
{
	for (int i = 0; post("/v1/query", of_7, reply) != status; i++) {
		ck_assert_int_lt(i, 1000);
		usleep(20000);
	}
}

/* What is left of a running job, for whom it concerns. */
START_TEST(test_predict_running)
{
	struct slu_buf reply = {0};
	struct slu_job j;

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	ck_assert_int_eq(nobody_predicts(), SLU_NOTFOUND);
	j = job_of_ann(7, false);
	j.start -= 250;
	j.limit_asked = 20;
	ctl_send(&slu_job_started_desc, &j);
	ck_assert_int_eq(/* its history: longer than it has run */
			 post("/v1/import",
			      "{\"jobs\":[{\"job_id\":5,\"uid\":1000,\"name\":\"sim\","
			      "\"node_cnt\":2,\"limit_asked\":20,\"start\":1000,"
			      "\"end\":1600,\"state\":\"COMPLETED\"}]}",
			      NULL),
			 0);
	ask_of_7(0, &reply);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"elapsed\":2"));
	ck_assert_ptr_nonnull(strstr(reply.data,
				     "{\"name\":\"sim\",\"nodes\":2,"
				     "\"limit_asked\":20,\"predicted\":600,"));
	ck_assert_ptr_nonnull(strstr(reply.data, "\"remaining\":3"));
	ck_assert_int_eq(as_nobody(nobody_predicts), SLU_NOTFOUND);
	j.suspended = 30; /* and it is again */
	j.suspended_since = j.start + 130;
	ctl_send(&slu_job_started_desc, &j);
	ask_of_7(0, &reply);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"elapsed\":100,"));
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"predict\",\"job_id\":7,"
			      "\"name\":\"new\",\"elapsed\":0}",
			      &reply),
			 0);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"name\":\"new\""));
	ck_assert_ptr_null(strstr(reply.data, "elapsed"));
	job_ended(7, false, &slu_job_ended_desc);
	ask_of_7(SLU_NOTFOUND, NULL);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"predict\",\"job_id\":0}", NULL),
			 SLU_NOTFOUND);
	slu_buf_free(&reply);
	ctl_close();
	sluiced_end();
}
END_TEST

/* Of the next message of them. */
static uint32_t count_rows(void)
{
	struct slu_history_rows *rows = ctl_expect(&slu_history_rows_desc);
	struct slu_history_row row;
	char *at = rows->packed;
	uint32_t n = 0;
	int rc;

	while ((rc = slu_row_unpack(&at, &row, &err)) > 0) {
		ck_assert_str_eq(row.job.state, "COMPLETED");
		ck_assert_int_eq(row.job.end - row.job.start, 60);
		n++;
	}
	expect_ok(rc, err);
	slu_msg_free(&slu_history_rows_desc, rows);
	return n;
}

START_TEST(test_history)
{
	struct slu_history_end *end;
	uint32_t rows = 0;

	if (!sluiced_begin())
		return;
	ctl_meet();
	for (uint32_t i = 1; i <= 1000; i++)
		job_ended(i, false, &slu_history_desc);
	for (uint32_t i = 1; i <= 1000; i++) {
		struct slu_stored *stored = ctl_expect(&slu_stored_desc);

		ck_assert_uint_eq(stored->job_id, i);
		slu_msg_free(&slu_stored_desc, stored);
	}
	/* What was acknowledged survives; what comes twice is one row. */
	sluiced_stop(SIGKILL, -SIGKILL);
	ctl_close();
	sluiced_start();
	ctl_connect();
	job_ended(1000, false, &slu_history_desc);
	ctl_expect_any(&slu_stored_desc);
	ctl_hello(NULL, 0);
	while (rows < 1000)
		rows += count_rows();
	end = ctl_expect(&slu_history_end_desc);
	ck_assert_uint_eq(rows, 1000);
	ck_assert_uint_eq(end->rows, 1000);
	slu_msg_free(&slu_history_end_desc, end);
	ctl_close();
	sluiced_end();
}
END_TEST

/* While another process writes, a row is not acknowledged: slurmctld must send
 * it again. */
START_TEST(test_history_locked)
{
	struct slu_db *other;
	char byte;

	if (!sluiced_begin())
		return;
	ctl_meet();
	other = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err);
	ck_assert_msg(other != NULL, "%s", err.text);
	expect_ok(slu_db_begin(other, &err), err);
	job_ended(7, false, &slu_history_desc);
	while (recv(ctl_fd, &byte, 1, 0) > 0) /* until it hangs up */
		;
	slu_db_rollback(other);
	slu_db_close(other);
	ctl_close();
	ctl_meet();
	job_ended(7, false, &slu_history_desc);
	ctl_expect_any(&slu_stored_desc);
	ctl_close();
	sluiced_end();
}
END_TEST

/* Until sluiced hangs up: is its history said to be all there is? */
static bool says_end(void)
{
	char text[65536];
	ssize_t n;
	bool end = false;

	while ((n = recv(ctl_fd, text, sizeof(text) - 1, 0)) > 0) {
		text[n] = '\0';
		end |= strstr(text, slu_history_end_desc.name) != NULL;
	}
	return end;
}

/* What the database does not give now is asked for again. */
START_TEST(test_history_unread)
{
	struct slu_db *other;

	if (!sluiced_begin())
		return;
	ctl_meet();
	job_ended(7, false, &slu_history_desc);
	ctl_expect_any(&slu_stored_desc);
	ctl_close();
	other = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err);
	ck_assert_msg(other != NULL, "%s", err.text);
	ck_assert_int_ge(slu_db_exec(other, &err,
				     "ALTER TABLE JobIo RENAME TO Away", ""),
			 0);
	ctl_connect();
	ctl_hello(NULL, 0);
	ck_assert(!says_end());
	ck_assert_int_ge(slu_db_exec(other, &err,
				     "ALTER TABLE Away RENAME TO JobIo", ""),
			 0);
	slu_db_close(other);
	ctl_close();
	ctl_meet();
	ctl_close();
	sluiced_end();
}
END_TEST

static void assign(uint64_t epoch, struct slu_ion_share *jobs, size_t n)
{
	struct slu_assignment a = {.epoch = epoch,
				   .base = epoch - 1,
				   .time = 1000,
				   .ions = (char *)"ion[1-4]",
				   .jobs = jobs,
				   .n_jobs = n};

	ctl_send(&slu_assignment_desc, &a);
	ctl_expect_any(&slu_published_desc);
}

/* While somebody else writes, assignments wait without all of their jobs. */
START_TEST(test_assignments_locked)
{
	enum { JOBS = 4000, EVENTS = 200 };
	static struct slu_ion_share jobs[JOBS];
	struct slu_db *other;
	int64_t n = 0;
	long before;

	for (uint32_t i = 0; i < JOBS; i++)
		jobs[i] = (struct slu_ion_share){.job_id = 1 + i,
						 .name = (char *)"a job",
						 .nodes = (char *)"n1",
						 .ions = (char *)"ion1"};
	if (!sluiced_begin())
		return;
	ctl_meet();
	other = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err);
	ck_assert_msg(other != NULL, "%s", err.text);
	expect_ok(slu_db_begin(other, &err), err);
	assign(1, jobs, JOBS);
	before = sluiced_kib();
	ck_assert_int_gt(before, 0);
	for (uint64_t i = 2; i <= EVENTS; i++)
		assign(i, jobs, 1);
#ifndef __SANITIZE_ADDRESS__ /* it keeps what was freed */
	ck_assert_int_lt(sluiced_kib() - before, 32 << 10);
#endif
	slu_db_rollback(other);
	while (n < EVENTS) { /* all are stored in the end */
		usleep(100000);
		expect_ok(slu_db_value(other, &n, 0, &err,
				       "SELECT count(*) FROM Assignment", ""),
			  err);
	}
	slu_db_close(other);
	ctl_close();
	sluiced_end();
}
END_TEST

TEST_MAIN("sluiced history", test_import, test_import_old, test_predict_beyond,
	  test_predict_running, test_history, test_history_locked,
	  test_history_unread, test_assignments_locked)
