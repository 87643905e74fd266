/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluiced's table of I/O nodes assigned to jobs, and its changes. */
#include "sluiced/publication/assignment.h"
#include "common/jsonx.h"
#include "common/str.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

/* From text, as it travels: "17:ion1,18:ion[2-3]". */
static struct slu_epoch *epoch(uint64_t number, const char *shares)
{
	struct slu_assignment a;
	struct slu_buf json = {0};
	unsigned job;
	char ions[64];
	int used;

	slu_buf_printf(&json,
		       "{\"epoch\":%u,\"time\":%u,\"event\":\"start\","
		       "\"policy\":\"MCKP\",\"ions\":\"ion[1-9]\",\"total\":9,"
		       "\"static_total\":4,\"jobs\":[",
		       (unsigned)number, 1000 + (unsigned)number);
	while (sscanf(shares, "%u:%63[^ ] %n", &job, ions, &used) == 2) {
		slu_buf_printf(&json,
			       "%s{\"job_id\":%u,\"name\":\"j\",\"nodes\":"
			       "\"n1\",\"ions\":\"%s\"}",
			       json.data[json.len - 1] == '[' ? "" : ",", job,
			       ions);
		shares += used;
	}
	slu_buf_puts(&json, "]}");
	expect_ok(slu_decode_text(&slu_assignment_desc, json.data, json.len, &a,
				  &err),
		  err);
	slu_buf_free(&json);
	return slu_epoch_new(&a);
}

static const struct {
	const char *old, *now, *changes;
} cases[] = {
	{"", "", "[]"},
	{"", "17:ion1 ", "[{\"job_id\":17,\"name\":\"j\",\"ions\":1}]"},
	{"17:ion1 ", "17:ion1 ", "[]"},
	{"17:ion1 ", "17:ion[1-2] ",
	 "[{\"job_id\":17,\"name\":\"j\",\"ions\":2}]"},
	{"17:ion[1-4] 18:ion5 ", "18:ion5 ",
	 "[{\"job_id\":17,\"name\":\"j\",\"ions\":0}]"},
	{"9:ion1 5:ion2 7:ion3 ", "7:ion3 5:ion2 9:ion1 ", "[]"},
};

START_TEST(test_changes)
{
	each(c, cases)
	{
		struct slu_epoch *old = epoch(1, c->old);
		struct slu_epoch *now = epoch(2, c->now);
		struct json_object *changes = slu_epoch_changes(old, now);

		expect(!strcmp(slu_json_text(changes), c->changes),
		       "%s -> %s: %s", c->old, c->now, slu_json_text(changes));
		json_object_put(changes);
		slu_epoch_unref(old);
		slu_epoch_unref(now);
	}
}
END_TEST

static double number(struct json_object *obj, const char *key)
{
	double v = -1;

	slu_json_double_opt(obj, key, &v, NULL);
	return v;
}

static int store(struct slu_db *db, const struct slu_epoch *old,
		 const struct slu_epoch *now)
{
	struct slu_epoch *head = slu_epoch_head(now);
	struct json_object *changes = slu_epoch_changes(old, now);
	int rc = slu_epoch_store(db, head, changes, &err);

	ck_assert_uint_eq(head->a.n_jobs, 0);
	json_object_put(changes);
	slu_epoch_unref(head);
	return rc;
}

START_TEST(test_table_of_assignments)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_epoch *one = epoch(1, "17:ion1 ");
	struct slu_epoch *two = epoch(2, "17:ion1 18:ion[2-3] ");
	struct json_object *list, *event, *changed;

	expect_ok(store(db, NULL, one), err);
	expect_ok(store(db, one, two), err);
	list = slu_epoch_history(db, 0, 10, &err);
	ck_assert_uint_eq(json_object_array_length(list), 2);
	event = json_object_array_get_idx(list, 1);
	json_object_object_get_ex(event, "changed", &changed);
	ck_assert_str_eq(slu_json_text(changed),
			 "[{\"job_id\":18,\"name\":\"j\",\"ions\":2}]");
	ck_assert_ptr_nonnull(strstr(slu_json_text(event), "\"time\":1002"));
	json_object_put(list);
	list = slu_epoch_history(db, 0, 1, &err);
	ck_assert_uint_eq(json_object_array_length(list), 1);
	ck_assert_ptr_nonnull(strstr(slu_json_text(list), "\"time\":1002"));
	json_object_put(list);
	list = slu_epoch_history(db, 17, 10, &err);
	ck_assert_uint_eq(json_object_array_length(list), 1);
	ck_assert_ptr_nonnull(strstr(slu_json_text(list), "\"time\":1001"));
	json_object_put(list);
	list = slu_epoch_history(db, 19, 10, &err);
	ck_assert_uint_eq(json_object_array_length(list), 0);
	json_object_put(list);
	expect_ok(slu_db_script(
			  db,
			  "INSERT INTO Assignment SELECT AID + 9, 9, 9 + "
			  "Time, Event, Policy, Total, StaticTotal, 'x' FROM "
			  "Assignment WHERE Time = 1002",
			  &err),
		  err);
	list = slu_epoch_history(db, 17, 10, &err);
	expect(list, "%s", err.text);
	ck_assert_uint_eq(json_object_array_length(list), 1);
	json_object_put(list);
	expect_ok(slu_db_script(db, "DELETE FROM Assignment WHERE Json = 'x'",
				&err),
		  err);
	/* The first stands for a second, the other for seven; nothing is
	 * known of what was before. */
	list = slu_epoch_gain(db, 500, 1009, &err);
	ck_assert_double_eq(number(list, "seconds"), 8);
	ck_assert_double_eq(number(list, "total"), 9);
	ck_assert_double_eq(number(list, "static_total"), 4);
	json_object_put(list);
	list = slu_epoch_gain(db, 1005, 1009, &err);
	ck_assert_double_eq(number(list, "seconds"), 4);
	json_object_put(list);
	/* Long after, the old ones go. */
	two->a.time += SLU_ASSIGNMENT_KEEP;
	expect_ok(store(db, one, two), err);
	list = slu_epoch_history(db, 0, 10, &err);
	ck_assert_uint_eq(json_object_array_length(list), 2);
	json_object_put(list);
	slu_epoch_unref(one);
	slu_epoch_unref(two);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("sluiced_assignment", test_changes, test_table_of_assignments)
