/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the prediction from the history for a job that may be submitted. */
#include "config.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/tmpdir.h"
#include "common/jsonx.h"
#include "job_submit/history/job_history.h"

static const struct slu_history_forecast_input usual = {
	.job = {.uid = 7, .name = "j", .node_cnt = 2},
	.quantile = 0.9,
	.stripe_size = 1000,
};

static struct json_object *foresee(struct slu_db *db,
				   const struct slu_history_forecast_input *ask)
{
	struct json_object *out;
	struct slu_err err;

	expect_ok(slu_history_forecast(db, ask, &out, &err), err);
	return out;
}

START_TEST(test_predict_json)
{
	struct slu_db *db = new_db();
	struct slu_history_forecast_input ask = {
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
	ask.mode = SLU_PREDICT_TIGHTEN; /* which one run is too few for */
	out = foresee(db, &ask);
	ck_assert_ptr_null(strstr(slu_json_text(out), "\"limit\":"));
	json_object_put(out);
	for (uint32_t job = 2; job < 6; job++)
		add(db, job, 7, 200 * job, 200 * job + 40);
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
	expect_fail(slu_history_forecast(db, &ask, &out, &err), err,
		    SLU_INVALID, "elapsed");
	ask.elapsed = 0;
	ask.quantile = 2;
	expect_fail(slu_history_forecast(db, &ask, &out, &err), err,
		    SLU_INVALID, "quantile 2");
	ask.quantile = 0.9;
	ask.stripe_size = 0;
	expect_fail(slu_history_forecast(db, &ask, &out, &err), err,
		    SLU_INVALID, "stripe_size");
	slu_db_close(db);
}
END_TEST

/* Who does not name partition and account has those of the last job. */
START_TEST(test_predict_usual)
{
	struct slu_db *db = new_db();
	struct slu_history_forecast_input ask = usual;
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
/* Without a request the default limit is what may be too short. */
START_TEST(test_predict_default)
{
	struct slu_history_forecast_input ask = usual;
	struct slu_db *db = new_db();
	struct json_object *out;

	for (uint32_t i = 1; i <= 12; i++)
		add(db, i, 7, i * 10000, i * 10000 + 7700);
	ask.mode = SLU_PREDICT_ADVISE;
	out = foresee(db, &ask);
	ck_assert_ptr_null(strstr(slu_json_text(out), "warning"));
	json_object_put(out);
	ask.by_default = 60;
	out = foresee(db, &ask);
	ck_assert_ptr_nonnull(strstr(slu_json_text(out),
				     "took its limit of 1:00:00 or longer"));
	json_object_put(out);
	ask.unlimited = true;
	out = foresee(db, &ask);
	ck_assert_ptr_null(strstr(slu_json_text(out), "warning"));
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

START_TEST(test_predict_longest)
{
	static const int64_t last[] = {595, 900}, longest[] = {600, 900};
	struct slu_db *db = new_db();

	for (uint32_t i = 0; i < 2; i++) {
		struct slu_history_forecast_input ask = {
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
	struct slu_history_forecast_input ask = usual;
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
	struct slu_history_forecast_input ask = usual;
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
	struct slu_history_forecast_input ask = usual;
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
	struct slu_history_forecast_input ask = usual;
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

TEST_MAIN("history predict", test_predict_json, test_predict_longest,
	  test_predict_default, test_predict_io, test_predict_manner,
	  test_predict_ions, test_predict_usual, test_predict_last)
