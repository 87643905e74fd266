/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how the fill level of buffers gets from the nodes' reports to the
 * database and to the answers. */
#include "config.h"
#include "common/jsonx.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "tests/unit/burst_buffer/burst_world.h"

static struct slu_err err;

static void tell(struct world *w, int node, const char *step, uint64_t now,
		 uint64_t most)
{
	report(w, &w->node[node],
	       (struct slu_report){.step = (char *)(uintptr_t)step,
				   .ok = true,
				   .used_known = true,
				   .used = now,
				   .used_most = most});
}

static void poll_with(struct world *w, int node, bool known, uint64_t now)
{
	const struct slu_node_ask ask = {.job_id = JOB,
					 .buffer = w->node[node].buffer,
					 .node = w->node[node].name,
					 .seen = "",
					 .used_known = known,
					 .used = now};
	struct slu_answer answer;

	expect_ok(slu_buffers_poll(w->b, &ask, w->now, &answer, &err), err);
	slu_msg_clear(&slu_answer_desc, &answer);
}

/* "USED TOLD" of the one buffer; "" when no node has reported. */
static const char *fullness(const struct world *w, uint32_t uid)
{
	static char text[64];
	struct json_object *all = slu_buffers_fullness(w->b, JOB, uid);
	uint64_t used = 0, told = 0;

	*text = '\0';
	json_object_object_foreach(all, id, one)
	{
		(void)id;
		expect_ok(slu_json_u64(one, "used_bytes", &used, &err) ||
				  slu_json_u64(one, "told", &told, &err),
			  err);
		snprintf(text, sizeof(text), "%ju %ju", used, told);
	}
	json_object_put(all);
	return text;
}

/* What the database has of each node: "10 - " where the second is not known. */
static const char *stored(const struct world *w)
{
	static char text[64];
	struct slu_rows *rows =
		slu_db_query(w->db, &err,
			     "SELECT coalesce(UsedMost, '-') FROM BufferNode"
			     " ORDER BY Position",
			     "");

	*text = '\0';
	while (slu_db_step(rows, &err) == 1)
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s ", slu_db_text(rows, 0));
	slu_db_done(rows);
	return text;
}

START_TEST(test_reported_use_is_stored)
{
	struct world w;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "");
	ck_assert_str_eq(stored(&w), "- - ");
	/* of a node that does not report it, or is older, nothing is known */
	poll_with(&w, 1, false, 7);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "");
	/* a word in passing is remembered, not written */
	poll_with(&w, 0, true, 0);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "0 1");
	poll_with(&w, 0, true, 300);
	poll_with(&w, 1, true, 50);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "350 2");
	ck_assert_str_eq(fullness(&w, w.job.uid), "350 2");
	ck_assert_str_eq(fullness(&w, w.job.uid + 1), "");
	ck_assert_str_eq(stored(&w), "- - ");
	/* numbers that make no sense are none */
	poll_with(&w, 1, true, UINT64_MAX);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "350 2");
	world_free(&w);
}
END_TEST

START_TEST(test_stored)
{
	struct world w;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	poll_with(&w, 0, true, 300);
	job_end(&w, "COMPLETED");
	tell(&w, 0, "down", 200, 700);
	tell(&w, 1, "down", 0, 0);
	ck_assert_str_eq(stored(&w), "700 0 ");
	/* the highest stays, whatever is reported later */
	tell(&w, 0, "out.1.share", 100, 100);
	tell(&w, 1, "out.1.share", 900, 900);
	ck_assert_str_eq(stored(&w), "700 900 ");
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "1000 2");
	/* the present level is known again at the next report */
	world_restart(&w);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "");
	tell(&w, 1, "stopped", 5, 800);
	ck_assert_str_eq(stored(&w), "700 900 ");
	world_free(&w);
}
END_TEST

/* People see it with the buffer. */
START_TEST(test_use_is_in_the_report)
{
	struct json_object *all, *members;
	struct world w;
	uint64_t most = 1;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	job_end(&w, "COMPLETED");
	tell(&w, 1, "down", 5, 9);
	all = slu_buffers_json(w.db, JOB, SLU_NO_ID, w.now, &err);
	members = json_object_object_get(json_object_array_get_idx(all, 0),
					 "members");
	slu_json_u64_opt(json_object_array_get_idx(members, 0), "used_most",
			 &most, &err);
	ck_assert_uint_eq(most, 1);
	expect_ok(slu_json_u64(json_object_array_get_idx(members, 1),
			       "used_most", &most, &err),
		  err);
	ck_assert_uint_eq(most, 9);
	json_object_put(all);
	world_free(&w);
}
END_TEST

static void ask_owed(struct world *w, const char *node, uint64_t buffer,
		     uint64_t now, uint64_t most)
{
	struct slu_fill fill[] = {{JOB, buffer + 1, 1, 1}, /* of no concern */
				  {JOB + 1, buffer, 1, 1},
				  {JOB, buffer, now, most}};

	slu_buffers_filled(
		w->b, &(struct slu_node_ask){.node = (char *)(uintptr_t)node,
					     .fill = fill,
					     .n_fill = 3});
}

/* Levels of persistent buffers, which no watcher of a job reports. */
START_TEST(test_use_of_persistent_buffers)
{
	struct world w;
	uint64_t buffer;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	buffer = w.node[0].buffer;
	ask_owed(&w, "n1", buffer, 300, 700);
	ask_owed(&w, "n3", buffer, 1, 1);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "300 1");
	ck_assert_str_eq(stored(&w), "700 - ");
	ask_owed(&w, "n2", buffer, 0, 0);
	ask_owed(&w, "n1", buffer, 400, 600);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "400 2");
	ck_assert_str_eq(stored(&w), "700 0 ");
	world_restart(&w);
	ask_owed(&w, "n1", buffer, UINT64_MAX, UINT64_MAX);
	ck_assert_str_eq(fullness(&w, SLU_NO_ID), "");
	ck_assert_str_eq(stored(&w), "700 0 ");
	ask_owed(&w, "n1", buffer, 10, 701);
	ck_assert_str_eq(stored(&w), "701 0 ");
	world_free(&w);
}
END_TEST

TEST_MAIN("buffers fullness", test_use_of_persistent_buffers,
	  test_reported_use_is_stored, test_stored, test_use_is_in_the_report)
