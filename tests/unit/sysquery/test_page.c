/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the HTML page: the data collected for it, and that no text of a user
 * becomes markup. */
#include "config.h"
#include "sysquery/page/page.h"
#include "tests/unit/harness.h"
#include "tests/unit/sysquery/site.h"
#include "tests/unit/tmpdir.h"

#include <math.h>

#include "common/jsonx.h"
#include "job_submit/history/job_history.h"
#include "sysquery/page/collect/collect.h"
#include "sysquery/page/svg/html.h"
#include "sysquery/page/svg/svg.h"
#include "wire/job.h"

#define NOW   1790000000
#define SINCE (NOW - 30 * 86400)

static struct slu_err err;

static struct slu_db *new_db(void)
{
	struct slu_db *db;
	char path[128];

	snprintf(path, sizeof(path), "%s/page.db", tmpdir());
	unlink(path);
	db = slu_db_open(path, SLU_DB_WRITE, &err);
	expect(db != NULL, "%s", err.text);
	return db;
}

static struct json_object *collect(struct slu_db *db, uint32_t uid)
{
	const struct slu_page_query q = {uid, SINCE, NOW};
	struct json_object *doc = slu_page_collect(db, &q, &err);

	expect(doc != NULL, "%s", err.text);
	return doc;
}

static struct json_object *at(struct json_object *obj, const char *path)
{
	struct json_object *value = NULL;

	expect(json_pointer_get(obj, path, &value) == 0, "%s in %s", path,
	       slu_json_text(obj));
	return value;
}

static int64_t number(struct json_object *obj, const char *path)
{
	return json_object_get_int64(at(obj, path));
}

static char *render(struct json_object *doc)
{
	struct slu_buf out = {0};

	expect_ok(slu_page_render(doc, 0, &out, &err), err);
	return slu_buf_steal(&out);
}

static void exec(struct slu_db *db, const char *sql)
{
	expect_ok(slu_db_script(db, sql, &err), err);
}

/* Each of these is a chance to become markup. */
START_TEST(test_escapes)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"plain", "plain"},
		{"<script>alert(1)</script>",
		 "&lt;script&gt;alert(1)&lt;/script&gt;"},
		{"\"' onload='x", "&quot;&#39; onload=&#39;x"},
		{"a&amp;b", "a&amp;amp;b"},
		{"two\nlines\t.", "two lines ."},
		{"\xff\xc0<", "??&lt;"},
		{"\xe2\x80\xaegnp.exe", "???gnp.exe"}, /* turns direction */
		{"ünïcödé", "ünïcödé"},
		{NULL, ""},
	};

	each(c, cases)
	{
		struct slu_buf out = {0};

		slu_html_text(&out, c->text);
		expect(!strcmp(out.data ? out.data : "", c->want), "%s: %s",
		       c->text, out.data);
		slu_buf_free(&out);
	}
}
END_TEST

START_TEST(test_scales)
{
	struct slu_scale up = slu_scale_up(70, SLU_AXIS_NUMBER, 100, 0);
	struct slu_scale log = {1, 10000, 0, 400, true};
	static const struct {
		double most;
		enum slu_axis kind;
		double to;
	} cases[] = {
		{0, SLU_AXIS_NUMBER, 4},
		{3, SLU_AXIS_NUMBER, 4},
		{41, SLU_AXIS_NUMBER, 80},
		{81, SLU_AXIS_NUMBER, 100},
		{100, SLU_AXIS_NUMBER, 100},
		{0.3, SLU_AXIS_MBPS, 0.4},
		{61, SLU_AXIS_SECONDS, 120},
		{3000, SLU_AXIS_SECONDS, 3600},
		{86401, SLU_AXIS_SECONDS, 172800},
	};

	ck_assert_double_eq(slu_scale_at(&up, 0), 100);
	ck_assert_double_eq(slu_scale_at(&up, 80), 0);
	ck_assert_double_eq(slu_scale_at(&up, 1e9), 0);
	ck_assert_double_eq(slu_scale_at(&up, -5), 100);
	ck_assert_double_eq_tol(slu_scale_at(&log, 100), 200, 1e-9);
	ck_assert_double_eq(slu_scale_at(&log, 0), 0);
	each(c, cases)
	{
		struct slu_scale s = slu_scale_up(c->most, c->kind, 0, 1);

		expect(fabs(s.to - c->to) < 1e-9, "%g: %g", c->most, s.to);
	}
}
END_TEST

/* Against the sum of all moments: bins are means over their part of the time.
 */
START_TEST(test_bins)
{
	const struct slu_page_query q = {0, 1000, 1000 + 10 * SLU_BINS};
	double bin[SLU_BINS] = {0}, sum = 0;

	slu_bins_add(bin, &q, 995, 1005, 2);
	ck_assert_double_eq(bin[0], 1);
	slu_bins_add(bin, &q, 1010, 1040, 3);
	ck_assert_double_eq(bin[1], 3);
	ck_assert_double_eq(bin[3], 3);
	ck_assert_double_eq(bin[4], 0);
	slu_bins_add(bin, &q, 1000 + 10 * SLU_BINS - 1, 1e9, 10);
	ck_assert_double_eq_tol(bin[SLU_BINS - 1], 1, 1e-9);
	slu_bins_add(bin, &q, 0, 900, 5);
	slu_bins_add(bin, &q, 2000, 1000, 5);
	for (int i = 0; i < SLU_BINS; i++)
		sum += bin[i];
	ck_assert_double_eq_tol(sum, 1 + 9 + 1, 1e-9);
}
END_TEST

START_TEST(test_nothing)
{
	struct slu_db *db = new_db();
	struct json_object *doc = collect(db, SLU_NO_ID);
	char *page = render(doc);

	/* Each empty section says that it is empty, and how to get data. */
	static const char *const want[] = {
		"No pools.",
		"No buffer in this time.",
		"No I/O nodes were assigned",
		"No job that ended had a prediction.",
		"No job with a limit ended",
		"No Lustre storage server has reported",
		"The resource map is empty.",
	};
	each(w, want) expect(strstr(page, *w) != NULL, "%s", *w);
	free(page);
	json_object_put(doc);
	slu_db_close(db);
}
END_TEST

static void add_buffer(struct slu_db *db, int bid, int job, int uid, int state,
		       const char *more)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO Buffer (BID, JobID, Restarts, Uid, JobName,"
		 " Capacity, Nodes, State, Created, Since, Plan) VALUES (%d, "
		 "%d, 0, %d, 'j%d', 1024, 2, %d, %d, %d, '{}'); %s",
		 bid, job, uid, job, state, NOW - 4000, NOW - 1000, more);
	exec(db, sql);
}

static void add_line(struct slu_db *db, int bid, int ago, int state)
{
	char sql[128];

	snprintf(sql, sizeof(sql),
		 "INSERT INTO BufferHistory VALUES (%d, %d, %d, 'x')", bid,
		 NOW - ago, state);
	exec(db, sql);
}

START_TEST(test_buffers)
{
	struct slu_db *db = new_db();
	struct json_object *doc;

	add_buffer(db, 1, 17, 7, 3, "");
	add_line(db, 1, 4000, 1);
	add_line(db, 1, 3900, 2);
	add_line(db, 1, 3500, 2); /* a remark */
	add_line(db, 1, 3000, 3);
	add_buffer(db, 2, 18, 8, 6,
		   "UPDATE Buffer SET Failure = 'no <b>', FailedAt = Since,"
		   " Verdict = 2, What = 1 WHERE BID = 2;"
		   "INSERT INTO BufferNode (BID, Position, Node, State, Orders)"
		   " VALUES (2, 0, 'n9', 4, 1)");
	add_line(db, 2, 2000, 1);
	add_line(db, 2, 1000, 6);
	add_buffer(db, 3, -50331648, 8, 3,
		   "UPDATE Buffer SET JobID = 4244635648, Name = 'keep'"
		   " WHERE BID = 3");
	doc = collect(db, SLU_NO_ID);
	ck_assert_int_eq(number(doc, "/buffers/total"), 3);
	ck_assert_int_eq(number(doc, "/buffers/failed"), 1);
	ck_assert_str_eq(
		json_object_get_string(at(doc, "/buffers/alive/0/state")),
		"RUNNING");
	ck_assert_str_eq(
		json_object_get_string(at(doc, "/buffers/alive/1/name")),
		"keep");
	ck_assert_ptr_null(
		json_object_object_get(at(doc, "/buffers/alive/1"), "job"));
	/* one span for each state, the last until now */
	ck_assert_int_eq(
		json_object_array_length(at(doc, "/buffers/timeline/0/spans")),
		3);
	ck_assert_int_eq(number(doc, "/buffers/timeline/0/spans/1/to"),
			 NOW - 3000);
	ck_assert_int_eq(number(doc, "/buffers/timeline/0/spans/2/to"), NOW);
	ck_assert_int_eq(number(doc, "/buffers/timeline/1/spans/0/to"),
			 NOW - 1000);
	ck_assert_int_eq(number(doc, "/holds/0/job"), 18);
	ck_assert_str_eq(json_object_get_string(at(doc, "/drained/0/node")),
			 "n9");
	json_object_put(doc);

	/* A user sees their own, and a job that runs again is not held. */
	doc = collect(db, 7);
	ck_assert_int_eq(number(doc, "/buffers/total"), 1);
	ck_assert_int_eq(json_object_array_length(at(doc, "/holds")), 0);
	ck_assert_int_eq(json_object_array_length(at(doc, "/drained")), 0);
	json_object_put(doc);
	add_buffer(db, 4, 18, 8, 1, "");
	doc = collect(db, SLU_NO_ID);
	ck_assert_int_eq(json_object_array_length(at(doc, "/holds")), 0);
	json_object_put(doc);
	slu_db_close(db);
}
END_TEST

static void add_job(struct slu_db *db, uint32_t id, int64_t ran, uint32_t limit,
		    uint32_t predicted)
{
	struct slu_job job = {.job_id = id,
			      .uid = 7,
			      .user = "ada",
			      .name = "j",
			      .node_cnt = 2,
			      .start = NOW - 40000,
			      .end = NOW - 40000 + ran,
			      .limit_asked = 2 * limit,
			      .limit = limit,
			      .predicted = predicted,
			      .ion_max = SLU_NO_ID,
			      .ions = SLU_NO_ID};

	expect_ok(slu_history_add(db, &job, &err), err);
}

START_TEST(test_jobs_of_the_page)
{
	struct slu_db *db = new_db();
	struct json_object *doc;
	struct slu_job old = {.job_id = 99,
			      .uid = 7,
			      .node_cnt = 1,
			      .start = SINCE - 100,
			      .end = SINCE - 1,
			      .limit = 10,
			      .predicted = 5};

	expect_ok(slu_history_add(db, &old, &err), err);
	for (uint32_t i = 0; i < 10; i++)
		add_job(db, 1 + i, 3600 + 60 * i, 100, 3900);
	add_job(db, 50, 6001, 100, 0); /* beyond its limit, not predicted */
	doc = collect(db, SLU_NO_ID);
	ck_assert_int_eq(number(doc, "/errors/jobs"), 10);
	ck_assert_int_eq(number(doc, "/errors/calibration/0/jobs"), 10);
	ck_assert_int_eq(number(doc, "/errors/calibration/0/q10_seconds"),
			 3660);
	ck_assert_int_eq(number(doc, "/errors/calibration/0/q90_seconds"),
			 3600 + 60 * 8);
	/* those of 3960 s and more, of ten */
	ck_assert_double_eq_tol(
		json_object_get_double(at(doc, "/errors/under")), 0.4, 1e-9);
	ck_assert_int_eq(number(doc, "/limits/jobs"), 11);
	ck_assert_int_eq(number(doc, "/limits/granted/6"), 10);
	ck_assert_int_eq(number(doc, "/limits/granted/10"), 1);
	ck_assert_int_eq(number(doc, "/limits/asked/3"), 10);
	ck_assert_int_eq(number(doc, "/limits/asked/5"), 1);
	ck_assert_int_eq(number(doc, "/limits/user/0/granted_node_hours"),
			 llround(11 * 2 * 100 / 60.0));
	json_object_put(doc);
	doc = collect(db, 8);
	ck_assert_int_eq(number(doc, "/limits/jobs"), 0);
	json_object_put(doc);
	slu_db_close(db);
}
END_TEST

static void add_event(struct slu_db *db, int ago, double total,
		      const char *changes)
{
	expect(slu_db_exec(db, &err,
			   "INSERT INTO Assignment (Epoch, Time, Event, Policy,"
			   " Total, StaticTotal, Json) VALUES (1, ?, 'e',"
			   " 'MCKP', ?, ?, ?)",
			   "Idds", (int64_t)(NOW - ago), total, total / 2,
			   changes) == 1,
	       "%s", err.text);
}

START_TEST(test_ions)
{
	struct slu_db *db = new_db();
	struct json_object *doc;
	double held = 0;

	add_event(db, 30 * 86400, 100,
		  "[{\"job_id\":5,\"name\":\"a\",\"ions\":2,"
		  "\"bandwidth\":100}]");
	add_event(db, 15 * 86400, 300,
		  "[{\"job_id\":5,\"name\":\"a\",\"ions\":4},"
		  "{\"job_id\":6,\"name\":\"b\",\"ions\":1}]");
	add_event(db, 5 * 86400, 0,
		  "[{\"job_id\":5,\"ions\":0},{\"job_id\":6,\"ions\":0}]");
	add_event(db, 100, 0, "no JSON");
	add_event(db, 50, 0, "[7,null,{\"job_id\":\"x\"},{}]");
	doc = collect(db, SLU_NO_ID);
	ck_assert_int_eq(number(doc, "/ions/events"), 5);
	ck_assert_int_eq(number(doc, "/ions/jobs"), 2);
	ck_assert_int_eq(number(doc, "/ions/lanes/0/spans/1/ions"), 4);
	ck_assert_int_eq(number(doc, "/ions/lanes/0/spans/1/to"),
			 NOW - 5 * 86400);
	ck_assert_int_eq(number(doc, "/ions/lanes/0/predicted_mbps"), 100);
	for (int i = 0; i < SLU_BINS; i++)
		held += json_object_get_double(json_object_array_get_idx(
			at(doc, "/ions/bins/held"), (size_t)i));
	/* node-days, of 30 days */
	ck_assert_double_eq_tol(held / SLU_BINS * 30, 2 * 15 + 5 * 10, 0.01);
	json_object_put(doc);
	/* Other users get only sums, and no lanes. */
	doc = collect(db, 7);
	ck_assert_int_eq(number(doc, "/ions/events"), 5);
	ck_assert_int_eq(json_object_array_length(at(doc, "/ions/lanes")), 0);
	json_object_put(doc);
	slu_db_close(db);
}
END_TEST

/* What is written by whom, wherever it comes from. */
/* A picture of nothing says why it is empty. */
START_TEST(test_short_lives)
{
	for (int lived = 1; lived <= 3000; lived += 2999) {
		struct slu_db *db = new_db();
		struct json_object *doc;
		char *page;

		add_buffer(db, 1, 17, 7, 6, "");
		add_line(db, 1, 3500, 1);
		add_line(db, 1, 3500 - lived, 6);
		doc = collect(db, SLU_NO_ID);
		page = render(doc);
		expect(!strstr(page, "They lived so shortly") == (lived > 1),
		       "%d s", lived);
		free(page);
		json_object_put(doc);
		slu_db_close(db);
	}
}
END_TEST

START_TEST(test_hostile)
{
	static const char evil[] = "\"><script>x</script><!--'&\x01\xff";
	const struct site site = {80, 400, NOW, evil};
	struct slu_db *db = new_db();
	struct json_object *doc;
	char *page;

	expect_ok(site_fill(db, &site, &err), err);
	doc = collect(db, SLU_NO_ID);
	page = render(doc);
	expect(strstr(page, "script&gt;x") != NULL, "it is there");
	expect(!strstr(page, "<script"), "%s", strstr(page, "<script"));
	expect(!strstr(page, "<!--"), "%s", strstr(page, "<!--"));
	expect(!strchr(page, 1) && !strchr(page, '\xff'), "raw bytes");
	free(page);
	json_object_put(doc);
	slu_db_close(db);
}
END_TEST

/* The same database, the same bytes. */
START_TEST(test_same_database_same_bytes)
{
	const struct site site = {80, 2000, NOW, NULL};
	struct slu_db *db = new_db();
	struct json_object *doc;
	char *page[2];

	expect_ok(site_fill(db, &site, &err), err);
	for (int i = 0; i < 2; i++) {
		doc = collect(db, SLU_NO_ID);
		page[i] = render(doc);
		json_object_put(doc);
	}
	ck_assert_str_eq(page[0], page[1]);
	free(page[0]);
	free(page[1]);
	slu_db_close(db);
}
END_TEST

START_TEST(test_refused)
{
	static const char *const cases[] = {
		"{}",
		"[]",
		"{\"schema\":\"sluice-page\"}",
		"{\"schema\":\"sluice-page\",\"now\":5,\"since\":5}",
		"{\"schema\":\"other\",\"now\":5,\"since\":1}",
	};
	const struct slu_page_query late = {SLU_NO_ID, NOW, NOW};
	struct slu_db *db = new_db();

	each(c, cases)
	{
		struct json_object *doc = slu_json_parse(*c, strlen(*c), NULL);
		struct slu_buf out = {0};

		expect(slu_page_render(doc, 0, &out, &err) < 0 &&
			       err.kind == SLU_INVALID,
		       "%s", *c);
		slu_buf_free(&out);
		json_object_put(doc);
	}
	ck_assert_ptr_null(slu_page_collect(db, &late, &err));
	slu_db_close(db);
}
END_TEST

/* What the answer does not have is not drawn. */
START_TEST(test_backtest_page)
{
	static const char text[] =
		"{\"jobs\":9,\"judged\":7,\"machine\":4,\"unit\":\"nodes\","
		"\"errors\":{\"week\":[{\"week\":\"2026-11-16\",\"jobs\":7,"
		"\"median_error\":60,\"median_error_asked\":3000}],\"user\":["
		"{\"user\":\"<a>\",\"jobs\":7,\"median_error\":60}]},"
		"\"calibration\":[{\"share\":0.5,\"below\":0.5}],\"modes\":["
		"{\"mode\":\"advise\",\"jobs\":7,\"wait\":100},{\"mode\":"
		"\"early\",\"jobs\":7,\"lowered\":5,\"extended\":1,\"wait\":50}]}";
	struct json_object *answer = slu_json_parse(text, strlen(text), &err);
	struct json_object *empty = json_object_new_object();
	struct slu_buf page = {0};

	ck_assert_ptr_nonnull(answer);
	slu_page_backtest(answer, &page);
	ck_assert_ptr_nonnull(strstr(page.data, "7 of which are judged"));
	ck_assert_ptr_nonnull(strstr(page.data, "id=\"t-weeks\""));
	ck_assert_ptr_nonnull(strstr(page.data, "&lt;a&gt;"));
	ck_assert_ptr_nonnull(strstr(page.data, "id=\"t-shares\""));
	/* 5 of a scale to 8, and half of the longest wait */
	ck_assert_ptr_nonnull(strstr(
		page.data, "y=\"90.0\" width=\"39.6\" height=\"110.0\"><title>"
			   "limits below the request: 5</title>"));
	ck_assert_ptr_nonnull(strstr(page.data, "mean wait: 50</title>"));
	slu_buf_free(&page);
	slu_page_backtest(empty, &page);
	ck_assert_ptr_null(strstr(page.data, "id=\"t-"));
	slu_buf_free(&page);
	json_object_put(answer);
	json_object_put(empty);
}
END_TEST

TEST_MAIN("page", test_backtest_page, test_short_lives, test_escapes,
	  test_scales, test_bins, test_nothing, test_buffers,
	  test_jobs_of_the_page, test_ions, test_hostile,
	  test_same_database_same_bytes, test_refused)
