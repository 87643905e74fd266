/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the report of ended runs' measured bandwidth against the predicted one,
 * from rows of the history. */
#include "config.h"
#include "sluiced/questions/io/ion_report.h"
#include "common/jsonx.h"
#include "job_submit/history/job_history.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#define DAY    86400
#define MONDAY (4 * DAY) /* 1970-01-05 */

static struct slu_err err;

static const struct {
	uint32_t id, uid;
	char *user, *name;
	int64_t start, end;
	double mb, predicted, fixed, alone;
} runs[] = {
	{1, 7, "ann", "cfd", MONDAY, MONDAY + 100, 1000, 20, 40, 50},
	{2, 7, "ann", "cfd", MONDAY + 50, MONDAY + 150, 3000, 20, 40, 40},
	{3, 8, "bob", "ai", MONDAY, MONDAY + 200, 8000, 50, 10, 50},
	{4, 8, "bob", "ai", MONDAY + DAY, MONDAY + DAY + 100, 9000, 50, 10, 50},
	{5, 8, "bob", "ai", MONDAY + 7 * DAY, MONDAY + 7 * DAY + 100, 900, 9, 9,
	 9},
	/* not measured, not predicted */
	{6, 7, "ann", "cfd", MONDAY, MONDAY + 100, 0, 20, 40, 50},
	{7, 7, "ann", "cfd", MONDAY, MONDAY + 100, 500, 0, 0, 0},
};

static struct slu_db *recorded(void)
{
	static int n;
	struct slu_db *db;
	char path[128];

	snprintf(path, sizeof(path), "%s/db%d", tmpdir(), n++);
	db = slu_db_open(path, SLU_DB_WRITE, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	each(r, runs)
	{
		struct slu_job job = {.job_id = r->id,
				      .uid = r->uid,
				      .user = r->user,
				      .name = r->name,
				      .node_cnt = 4,
				      .state = "COMPLETED",
				      .submit = r->start,
				      .start = r->start,
				      .end = r->end,
				      .ions = 1,
				      .ion_max = SLU_NO_ID,
				      .ion_predicted = r->predicted,
				      .ion_static = r->fixed,
				      .ion_alone = r->alone};
		struct slu_import_io io = {.job_id = r->id,
					   .start = r->start,
					   .read_bytes = r->mb * 1e6,
					   .source = SLU_IO_ACCOUNTING};

		expect_ok(slu_history_add(db, &job, &err), err);
		if (r->mb > 0)
			expect_ok(slu_history_import_io(
					  db, &io, 1,
					  &(struct slu_history_counts){0},
					  &err),
				  err);
	}
	return db;
}

static struct json_object *report(struct slu_db *db, uint32_t uid,
				  struct json_object *events)
{
	struct slu_asker who = {.uid = uid, .admin = uid == 0};
	struct json_object *out = json_object_new_object();
	struct json_object *gain = json_object_new_object();

	json_object_object_add(out, "gain", gain);
	expect_ok(
		slu_ion_report(db, &who, MONDAY, true, events, gain, out, &err),
		err);
	return out;
}

static struct json_object *row(struct json_object *out, const char *list,
			       size_t i)
{
	struct json_object *rows = NULL;

	ck_assert(json_object_object_get_ex(out, list, &rows));
	ck_assert_uint_gt(json_object_array_length(rows), i);
	return json_object_array_get_idx(rows, i);
}

static const char *word(struct json_object *obj, const char *key)
{
	const char *text = "";

	slu_json_str_opt(obj, key, &text, NULL);
	return text;
}

#define NUMBER(obj, key, want) \
	ck_assert_double_eq_tol(slu_json_number_at(obj, key), want, 1e-6)

START_TEST(test_whole_report)
{
	struct slu_db *db = recorded();
	static const char text[] = "[{\"time\":345660},{\"time\":9}]";
	struct json_object *events =
		slu_json_parse(text, sizeof(text) - 1, &err);
	struct json_object *out = report(db, 0, events), *gain, *one;

	json_object_object_get_ex(out, "gain", &gain);
	NUMBER(gain, "runs", 5);
	NUMBER(gain, "applications", 2);
	NUMBER(gain, "reached", (10 + 30 + 2 * 40 + 90 + 9) / 6.0);
	ck_assert_double_gt(slu_json_number_at(gain, "high"),
			    slu_json_number_at(gain, "estimate"));
	for (size_t i = 0; i < 2; i++) {
		one = row(out, "applications", i);
		if (strcmp(word(one, "user"), "ann") != 0)
			continue;
		NUMBER(one, "runs", 2);
		NUMBER(one, "predicted", 20);
		NUMBER(one, "reached", 20);
		NUMBER(one, "miss", (1 + 1 / 3.0) / 2);
	}
	NUMBER(row(out, "days", 0), "runs", 3);
	NUMBER(row(out, "days", 1), "reached", 90);
	NUMBER(row(out, "days", 2), "day", MONDAY + 7 * DAY);
	/* ann was sacrificed for bob in the first week, by 40 MB/s and 200 s */
	one = row(out, "users", 0);
	ck_assert_str_eq(word(one, "user"), "bob");
	NUMBER(one, "better", 2);
	NUMBER(one, "net", 40 * 300);
	one = row(out, "users", 1);
	ck_assert_str_eq(word(one, "user"), "ann");
	ck_assert_str_eq(word(one, "for"), "bob");
	NUMBER(one, "week", MONDAY);
	NUMBER(one, "worse", 2);
	NUMBER(one, "net", -20 * 200);
	NUMBER(one, "difference_median", -20);
	NUMBER(one, "of_best_least", 0.4);
	NUMBER(one, "of_best_most", 0.5);
	NUMBER(row(out, "users", 2), "net", 0);
	one = json_object_array_get_idx(events, 0); /* 60 s into the first */
	NUMBER(one, "measured_jobs", 3);
	NUMBER(one, "predicted", 90);
	NUMBER(one, "reached", 80);
	NUMBER(json_object_array_get_idx(events, 1), "measured_jobs", 0);
	json_object_put(events);
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

/* A user sees his own rows, and of others that there were some. */
START_TEST(test_user_sees_his_own_rows)
{
	struct slu_db *db = recorded();
	struct json_object *events = json_object_new_array();
	struct json_object *out = report(db, 7, events), *rows;

	ck_assert_ptr_null(strstr(slu_json_text(out), "bob"));
	json_object_object_get_ex(out, "users", &rows);
	ck_assert_uint_eq(json_object_array_length(rows), 1);
	json_object_object_get_ex(out, "applications", &rows);
	ck_assert_uint_eq(json_object_array_length(rows), 1);
	json_object_put(events);
	json_object_put(out);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("ion report", test_whole_report, test_user_sees_his_own_rows)
