/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests sysquery job and report, from a recorded database through sluiced's
 * answer to the printed page. The expected pages are in tests/fixtures/jobs;
 * JOB_PAGES=write writes them.
 */
#include "config.h"
#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include "burst_buffer/lifecycle/record.h"
#include "common/conf_host.h"
#include "common/file.h"
#include "common/http.h"
#include "common/jsonx.h"
#include "sluiced/control/known_jobs.h"
#include "sluiced/daemon.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/questions/answerer_table.h"
#include "sysquery/cli/ask.h"
#include "sysquery/cli/paragraph.h"
#include "tests/unit/harness.h"
#include "tests/unit/store/store_db.h"

#define ALICE 2001u

static struct slu_asker who; /* who asks next */

static int answer(const char *question, struct json_object *args,
		  struct slu_buf *out, struct slu_err *e)
{
	struct slu_db *db = open_db("db", SLU_DB_READ);
	const struct slu_answerer *a = slu_answerers;
	int rc;

	while (strcmp(a->name, question) != 0)
		a++;
	rc = a->answer(db, &who, args, out, e);
	slu_db_close(db);
	return rc;
}

/* In place of the way to sluiced (--wrap). */
struct slu_http *__wrap_slu_http_of_host(double seconds, struct slu_err *e);
void __wrap_slu_http_free(struct slu_http *http);
void __wrap_slu_http_timeout(struct slu_http *http, double seconds);
int __wrap_slu_http_post(struct slu_http *http, const char *path,
			 const void *body, size_t len, double deadline,
			 struct slu_buf *reply, struct slu_err *e);
bool __wrap_slu_conf_of_nobody(void);

struct slu_http *__wrap_slu_http_of_host(double seconds, struct slu_err *e)
{
	(void)seconds, (void)e;
	return (struct slu_http *)&who;
}

void __wrap_slu_http_free(struct slu_http *http)
{
	(void)http;
}

void __wrap_slu_http_timeout(struct slu_http *http, double seconds)
{
	(void)http, (void)seconds;
}

int __wrap_slu_http_post(struct slu_http *http, const char *path,
			 const void *body, size_t len, double deadline,
			 struct slu_buf *reply, struct slu_err *e)
{
	struct json_object *args = slu_json_parse(body, len, e);
	const char *question;
	int rc;

	(void)http, (void)path, (void)deadline;
	expect_ok(slu_json_str(args, "question", &question, e), *e);
	rc = answer(question, args, reply, e);
	json_object_put(args);
	return rc;
}

bool __wrap_slu_conf_of_nobody(void)
{
	return false;
}

/* What a command line writes, or its error. */
static const char *ask(const char *line)
{
	static struct slu_buf out;
	char text[256];
	char *argv[16] = {"sysquery", "-o", (char *)tmpfile_path("out")};
	const struct slu_command *c = slu_commands;
	struct slu_ask a;
	size_t n;

	slu_copy(text, sizeof(text), line);
	n = slu_split(text, " ", argv + 3, 12);
	expect_ok(slu_ask_parse(&a, (int)n + 3, argv, &err), err);
	while (strcmp(c->name, a.command) != 0)
		c++;
	slu_buf_reset(&out);
	if (c->run(&a, &err))
		slu_buf_printf(&out, "%s: %s", slu_kind_name(err.kind),
			       err.text);
	else
		expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("out"), 1 << 20,
					&out, &err),
			  err);
	slu_ask_free(&a);
	return out.data;
}

static const char *fixture(const char *name)
{
	static char path[400];
	const char *src = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/tests/fixtures/jobs/%s",
		 src ? src : ".", name);
	return path;
}

static void read_file(const char *name, struct slu_buf *out)
{
	slu_buf_reset(out);
	expect_ok(slu_file_read(AT_FDCWD, fixture(name), 1 << 20, out, &err),
		  err);
}

static void begin(void)
{
	struct slu_db *db = open_db("db", SLU_DB_WRITE);
	struct slu_buf sql = {0};

	setenv("TZ", "UTC", 1);
	tzset();
	read_file("recorded.sql", &sql);
	expect_ok(slu_db_script(db, sql.data, &err), err);
	slu_buf_free(&sql);
	slu_db_close(db);
	who = (struct slu_asker){.uid = 0, .admin = true};
}

/* Only a word that is longer than a line may stick out. */
static void expect_fits(const char *page)
{
	for (const char *line = page; *line;) {
		size_t len = strcspn(line, "\n");

		expect(len <= SLU_PAGE_WIDTH ||
			       !memchr(line + SLU_PAGE_LABEL, ' ',
				       len - SLU_PAGE_LABEL),
		       "%.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

static void expect_page(const char *line, const char *name)
{
	const char *page = ask(line);
	struct slu_buf want = {0};

	expect_fits(page);
	if (slu_eq(getenv("JOB_PAGES"), "write")) {
		expect_ok(slu_file_write(AT_FDCWD, fixture(name), page,
					 strlen(page), 0644, false, &err),
			  err);
		return;
	}
	read_file(name, &want);
	ck_assert_str_eq(page, want.data);
	slu_buf_free(&want);
}

/* Every fate: well, held twice, output lost, too large, timeout, a task. */
START_TEST(test_pages)
{
	static const char *const jobs[] = {"1", "2", "3", "4", "8", "9", "11"};
	char line[32], name[32];

	begin();
	each(job, jobs)
	{
		snprintf(line, sizeof(line), "job %s --table", *job);
		snprintf(name, sizeof(name), "job%s.page", *job);
		expect_page(line, name);
	}
	expect_page("job 10_1 --table", "task.page");
	expect_page("report --since @1795830000 --table", "report.page");
}
END_TEST

/* Users see their own; what is not known, or not theirs, is one line. */
START_TEST(test_only_own_jobs)
{
	static const char nothing[] = "notfound: job %s: nothing is known ";
	char want[80];

	begin();
	snprintf(want, sizeof(want), nothing, "99");
	expect(!strncmp(ask("job 99"), want, strlen(want)), "%s",
	       ask("job 99"));
	snprintf(want, sizeof(want), nothing, "10_7");
	expect(!strncmp(ask("job 10_7"), want, strlen(want)), "%s",
	       ask("job 10_7"));
	who = (struct slu_asker){.uid = ALICE};
	ck_assert_ptr_nonnull(strstr(ask("job 1"), "\"job_id\":1,"));
	ck_assert_ptr_nonnull(strstr(ask("job 10_1"), "\"array_task_id\":1"));
	ck_assert_ptr_nonnull(
		strstr(ask("report --since @1795830000"), "\"count\":12,"));
	who = (struct slu_asker){.uid = ALICE + 1};
	for (int i = 1; i < 12; i++) {
		char line[16];

		snprintf(line, sizeof(line), "job %d", i);
		ck_assert_ptr_nonnull(strstr(ask(line), "nothing is known"));
	}
	ck_assert_ptr_nonnull(strstr(ask("job 10_1"), "nothing is known"));
	ck_assert_ptr_nonnull(
		strstr(ask("report --since @1795830000"), "\"count\":0,"));
	ck_assert_ptr_nonnull(strstr(ask("report --user 2001"), "denied: "));
}
END_TEST

/* What is live: how full it is now, what goes on, its I/O nodes. */
/* Of running jobs each user sees their own. */
START_TEST(test_running_jobs_of_user)
{
	struct slu_err err;
	struct slu_jobs *jobs = slu_jobs_new(&err);
	struct slu_buffers none = {.db = NULL};
	const struct slu_daemon d = {.jobs = jobs, .buffers = &none};
	const struct slu_job job = {.job_id = 5,
				    .uid = ALICE,
				    .start = 50,
				    .state = (char *)"RUNNING",
				    .nodes = (char *)"n1"};
	const struct {
		struct slu_asker who;
		bool sees;
	} askers[] = {{{.uid = ALICE}, true},
		      {{.uid = ALICE + 1}, false},
		      {{.uid = ALICE + 1, .admin = true}, true}};
	struct json_object *args = slu_json_parse("{\"job_id\":5}", 12, &err);

	expect_ok(slu_jobs_start(jobs, &job, &err), err);
	each(a, askers)
	{
		struct json_object *live = slu_prepare_job(&d, &a->who, args);

		expect(json_object_object_get_ex(live, "job", NULL) == a->sees,
		       "uid %u", (unsigned)a->who.uid);
		json_object_put(live);
	}
	json_object_put(args);
	slu_jobs_free(jobs);
}
END_TEST

START_TEST(test_live)
{
	static const char live[] =
		"{\"job_id\":7,\"running\":true,\"job\":{\"job_id\":7,"
		"\"uid\":2001,\"user\":\"alice\",\"name\":\"sim\","
		"\"state\":\"RUNNING\",\"nodes\":\"n[1-2]\",\"node_cnt\":2,"
		"\"start\":1795830241,\"submit\":1795830141,\"limit\":10,"
		"\"waited\":\"0:01:10 for storage, 0:00:20 for promised "
		"storage\",\"request\":\"jobfs capacity=1GiB\"},"
		"\"fullness\":{\"1\":{\"used_bytes\":9437184,\"told\":2}},"
		"\"progress\":{\"1\":\"sluice: stage-in, 1 of 2 nodes done\"},"
		"\"io_nodes\":{\"nodes\":\"io[1-2]\",\"count\":2,"
		"\"wanted\":3,\"shared\":false}}";
	struct slu_db *db;
	const char *page;

	begin();
	db = open_db("db", SLU_DB_WRITE);
	expect_ok(slu_db_script(
			  db,
			  "UPDATE Buffer SET JobID = 7, State = 3 WHERE BID ="
			  " 1; DELETE FROM BufferHistory WHERE State > 3;"
			  "INSERT INTO BufferHistory (BID, Time, State, Text)"
			  " SELECT BID, min(Time) + 30, 1, 'n1 has booted "
			  "after 30 s' FROM BufferHistory WHERE BID = 1;"
			  "INSERT INTO Assignment (Epoch, Time, Event, Json)"
			  " VALUES (1, 1795830242, 'start 7', '[{\"job_id\":7,"
			  "\"name\":\"sim\",\"ions\":1}]'), (2, 1795830300,"
			  " 'end 5', '[{\"job_id\":7,\"name\":\"sim\","
			  "\"ions\":2},{\"job_id\":5,\"ions\":0}]')",
			  &err),
		  err);
	slu_db_close(db);
	who.live = slu_json_parse(live, sizeof(live) - 1, &err);
	page = ask("job 7 --table");
	expect_fits(page);
	ck_assert_ptr_nonnull(strstr(page, "alice: RUNNING\n"));
	ck_assert_ptr_nonnull(strstr(page, "In use      now 9MiB, at most "));
	ck_assert_ptr_nonnull(strstr(page, "sluice: stage-in, 1 of 2 nodes"));
	ck_assert_ptr_nonnull(strstr(
		page, "I/O nodes   now 2: io[1-2]; 1 from 2026-11-28T01:44:02; "
		      "2 from\n            2026-11-28T01:45:00\n"));
	expect(strstr(page,
		      "Waited      1:40 in the queue; 1:10 of that for storage "
		      "that others had; 20 s of\n            that for storage "
		      "kept for others; 30 s for its nodes to boot"),
	       "%s", page);
	page = ask("job 7");
	ck_assert_ptr_nonnull(strstr(page, "\"name\":\"run\""));
	ck_assert_ptr_nonnull(strstr(page, "\"goes_on\":true"));
	json_object_put(who.live);
}
END_TEST

/* A unit is in the name of each number that has one. */
static void expect_units(struct json_object *obj, const char *path)
{
	static const char *const units[] = {"_bytes", "_seconds", "_unix",
					    "_per_second", "_mean"};
	static const char *const counts[] = {"version",
					     "job_id",
					     "uid",
					     "restarts",
					     "buffer",
					     "count",
					     "files",
					     "bytes",
					     "seconds",
					     "_count",
					     "_nodes",
					     "_id",
					     "wanted",
					     "uses_buffer_of",
					     "completed",
					     "failed",
					     "timeout",
					     "cancelled",
					     "with_request",
					     "limited",
					     "tightened",
					     "extended",
					     "jobs",
					     "known",
					     "at_most_a_third",
					     "failed_in_setup",
					     "failed_in_stage_in",
					     "failed_in_run",
					     "failed_in_stage_out"};

	if (json_object_is_type(obj, json_type_array))
		for (size_t i = 0; i < json_object_array_length(obj); i++)
			expect_units(json_object_array_get_idx(obj, i), path);
	if (!json_object_is_type(obj, json_type_object))
		return;
	json_object_object_foreach(obj, key, value)
	{
		bool ok = !json_object_is_type(value, json_type_int) &&
			  !json_object_is_type(value, json_type_double);
		size_t len = strlen(key);

		each(u, units) ok |=
			len > strlen(*u) && slu_eq(key + len - strlen(*u), *u);
		each(c, counts) ok |=
			slu_eq(key, *c) || (**c == '_' && len > strlen(*c) &&
					    slu_eq(key + len - strlen(*c), *c));
		expect(ok, "%s.%s has no unit", path, key);
		expect_units(value, key);
	}
}

START_TEST(test_json)
{
	static const char *const lines[] = {"job 1", "job 2",
					    "job 3", "job 4",
					    "job 9", "report --since @1"};
	struct json_object *obj;
	uint64_t version = 0;
	const char *text, *schema;

	begin();
	each(line, lines)
	{
		text = ask(*line);
		obj = slu_json_parse(text, strlen(text), &err);
		expect(obj, "%s: %s", text, err.text);
		expect_ok(slu_json_str(obj, "schema", &schema, &err) ||
				  slu_json_u64(obj, "version", &version, &err),
			  err);
		ck_assert(!strncmp(schema, "sluice.", 7));
		ck_assert_uint_eq(version, 1);
		expect_units(obj, *line);
		json_object_put(obj);
	}
}
END_TEST

/* Rows that make no sense take nothing down with them. */
START_TEST(test_damaged)
{
	static const char *const harm[] = {
		"UPDATE Buffer SET Plan = 'x'",
		"UPDATE Buffer SET Plan = '{\"node\":7}'",
		"UPDATE BufferNode SET UsedMost = -5",
		"UPDATE BufferNode SET UsedMost = 9223372036854775807",
		"UPDATE BufferPhase SET Began = 1e300, Ended = -1e300",
		"UPDATE BufferPhase SET Bytes = NULL, Files = NULL",
		"UPDATE BufferHistory SET Time = 0",
		"UPDATE Buffer SET Ready = 1e308, Ended = -1e308",
		"UPDATE Buffer SET What = 77, FailedIn = 99, Verdict = 9",
		"UPDATE History SET StartTime = 9e15 WHERE JobID = 1",
		"UPDATE History SET Name = NULL, User = NULL, Nodes = NULL",
		"DELETE FROM History",
		"DELETE FROM BufferHistory",
		"DELETE FROM BufferNode",
		"DELETE FROM BufferPhase",
	};

	each(sql, harm)
	{
		struct slu_db *db;

		begin();
		db = open_db("db", SLU_DB_WRITE);
		expect_ok(slu_db_script(db, *sql, &err), err);
		slu_db_close(db);
		expect(!strncmp(ask("job 1 --table"), "Job  ", 5), "%s: %s",
		       *sql, ask("job 1 --table"));
		expect(!strncmp(ask("job 2 --table"), "Job  ", 5), "%s: %s",
		       *sql, ask("job 2 --table"));
		expect(!strncmp(ask("report --since @1 --table"), "Report", 6),
		       "%s: %s", *sql, ask("report --since @1 --table"));
		unlink(tmpfile_path("db"));
	}
}
END_TEST

/* An invalid job number is refused before sluiced is asked. */
START_TEST(test_malformed_job_ids)
{
	static const char *const words[] = {
		"job x",     "job 0",	       "job 1-2",
		"job 1_",    "job 1_x",	       "job 1.2",
		"job 1_2_3", "job 4294967295", "job 99999999999999999999"};

	begin();
	each(w, words)
		expect(!strncmp(ask(*w), "invalid", 7), "%s: %s", *w, ask(*w));
	ck_assert_str_eq(ask("job"),
			 "invalid: which job? (see sysquery --help)");
}
END_TEST

TEST_MAIN("job page", test_pages, test_only_own_jobs, test_running_jobs_of_user,
	  test_live, test_json, test_damaged, test_malformed_job_ids)
