/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests answers from the history: rows, pages, and the accuracy of predictions.
 */
#include "config.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/tmpdir.h"
#include "common/jsonx.h"
#include "job_submit/history/job_history.h"

START_TEST(test_queries)
{
	static const struct {
		uint32_t uid;
		uint64_t last;
		const char *ids;
	} cases[] = {
		{SLU_NO_ID, 0, "3 2 4 1 5 "},
		{SLU_NO_ID, 2, "1 5 "},
		{SLU_NO_ID, 5, "3 2 4 1 5 "},
		{SLU_NO_ID, 99, "3 2 4 1 5 "},
		{7, 0, "2 4 5 "},
		{7, 2, "4 5 "},
		{8, 1, "1 "},
		{9, 0, ""},
		{9, 3, ""},
		{7, UINT64_MAX, "2 4 5 "},
	};
	struct slu_db *db = new_db();
	struct slu_err err;

	add(db, 1, 8, 10, 50);
	add(db, 2, 7, 11, 40);
	add(db, 3, 8, 12, 30);
	add(db, 4, 7, 13, 40); /* ends with 2, stored later */
	add(db, 5, 7, 14, 60);
	each(c, cases)
	{
		struct slu_history_query q = {.uid = c->uid, .last = c->last};
		char ids[64] = "";

		expect_ok(slu_history_each(db, &q, print_id, ids, &err), err);
		expect(strcmp(ids, c->ids) == 0, "case %td: %s", c - cases,
		       ids);
	}
	slu_db_close(db);
}
END_TEST

/* Pages of every size give the same, and rows stored meanwhile come too. */
START_TEST(test_pages)
{
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_history_cursor c;
	struct slu_err err;
	long n;

	for (uint32_t id = 1; id <= 7; id++)
		add(db, id, id % 2, 100, 200 + id / 3);
	for (size_t size = 1; size < 9; size++) {
		char ids[64] = "";

		expect_ok(slu_history_begin(db, &all, &c, &err), err);
		do {
			n = slu_history_page(db, &c, size, print_id, ids, &err);
			ck_assert_int_ge(n, 0);
		} while ((size_t)n == size);
		expect(strcmp(ids, "1 2 3 4 5 6 7 ") == 0, "%zu: %s", size,
		       ids);
		if (size < 8)
			slu_history_end(&c);
	}
	add(db, 666, 7, 100, 300);
	add(db, 8, 7, 100, 301);
	for (int i = 0; i < 2; i++) { /* fn fails: the place is kept */
		expect_fail((int)slu_history_page(db, &c, 9, print_id,
						  (char[64]){""}, &err),
			    err, SLU_BUSY, "not this one");
		ck_assert_int_eq(c.id, 7);
	}
	slu_history_end(&c);
	slu_db_close(db);
}
END_TEST

START_TEST(test_io)
{
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	double io[3];
	struct slu_err err;

	expect_ok(add_io(db, 1, 10, "n2", 5e9, 1e9, &err), err);
	expect_ok(add_io(db, 1, 10, "n2", 6e9, 1e9, &err), err);
	add(db, 1, 7, 10, 20);
	expect_ok(add_io(db, 1, 10, "n1", 1e9, 2e9, &err), err);
	expect_ok(add_io(db, 1, 11, "n1", 9e9, 9e9, &err), err);
	expect_ok(slu_history_each(db, &all, keep_io, io, &err), err);
	ck_assert_double_eq(io[0], 7e9);
	ck_assert_double_eq(io[1], 3e9);
	ck_assert_double_eq_tol(io[2], 1000, 1e-9);
	expect_fail(add_io(db, 1, 10, "n3", -1, 0, &err), err, SLU_INVALID,
		    "n3");
	expect_fail(add_io(db, 1, 10, "n3", 0.0 / 0.0, 0, &err), err,
		    SLU_INVALID, "n3");
	slu_db_close(db);
}
END_TEST

START_TEST(test_jobs_json)
{
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_job job = {.job_id = 5,
			      .uid = 7,
			      .user = "ada",
			      .name = "cfd",
			      .node_cnt = 4,
			      .start = 100,
			      .end = 160,
			      .limit = 10,
			      .limit_asked = 9,
			      .tightened = 8,
			      .late_by = 6,
			      .predicted = 50,
			      .predicted_from = "class",
			      .prepared = 3,
			      .script = "ab",
			      .state = "COMPLETED",
			      .suspended = 7,
			      .ions = 2};
	struct json_object *out;
	struct slu_err err;

	add(db, 4, 8, 0, 99);
	expect_ok(slu_history_add(db, &job, &err), err);
	expect_ok(add_io(db, 5, 100, "n1", 53e6, 53e6, &err), err);
	expect_ok(slu_history_jobs(db, &all, &out, &err), err);
	ck_assert_str_eq(
		slu_json_text(out),
		"[{\"job_id\":4,\"user\":8,\"name\":\"j\",\"nodes\":2,"
		"\"run\":0,\"end\":99},{\"job_id\":5,\"user\":\"ada\",\"name\":\"cfd\","
		"\"nodes\":4,\"limit\":10,\"limit_asked\":9,\"tightened\":8,"
		"\"extended\":false,\"late_by\":6,\"predicted\":50,"
		"\"predicted_from\":\"class\",\"run\":53,\"prepared\":3,"
		"\"suspended\":7,\"error\":-3,\"state\":\"COMPLETED\","
		"\"script\":\"ab\",\"ions\":2,\"read_bytes\":53000000,"
		"\"written_bytes\":53000000,\"MB/s\":2,"
		"\"io_from\":\"tasks\",\"start\":100,\"end\":160}]");
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

static void expect_jobs(struct slu_db *db, struct slu_history_query query,
			const char *want)
{
	struct json_object *out;
	struct slu_buf ids = {0};
	struct slu_err err;

	query.uid = SLU_NO_ID;
	expect_ok(slu_history_jobs(db, &query, &out, &err), err);
	for (size_t i = 0; i < json_object_array_length(out); i++)
		slu_buf_printf(
			&ids, "%d ",
			json_object_get_int(json_object_object_get(
				json_object_array_get_idx(out, i), "job_id")));
	ck_assert_str_eq(ids.data ? ids.data : "", want);
	slu_buf_free(&ids);
	json_object_put(out);
}

/* By time and state, and the last of those. */
START_TEST(test_filtered_by_time_and_state)
{
	struct slu_db *db = new_db();
	struct slu_err err;

	for (uint32_t i = 1; i <= 9; i++) {
		struct slu_job job = {.job_id = i,
				      .uid = 8,
				      .name = "j",
				      .state = i % 3 ? "COMPLETED" : "FAILED",
				      .start = 1,
				      .end = 100 * i};

		expect_ok(slu_history_add(db, &job, &err), err);
	}
	expect_jobs(db, (struct slu_history_query){.last = 2}, "8 9 ");
	expect_jobs(db, (struct slu_history_query){.since = 700}, "7 8 9 ");
	expect_jobs(db, (struct slu_history_query){.since = 701}, "8 9 ");
	expect_jobs(db, (struct slu_history_query){.until = 200}, "1 2 ");
	expect_jobs(db, (struct slu_history_query){.since = 300, .until = 500},
		    "3 4 5 ");
	expect_jobs(db, (struct slu_history_query){.states = "failed"},
		    "3 6 9 ");
	expect_jobs(db,
		    (struct slu_history_query){
			    .states = "FAILED", .last = 1, .until = 800},
		    "6 ");
	expect_jobs(db,
		    (struct slu_history_query){.states = "COMPLETED,FAILED",
					       .last = 2},
		    "8 9 ");
	slu_db_close(db);
}
END_TEST

START_TEST(test_accuracy)
{
#define TIGHT "\"tightened\":2,\"extended\":1"
	static const struct {
		uint32_t uid, predicted, asked;
		int64_t end, run;
		const char *partition, *state;
	} jobs[] = {
		{7, 100, 10, 1000000, 90, "fat", "FAILED"}, /* off by 10 */
		{7, 100, 10, 1555000, 130, "fat", NULL},    /* by 30, under */
		{7, 100, 10, 1000000, 105, "fat", NULL},    /* by 5, under */
		{8, 100, 0, 1604800, 100, "slim", "COMPLETED"},
		{8, 0, 10, 1604800, 100, "slim", NULL}, /* not predicted */
		{8, 100, 10, 1604800, 5, "slim", "NODE_FAIL"}, /* no miss */
	};
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct json_object *out;
	struct slu_err err;

	for (uint32_t i = 0; i < 6; i++) {
		struct slu_job job = {
			.job_id = i,
			.state = (char *)(uintptr_t)jobs[i].state,
			.uid = jobs[i].uid,
			.predicted = jobs[i].predicted,
			.limit_asked = jobs[i].asked,
			.tightened = i < 2 ? 5 : 0,
			.extended = i == 1,
			.partition = (char *)(uintptr_t)jobs[i].partition,
			.start = jobs[i].end - jobs[i].run,
			.end = jobs[i].end};

		expect_ok(slu_history_add(db, &job, &err), err);
	}
	expect_ok(slu_history_accuracy(db, &all, &out, &err), err);
	ck_assert_str_eq(
		slu_json_text(out),
		"{\"user\":[{\"user\":\"7\",\"jobs\":3,\"median_error\":10,"
		"\"mean_error\":15,\"median_error_asked\":495,\"under\":0.667," TIGHT
		"},"
		"{\"user\":\"8\",\"jobs\":1,\"median_error\":0,"
		"\"mean_error\":0,\"under\":0}],"
		"\"partition\":[{\"partition\":\"fat\",\"jobs\":3,"
		"\"median_error\":10,\"mean_error\":15,"
		"\"median_error_asked\":495,\"under\":0.667," TIGHT "},"
		"{\"partition\":\"slim\",\"jobs\":1,\"median_error\":0,"
		"\"mean_error\":0,\"under\":0}],"
		"\"week\":[{\"week\":\"1970-01-12\",\"jobs\":3,"
		"\"median_error\":10,\"mean_error\":15,"
		"\"median_error_asked\":495,\"under\":0.667," TIGHT "},"
		"{\"week\":\"1970-01-19\",\"jobs\":1,\"median_error\":0,"
		"\"mean_error\":0,\"under\":0}]}");
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

START_TEST(test_accuracy_of_many)
{
	enum { MANY = 3000 };
	static struct slu_job jobs[MANY];
	struct slu_db *db = new_db();
	struct slu_history_query all = {.uid = SLU_NO_ID};
	struct json_object *out;
	struct slu_err err;
	uint64_t added;

	for (uint32_t i = 0; i < MANY; i++)
		jobs[i] = (struct slu_job){
			.job_id = i + 1, .predicted = 9, .start = 1, .end = 9};
	expect_ok(slu_history_import(db, jobs, MANY, &added, &err), err);
	expect_ok(slu_history_accuracy(db, &all, &out, &err), err);
	ck_assert_ptr_nonnull(strstr(slu_json_text(out), "\"jobs\":3000,"));
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("history answers", test_queries, test_pages, test_io, test_jobs_json,
	  test_filtered_by_time_and_state, test_accuracy, test_accuracy_of_many)
