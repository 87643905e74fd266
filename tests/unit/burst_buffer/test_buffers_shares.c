/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests whether a stage-out is complete: sluiced adds the shares that the nodes
 * report, also when nodes are lost or report only parts. */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"

/* A driver without a common name space: every node does a whole of its own. */
START_TEST(test_own_totals)
{
	struct world w;
	int i;

	world_new(&w, 2, WALK, NULL);
	job_start(&w);
	for (i = 0; i < 2; i++) {
		struct slu_report r = {.step = (char *)"in.0.share",
				       .ok = true,
				       .bytes = 1000 + (uint64_t)i,
				       .files = 10,
				       .total_bytes = 1000 + (uint64_t)i,
				       .total_files = 10};

		ask_plan(&w, &w.node[i]);
		ck_assert_str_eq(report(&w, &w.node[i], r).word, "go");
		ck_assert_str_eq(
			do_step(&w, &w.node[i], "report ready", true).word,
			"go");
	}
	ck_assert_str_eq(w.state, "RUNNING");
	world_free(&w);
}
END_TEST

#define SPLIT                                         \
	"jobfs capacity=4GiB split=switch; stage_in " \
	"source=/src destination=$BB_JOBFS/in"

static void tell_parts(struct world *w, const uint64_t files[3])
{
	for (int i = 0; i < 3; i++) {
		struct slu_report r = {.step = (char *)"in.0.share",
				       .ok = true,
				       .files = files[i],
				       .total_files = i == 1 ? 12 : 10};

		ask_plan(w, &w->node[i]);
		ck_assert_str_eq(report(w, &w->node[i], r).word, "go");
		do_step(w, &w->node[i], "report ready", true);
		if (i == 1)
			world_restart(w);
	}
}

/* Of a split file system the shares of each part make a whole: here n1 and n3
 * are one, and n2 another. */
START_TEST(test_parts)
{
	static const struct {
		uint64_t files[3];
		const char *state, *reason;
	} cases[] = {
		{{4, 12, 6}, "RUNNING", ""},
		{{4, 12, 5},
		 "SETUP",
		 "9 of 10 files, 0B of 0B, reported by 2 of 2"},
		{{4, 6, 6},
		 "SETUP",
		 "6 of 12 files, 0B of 0B, reported by 1 of 1"},
	};

	each(c, cases)
	{
		struct world w;
		struct slu_err err;
		struct json_object *array;

		world_new(&w, 3, SPLIT, NULL);
		world_topology(&w, "[{\"switch\":\"s1\",\"level\":0,"
				   "\"hosts\":\"n[1,3]\"}]");
		job_start(&w);
		tell_parts(&w, c->files);
		ck_assert_str_eq(w.state, c->state);
		expect(strstr(w.reason, c->reason), "%s", w.reason);
		array = slu_buffers_json(w.db, JOB, SLU_NO_ID, w.now, &err);
		expect(strstr(json_object_to_json_string(array),
			      "planned, split into s1: n[1,3]; unknown: n2"),
		       "%s", json_object_to_json_string(array));
		expect(strstr(json_object_to_json_string(array),
			      "\"part\": \"unknown\""),
		       "%s", json_object_to_json_string(array));
		json_object_put(array);
		world_free(&w);
	}
}
END_TEST

static void tell_out(struct world *w, const char *nodes)
{
	for (int i = 0; i < 3; i++) {
		struct slu_report r = {.step = (char *)"out.1.share",
				       .ok = true,
				       .files = 10,
				       .total_files = 10};

		if (nodes[i] == 'x')
			report(w, &w->node[i], r);
	}
}

/* A lost node excuses its own share, and not that of a node of another part
 * or of its own. No request asks for both yet: the plan is altered. */
START_TEST(test_parts_tolerate)
{
	static const struct {
		const char *before, *after; /* it reports, and n1 is lost */
		const char *reason;
	} cases[] = {
		{"---", "-xx", ""},
		{"xxx", "---", ""},
		{"---", "--x", "reported by 0 of 1"},
		{"---", "-x-", "reported by 0 of 2"},
		{"xx-", "---", "reported by 1 of 2"},
	};

	each(c, cases)
	{
		struct world w;
		struct slu_err err;

		world_new(&w, 3,
			  SPLIT "; stage_out source=$BB_JOBFS/out "
				"destination=/dst",
			  NULL);
		world_topology(&w, "[{\"switch\":\"s1\",\"level\":0,"
				   "\"hosts\":\"n[1,3]\"}]");
		job_start(&w);
		tell_parts(&w, (const uint64_t[]){4, 12, 6});
		ck_assert_str_eq(w.state, "RUNNING");
		expect_ok(slu_db_script(w.db,
					"UPDATE Buffer SET Plan ="
					" json_set(Plan, '$.tolerate', 1)",
					&err),
			  err);
		world_restart(&w);
		job_end(&w, "COMPLETED");
		for (int i = 0; i < 3; i++)
			do_step(&w, &w.node[i], "report down", true);
		tell_out(&w, c->before);
		job_nodes(&w, NULL, "n1");
		tell_out(&w, c->after);
		for (int i = 1; i < 3; i++)
			barrier(&w, &w.node[i], "out.done", NULL);
		expect(w.verdicts == (*c->reason != 0), "%s %s: %s", c->before,
		       c->after, w.reason);
		expect(strstr(w.reason, c->reason), "%s", w.reason);
		world_free(&w);
	}
}
END_TEST

START_TEST(test_stage_out_on)
{
	static const struct {
		const char *on, *state;
		bool staged;
	} cases[] = {
		{"always", "COMPLETED", true}, {"always", "FAILED", true},
		{"always", "TIMEOUT", true},   {"success", "COMPLETED", true},
		{"success", "FAILED", false},  {"success", "CANCELLED", false},
		{"failure", "FAILED", true},   {"failure", "COMPLETED", false},
	};

	each(c, cases)
	{
		struct world w;
		char request[200];

		snprintf(request, sizeof(request), "%s on=%s", WALK, c->on);
		world_new(&w, 2, request, NULL);
		run_until(&w, AT_RUN);
		job_end(&w, c->state);
		ck_assert_str_eq(w.state, c->staged ? "STAGE_OUT" : "TEARDOWN");
		run_all(&w);
		expect(w.node[0].skip == !c->staged, "%s %s", c->on, c->state);
		ck_assert_str_eq(w.state, "DONE");
		world_free(&w);
	}
}
END_TEST

/* The job was ready, but ended before any task ran, or its user declared it so:
 * no output is expected, and its absence is no failure. */
START_TEST(test_unlaunched)
{
	static const struct {
		const char *state;
		bool unlaunched, hurry;
		const char *words;
	} cases[] = {
		{"REQUEUED", true, false, "never launched"},
		{"NODE_FAIL", true, false, "never launched"},
		{"CANCELLED", true, false, "never launched"},
		{"CANCELLED", false, true, "cancelled with scancel --hurry"},
		{"REQUEUED", false, false, "it runs again"},
	};

	each(c, cases)
	{
		bool skips = c->unlaunched || c->hurry;
		const char *want = skips ? "TEARDOWN" : "STAGE_OUT";
		struct world w;

		world_new(&w, 2, WALK, NULL);
		run_until(&w, AT_RUN);
		w.job.unlaunched = c->unlaunched;
		w.job.hurry = c->hurry;
		job_end(&w, c->state);
		ck_assert_str_eq(w.state, want);
		ck_assert_int_eq(history_has(&w, "nothing is staged out"),
				 skips);
		ck_assert_int_eq(history_has(&w, c->words), 1);
		w.job.unlaunched = false; /* as slurmctld sees it later */
		w.job.hurry = false;
		job_end(&w, c->state);
		world_restart(&w);
		ck_assert_str_eq(w.state, want);
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert(w.node[0].skip == skips);
		ck_assert_int_eq(w.verdicts, 0);
		world_free(&w);
	}
}
END_TEST

/* How it was verified is on the record, where it was. */
START_TEST(test_verified)
{
	static const struct {
		const char *request, *words;
	} cases[] = {
		{"source=$BB_JOBFS/a destination=/d", "by size and time"},
		{"source=$BB_JOBFS/a destination=/d verify=content",
		 "by content"},
		{"source=$BB_JOBFS/a destination=/d; stage_out "
		 "source=$BB_JOBFS/b destination=/d verify=content",
		 "by size and time and in part by content"},
	};

	each(c, cases)
	{
		char request[300], words[100];
		struct world w;

		snprintf(request, sizeof(request),
			 "jobfs type=tmp capacity=4GiB; stage_out %s",
			 c->request);
		snprintf(words, sizeof(words), "stage-out is over, verified %s",
			 c->words);
		world_new(&w, 2, request, "FileSystem=tmp Driver=scratch");
		run_until(&w, AT_RUN);
		job_end(&w, "COMPLETED");
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert_int_eq(history_has(&w, words), 1);
		world_free(&w);
	}
}
END_TEST

/* By its holders only if all nodes say so, sluiced restarted or not. */
START_TEST(test_verified_by_holders_only_if_all_say_so)
{
	for (int said = 2; said <= 3; said++) {
		struct world w;

		world_new(&w, 3, WALK " verify=content", NULL);
		run_until(&w, AT_RUN);
		job_end(&w, "COMPLETED");
		for (int i = 0; i < 3; i++) {
			struct slu_report r = {
				.step = (char *)"out.1.share",
				.ok = true,
				.phase = (char *)"stage_out",
				.text = i < said ? (char *)SLU_BY_HOLDERS
						 : NULL,
				.bytes = 1000,
				.files = 10,
				.total_bytes = 3000,
				.total_files = 30};

			do_step(&w, &w.node[i], "report down", true);
			ck_assert_str_eq(report(&w, &w.node[i], r).word, "go");
			if (i == 1)
				world_restart(&w);
		}
		for (int i = 0; i < 3; i++)
			barrier(&w, &w.node[i], "out.done", NULL);
		ck_assert_int_eq(w.verdicts, 0);
		ck_assert_int_eq(
			history_has(&w, said == 3 ? "verified " SLU_BY_HOLDERS
						  : "verified by content on "
						    "another node"),
			1);
		world_free(&w);
	}
}
END_TEST

TEST_MAIN("buffers shares", test_verified_by_holders_only_if_all_say_so,
	  test_unlaunched, test_verified, test_own_totals, test_parts,
	  test_parts_tolerate, test_stage_out_on)
