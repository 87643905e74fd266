/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is answered from the history: rows, pages, predictions. */
#include "config.h"
#include "tests/unit/history_rows.h"
#include "tests/unit/tmpdir.h"
#include "common/jsonx.h"
#include "job_submit/history.h"

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
	}
	add(db, 666, 7, 100, 300);
	add(db, 8, 7, 100, 301);
	for (int i = 0; i < 2; i++) { /* fn fails: the place is kept */
		expect_fail((int)slu_history_page(db, &c, 9, print_id,
						  (char[64]){""}, &err),
			    err, SLU_BUSY, "not this one");
		ck_assert_int_eq(c.id, 7);
	}
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
		"\"run\":0},{\"job_id\":5,\"user\":\"ada\",\"name\":\"cfd\","
		"\"nodes\":4,\"limit\":10,\"limit_asked\":9,\"tightened\":8,"
		"\"extended\":false,\"late_by\":6,\"predicted\":50,"
		"\"predicted_from\":\"class\",\"run\":53,\"prepared\":3,"
		"\"suspended\":7,\"error\":-3,\"state\":\"COMPLETED\","
		"\"script\":\"ab\",\"ions\":2,\"read_bytes\":53000000,"
		"\"written_bytes\":53000000,\"MB/s\":2,"
		"\"io_from\":\"tasks\"}]");
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

static struct json_object *foresee(struct slu_db *db,
				   const struct slu_history_ask *ask)
{
	struct json_object *out;
	struct slu_err err;

	expect_ok(slu_history_predict(db, ask, &out, &err), err);
	return out;
}

START_TEST(test_predict_json)
{
	struct slu_db *db = new_db();
	struct slu_history_ask ask = {
		.job = {.uid = 7, .name = "j", .node_cnt = 2, .limit_asked = 5},
		.quantile = 0.9,
		.floor = 60,
		.stripe_size = 1000,
	};
	struct json_object *out = foresee(db, &ask), *left;
	struct slu_err err;

	ck_assert_str_eq(slu_json_text(out),
			 "{\"name\":\"j\",\"nodes\":2,\"limit_asked\":5,"
			 "\"predicted\":300,\"careful\":300,"
			 "\"predicted_from\":\"asked\",\"jobs\":0}");
	json_object_put(out);
	ask.job.limit_asked = 0;
	out = foresee(db, &ask); /* no number where there is none */
	ck_assert_str_eq(slu_json_text(out),
			 "{\"name\":\"j\",\"nodes\":2,"
			 "\"predicted_from\":\"none\",\"jobs\":0}");
	json_object_put(out);
	add(db, 1, 7, 100, 140);
	out = foresee(db, &ask);
	ck_assert_ptr_nonnull(strstr(slu_json_text(out),
				     "\"predicted\":40,\"careful\":82,"
				     "\"predicted_from\":\"class\","
				     "\"jobs\":1,\"quantiles\":{\"10\":"));
	ck_assert_ptr_nonnull(strstr(slu_json_text(out),
				     "\"evidence\":[{\"class\":\"class\","
				     "\"jobs\":1,\"weight\":"));
	ck_assert_ptr_null(strstr(slu_json_text(out), "\"io\""));
	ck_assert_ptr_null(strstr(slu_json_text(out), "remaining"));
	json_object_put(out);
	ask.mode = SLU_PREDICT_FILL;
	out = foresee(db, &ask);
	ck_assert_ptr_nonnull(
		strstr(slu_json_text(out), "\"careful\":82,\"limit\":2,"));
	json_object_put(out);
	ask.unlimited = true; /* which is left alone */
	out = foresee(db, &ask);
	ck_assert_ptr_null(strstr(slu_json_text(out), "\"limit\":"));
	json_object_put(out);
	ask.unlimited = false;
	ask.job.limit_asked = 600; /* left alone too */
	out = foresee(db, &ask);
	ck_assert_ptr_null(strstr(slu_json_text(out), "\"limit\":"));
	json_object_put(out);
	ask.mode = SLU_PREDICT_TIGHTEN;
	out = foresee(db, &ask);
	ck_assert_ptr_nonnull(strstr(slu_json_text(out), "\"limit\":"));
	json_object_put(out);
	ask.job.limit_asked = 0;
	ask.elapsed = 60; /* longer than the one that is known */
	out = foresee(db, &ask);
	ck_assert(json_object_object_get_ex(out, "remaining", &left));
	ck_assert_int_ge(json_object_get_int64(left), 1);
	json_object_put(out);
	ask.elapsed = -1;
	expect_fail(slu_history_predict(db, &ask, &out, &err), err, SLU_INVALID,
		    "elapsed");
	ask.elapsed = 0;
	ask.quantile = 2;
	expect_fail(slu_history_predict(db, &ask, &out, &err), err, SLU_INVALID,
		    "quantile 2");
	ask.quantile = 0.9;
	ask.stripe_size = 0;
	expect_fail(slu_history_predict(db, &ask, &out, &err), err, SLU_INVALID,
		    "stripe_size");
	slu_db_close(db);
}
END_TEST

/* Who does not name partition and account has those of the last job. */
START_TEST(test_predict_usual)
{
	struct slu_db *db = new_db();
	struct slu_history_ask ask = {
		.job = {.uid = 7, .name = "j", .node_cnt = 2},
		.quantile = 0.9,
		.stripe_size = 1000,
	};
	struct slu_job job = {.job_id = 1,
			      .uid = 7,
			      .name = "j",
			      .node_cnt = 2,
			      .partition = "fat",
			      .account = "acc",
			      .start = 100,
			      .end = 140};
	struct json_object *out;
	struct slu_err err;

	expect_ok(slu_history_add(db, &job, &err), err);
	out = foresee(db, &ask);
	ck_assert_ptr_nonnull(strstr(slu_json_text(out),
				     "\"partition\":\"fat\",\"account\":"
				     "\"acc\",\"predicted\":40,"));
	ck_assert_ptr_nonnull(
		strstr(slu_json_text(out), "\"predicted_from\":\"class\""));
	json_object_put(out);
	ask.job.partition = "thin";
	out = foresee(db, &ask);
	ck_assert_ptr_nonnull(
		strstr(slu_json_text(out), "\"partition\":\"thin\""));
	ck_assert_ptr_nonnull(
		strstr(slu_json_text(out), "\"predicted_from\":\"size\""));
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

/* Four jobs that ask for ten minutes; the last two take `last` s. */
static void add_four(struct slu_db *db, uint32_t uid, int64_t last)
{
	for (uint32_t i = 0; i < 4; i++) {
		int64_t start = 1000 + i * 1000;
		struct slu_job job = {.job_id = uid * 10 + i,
				      .uid = uid,
				      .name = "j",
				      .limit_asked = 10,
				      .start = start,
				      .end = start + (i < 2 ? 580 : last)};
		struct slu_err err;

		expect_ok(slu_history_add(db, &job, &err), err);
	}
}

/* Within what time 99 % end: the request, unless some have gone beyond it. */
START_TEST(test_predict_longest)
{
	static const int64_t last[] = {595, 900}, longest[] = {600, 900};
	struct slu_db *db = new_db();

	for (uint32_t i = 0; i < 2; i++) {
		struct slu_history_ask ask = {
			.job = {.uid = 7 + i, .name = "j", .limit_asked = 10},
			.quantile = 0.9,
			.stripe_size = 1000};
		struct json_object *out, *q;

		add_four(db, 7 + i, last[i]);
		out = foresee(db, &ask);
		ck_assert(json_object_object_get_ex(out, "quantiles", &q));
		ck_assert(json_object_object_get_ex(q, "99", &q));
		ck_assert_int_le(llabs(json_object_get_int64(q) - longest[i]),
				 1);
		json_object_put(out);
	}
	slu_db_close(db);
}
END_TEST

/* Runs that write 1 kB and 9 kB in turn, and somebody else's. */
START_TEST(test_predict_io)
{
	struct slu_db *db = new_db();
	struct slu_history_ask ask = {
		.job = {.uid = 7, .name = "j", .node_cnt = 2},
		.quantile = 0.9,
		.stripe_size = 1000,
	};
	struct json_object *out, *io, *list;
	struct slu_err err;

	for (uint32_t id = 1; id <= 20; id++) {
		add(db, id, 7, id * 100, id * 100 + 40);
		expect_ok(add_io(db, id, id * 100, "n1", 0,
				 id % 2 ? 1000 : 9000, &err),
			  err);
		add(db, 100 + id, 8, id * 100, id * 100 + 40);
		expect_ok(add_io(db, 100 + id, id * 100, "n1", 0, 5e12, &err),
			  err);
	}
	out = foresee(db, &ask);
	ck_assert(json_object_object_get_ex(out, "io", &io));
	ck_assert(json_object_object_get_ex(io, "runs", &list));
	ck_assert_int_eq(json_object_get_int(list), 20);
	ck_assert(json_object_object_get_ex(io, "written_bytes", &list));
	ck_assert_int_lt(
		json_object_get_int(json_object_array_get_idx(list, 0)), 3000);
	ck_assert_int_gt(
		json_object_get_int(json_object_array_get_idx(list, 1)), 7000);
	ck_assert(json_object_object_get_ex(io, "stripes", &list));
	ck_assert_int_le(json_object_get_int(list), 3);
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

/* How fast it was with how many I/O nodes, on the average. */
START_TEST(test_predict_ions)
{
	static const struct {
		uint32_t ions;
		double mb;
	} runs[] = {{4, 40}, {8, 200}, {4, 80}, {SLU_NO_ID, 900}};
	struct slu_db *db = new_db();
	struct slu_history_ask ask = {
		.job = {.uid = 7, .name = "j", .node_cnt = 2},
		.quantile = 0.9,
		.stripe_size = 1000,
	};
	struct json_object *out;
	struct slu_err err;

	each(c, runs)
	{
		uint32_t id = 1 + (uint32_t)(c - runs);
		struct slu_job job = {.job_id = id,
				      .uid = 7,
				      .name = "j",
				      .node_cnt = 2,
				      .start = id * 100,
				      .end = id * 100 + 40,
				      .ions = c->ions};

		expect_ok(slu_history_add(db, &job, &err), err);
		expect_ok(add_io(db, id, job.start, "n1", 0, c->mb * 1e6, &err),
			  err);
	}
	out = foresee(db, &ask);
	expect(strstr(slu_json_text(out),
		      "\"bandwidth\":[{\"ions\":4,\"runs\":2,\"MB/s\":1.5},"
		      "{\"ions\":8,\"runs\":1,\"MB/s\":5}]"),
	       "%s", slu_json_text(out));
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

/* What slurmctld did not learn does not answer. */
START_TEST(test_predict_last)
{
	struct slu_db *db = new_db();
	struct slu_history_ask ask = {
		.job = {.uid = 7, .name = "j", .node_cnt = 2},
		.quantile = 0.9,
		.stripe_size = 1000,
	};
	static const char *const says[] = {"\"jobs\":3,", "\"jobs\":1,",
					   "\"jobs\":2,", "\"jobs\":3,"};

	for (uint32_t i = 1; i <= 3; i++)
		add(db, i, 7, 100 * i, 100 * i + 40);
	for (ask.last = 0; ask.last < 4; ask.last++) {
		struct json_object *out = foresee(db, &ask);

		expect(strstr(slu_json_text(out), says[ask.last]), "%s",
		       slu_json_text(out));
		json_object_put(out);
	}
	slu_db_close(db);
}
END_TEST

/* How, from Darshan: in one run a shared file in large requests, in another
 * files of each process in many small ones. */
START_TEST(test_predict_manner)
{
	static const struct {
		struct slu_import_io io;
		const char *says;
	} runs[] = {
		{{1, 100, 0, 0, 1000, 10, 1000, 900, 9, 0},
		 "\"calls\":10,\"request_size\":100,\"layout\":\"shared\","
		 "\"shared\":0.9,\"access\":\"contiguous\",\"contiguous\":0.9"},
		{{2, 200, 0, 0, 3000, 90, 3000, 0, 0, 0},
		 "\"calls\":50,\"request_size\":40,\"layout\":"
		 "\"file-per-process\",\"shared\":0.225,\"access\":\"strided\","
		 "\"contiguous\":0.09"},
	};
	struct slu_db *db = new_db();
	struct slu_history_ask ask = {
		.job = {.uid = 7, .name = "j", .node_cnt = 2},
		.quantile = 0.9,
		.stripe_size = 1000,
	};
	struct json_object *out;
	struct slu_err err;
	struct slu_history_counts counts;

	each(c, runs)
	{
		add(db, c->io.job_id, 7, c->io.start, c->io.start + 40);
		expect_ok(slu_history_import_io(db, &c->io, 1, &counts, &err),
			  err);
		ck_assert_uint_eq(counts.added, 1);
		out = foresee(db, &ask);
		expect(strstr(slu_json_text(out), c->says), "%s",
		       slu_json_text(out));
		json_object_put(out);
	}
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
	  test_predict_json, test_predict_longest, test_predict_io,
	  test_predict_manner, test_predict_ions, test_predict_usual,
	  test_predict_last, test_accuracy, test_accuracy_of_many)
