/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests what is reported of buffers: as JSON, and the time of their phases. */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "burst_buffer/lifecycle/reconcile/node_usage.h"

static struct json_object *get(struct json_object *obj, const char *key)
{
	struct json_object *value = json_object_object_get(obj, key);

	expect(value, "%s", key);
	return value;
}

static void expect_phases(struct json_object *list)
{
	static const struct {
		const char *name;
		int bytes;
	} phases[] = {{"setup", 0},
		      {"stage_in", 2000},
		      {"run", 0},
		      {"stage_out", 2000},
		      {"teardown", 0}};
	struct json_object *phase;

	ck_assert_uint_eq(json_object_array_length(list), 5);
	for (size_t i = 0; i < 5; i++) {
		phase = json_object_array_get_idx(list, i);
		ck_assert_str_eq(json_object_get_string(get(phase, "name")),
				 phases[i].name);
		ck_assert_int_eq(json_object_get_int(get(phase, "bytes")),
				 phases[i].bytes);
		ck_assert_double_lt(
			json_object_get_double(get(phase, "seconds")), 900);
	}
}

START_TEST(test_json)
{
	struct json_object *all, *one, *list;
	struct world w;
	struct slu_err err;

	world_new(&w, 2, WALK, NULL);
	run_all(&w);
	/* some time after the end */
	expect_ok(slu_db_script(w.db,
				"INSERT INTO BufferHistory SELECT BID, Time + "
				"900, 6, 'later' FROM BufferHistory WHERE "
				"State = 6",
				&err),
		  err);
	all = slu_buffers_json(w.db, JOB, SLU_NO_ID, w.now, &err);
	expect(all, "%s", err.text);
	ck_assert_uint_eq(json_object_array_length(all), 1);
	one = json_object_array_get_idx(all, 0);
	ck_assert_str_eq(json_object_get_string(get(one, "state")), "DONE");
	ck_assert_str_eq(json_object_get_string(get(one, "user")), "ann");
	ck_assert_int_eq(json_object_get_int(get(one, "job")), JOB);
	ck_assert_str_eq(json_object_get_string(get(one, "coherence")),
			 "strict");
	expect_phases(get(one, "phases"));
	list = get(one, "history");
	ck_assert_uint_eq(json_object_array_length(list), 8);
	ck_assert_str_eq(json_object_get_string(get(
				 json_object_array_get_idx(list, 6), "state")),
			 "DONE");
	json_object_put(all);

	/* the plan's option Coherence counts; damaged options are skipped */
	expect_ok(slu_db_script(w.db,
				"UPDATE Buffer SET Plan = json_set(Plan,"
				" '$.option', json('[7, {}, \"x\", {\"key\":"
				" \"Coherence\", \"value\": \"private\"}]'))",
				&err),
		  err);
	all = slu_buffers_json(w.db, JOB, SLU_NO_ID, w.now, &err);
	expect(all, "%s", err.text);
	one = json_object_array_get_idx(all, 0);
	ck_assert_str_eq(json_object_get_string(get(one, "coherence")),
			 "private");
	json_object_put(all);

	/* with an unreadable plan the rest is still reported */
	expect_ok(slu_db_script(w.db, "UPDATE Buffer SET Plan = 'x'", &err),
		  err);
	all = slu_buffers_json(w.db, 0, SLU_NO_ID, w.now, &err);
	expect(all, "%s", err.text);
	one = json_object_array_get_idx(all, 0);
	ck_assert_str_eq(json_object_get_string(get(one, "state")), "DONE");
	ck_assert_uint_eq(json_object_array_length(get(one, "members")), 2);
	json_object_put(all);

	/* buffers of other users, and old ones, are not reported */
	all = slu_buffers_json(w.db, 0, 1001, w.now, &err);
	ck_assert_uint_eq(json_object_array_length(all), 0);
	json_object_put(all);
	all = slu_buffers_json(w.db, 0, 1000, w.now + 86000, &err);
	ck_assert_uint_eq(json_object_array_length(all), 1);
	json_object_put(all);
	all = slu_buffers_json(w.db, 0, 1000, w.now + 87000, &err);
	ck_assert_uint_eq(json_object_array_length(all), 0);
	json_object_put(all);
	world_free(&w);
}
END_TEST

/* The counters of phases: how many ended and how many failed, over all jobs. */
START_TEST(test_phases)
{
	const struct slu_phase_use *use;
	struct world w;

	world_new(&w, 2, WALK, NULL);
	run_all(&w);
	use = slu_buffers_phases(w.b);
	for (size_t i = 0; i < SLU_PHASES; i++) {
		expect(use[i].count == 1, "%s", slu_phase_name(i));
		expect(use[i].below[SLU_PHASE_BUCKETS - 1] == 1 &&
			       use[i].failed == 0,
		       "%s", slu_phase_name(i));
	}
	ck_assert_str_eq(slu_phase_name(1), "stage_in");
	expect(use[1].files && use[1].bytes && !use[0].files, "%llu files",
	       (unsigned long long)use[1].files);
	world_free(&w);

	world_new(&w, 2, WALK, NULL);
	w.node[1].fail_at = 0;
	run_all(&w);
	use = slu_buffers_phases(w.b);
	ck_assert_uint_eq(use[0].failed, 1);
	ck_assert_uint_eq(use[2].count, 0);
	world_free(&w);
}
END_TEST

TEST_MAIN("buffers report", test_json, test_phases)
