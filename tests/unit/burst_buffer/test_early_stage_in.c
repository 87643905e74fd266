/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests data that is staged in before the job has its nodes. */
#include "tests/unit/burst_buffer/persistent_world.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "tests/unit/tmpdir.h"
#include <json-c/json.h>
#include <unistd.h>

#define EARLY                                                       \
	"jobfs type=dir capacity=1GiB; stage_in source=/a/%j "      \
	"destination=$BB_JOBFS/in; stage_out source=$BB_JOBFS/out " \
	"destination=/b"

/* It is staged in for job `id`, on `node`. */
static void stage_early(uint32_t id, const char *request, const char *node)
{
	struct slu_plan plan;

	waits(id, OWNER, request);
	ck_assert_str_eq(last.state, "SETUP");
	ck_assert(last.early && !last.leaving);
	ck_assert_uint_eq(last.creator, id);
	ck_assert_uint_ge(last.job_id, SLU_PERSIST_FIRST);
	get_plan(last.job_id, node, &plan);
	ck_assert_uint_eq(plan.n_node, 1);
	ck_assert_uint_eq(plan.n_stage, 1);
	ck_assert(!plan.stage[0].out);
	expect(strstr(plan.stage[0].destination, "/mnt/data") != NULL &&
		       strtoul(plan.stage[0].destination +
				       strlen(conf->run_dir) + 1,
			       NULL, 10) == last.job_id,
	       "%s", plan.stage[0].destination);
	slu_msg_clear(&slu_plan_desc, &plan);
	again();
	report(last.job_id, node, "attach", true);
	meet_alone(node, "mounted");
	ck_assert_str_eq(last.state, "STAGE_IN");
	again();
	waits(id, OWNER, request); /* changes nothing */
	ck_assert_str_eq(report(last.job_id, node, "in.0.share", true), "go");
	report(last.job_id, node, "ready", true);
	ck_assert_str_eq(last.state, "RUNNING");
	expect(strstr(last.text, "staged in, waits for job"), "%s", last.text);
	again();
	waits(id, OWNER, request);
	ck_assert_str_eq(last.state, "RUNNING");
}

/* How many buffers `sysquery buffers JOB` shows. */
static size_t shown(uint32_t id)
{
	struct json_object *all =
		slu_buffers_json(db, id, SLU_NO_ID, now, &err);
	size_t n;

	expect(all, "%s", err.text);
	n = json_object_array_length(all);
	json_object_put(all);
	return n;
}

static void clean_early(const char *node)
{
	const uint32_t id = last.job_id;

	ck_assert_str_eq(last.state, "TEARDOWN");
	again();
	ck_assert_str_eq(report(id, node, "down", true), "skip");
	report(id, node, "clean", true);
	ck_assert_str_eq(last.state, "DONE");
}

/* The run has nothing to stage in, and what waits for it ends with its start.
 */
START_TEST(test_stages_in_early)
{
	static const char *const nodes[] = {"n1", "n2"};
	struct slu_plan plan;
	uint64_t staged;

	setup();
	stage_early(20, EARLY, "t1");
	staged = last.buffer;
	/* slurmctld knows nothing of jobs that wait: that is no reason */
	expect_ok(slu_buffers_sync(b, NULL, 0, now, &err), err);
	ck_assert_str_eq(last.state, "RUNNING");
	ck_assert_uint_eq(shown(20), 1);
	ck_assert_uint_eq(shown(21), 0);
	begin_job(20, OWNER, EARLY);
	ck_assert_uint_eq(shown(20), 2);
	get_plan(20, "n1", &plan);
	ck_assert_uint_eq(plan.staged, staged);
	ck_assert_uint_eq(plan.staged_job, last.job_id);
	ck_assert_uint_eq(plan.n_stage, 1);
	ck_assert(plan.stage[0].out);
	slu_msg_clear(&slu_plan_desc, &plan);
	again();
	report(20, "n1", "ready", true);
	ck_assert_str_eq(last.state, "RUNNING");
	report(20, "n2", "ready", true);
	clean_early("t1");
	end_job(20, OWNER, EARLY);
	each(n, nodes) report(20, *n, "down", true);
	ck_assert_str_eq(held, "");
	teardown();
}
END_TEST

/* A task of an array has a number of its own only when it is by itself. */
START_TEST(test_array)
{
	struct slu_job j;

	setup();
	j = job(20, OWNER, EARLY);
	j.array_job_id = 20;
	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
	ck_assert_uint_eq(shown(20), 0);
	j.array_task_id = 3;
	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
	ck_assert_uint_eq(shown(20), 1);
	ck_assert(last.early && last.creator == 20);
	teardown();
}
END_TEST

START_TEST(test_early_balance)
{
	struct slu_plan plan;

	setup();
	waits(20, OWNER, EARLY);
	waits(21, OWNER, EARLY);
	get_plan(last.job_id, "t2", &plan); /* t1 has one already */
	slu_msg_clear(&slu_plan_desc, &plan);
	teardown();
}
END_TEST

/* Into a persistent buffer, which it keeps alive. */
START_TEST(test_early_persistent)
{
	static const char use[] = "persistent name=camp; stage_in source=/a "
				  "destination=$BB_camp/a";
	struct slu_plan plan;
	struct slu_rows *rows;

	setup();
	make(7, CREATE);
	waits(20, OWNER, use);
	ck_assert(last.early);
	get_plan(last.job_id, "t1", &plan);
	ck_assert_str_eq(plan.driver, "glusterfs");
	ck_assert_uint_eq(plan.n_server, 2);
	slu_msg_clear(&slu_plan_desc, &plan);
	report(last.job_id, "t1", "attach", true);
	meet_alone("t1", "mounted");
	report(last.job_id, "t1", "in.0.share", true);
	report(last.job_id, "t1", "ready", true);
	ck_assert_str_eq(last.state, "RUNNING");
	waits(8, OWNER, "persistent_destroy name=camp");
	rows = slu_db_query(db, &err,
			    "SELECT State FROM Buffer WHERE JobID = ?", "I",
			    (int64_t)SLU_PERSIST_FIRST);
	ck_assert_int_eq(slu_db_step(rows, &err), 1);
	ck_assert_int_eq(slu_db_int(rows, 0), 3); /* RUNNING */
	slu_db_done(rows);
	teardown();
}
END_TEST

/* A failure holds the job that waits; released, it is tried again. */
START_TEST(test_early_fails)
{
	uint32_t id;

	setup();
	waits(20, OWNER, EARLY);
	id = last.job_id;
	report(id, "t1", "attach", true);
	meet_alone("t1", "mounted");
	report(id, "t1", "in.0.share", false);
	expect(strstr(held, "stage-in failed: t1: no luck"), "%s", held);
	ck_assert_uint_eq(held_job, 20);
	ck_assert_int_eq(verdict, SLU_HOLD);
	ck_assert(last.leaving);
	expect_ok(slu_buffers_verdict_done(b, 20, true, NULL, now, &err), err);
	clean_early("t1");
	waits(20, OWNER, EARLY);
	ck_assert_str_eq(last.state, "SETUP");
	ck_assert_uint_ne(last.job_id, id);
	teardown();
}
END_TEST

/* The row of what was staged in for job `id` has failed and is damaged. */
static void damage(uint32_t id)
{
	char sql[200];

	waits(id, OWNER, EARLY);
	snprintf(sql, sizeof(sql),
		 "UPDATE Buffer SET Plan = '{\"x\":', Verdict = %d, What = %d"
		 " WHERE JobID = %u",
		 SLU_VERDICT_SENT, SLU_REQUEUE, (unsigned)last.job_id);
	expect_ok(slu_db_script(db, sql, &err), err);
	damaged = true;
	again();
}

/* OnStageInFailure and OnSetupFailure are followed without an allocation, too;
 * what goes back to waiting is tried again, but not for ever. */
START_TEST(test_early_policy)
{
	static const struct {
		enum slu_on_failure said, done;
	} cases[] = {{SLU_FAIL, SLU_FAIL},	 {SLU_CANCEL, SLU_CANCEL},
		     {SLU_HOLD, SLU_HOLD},	 {SLU_REQUEUE, SLU_REQUEUE},
		     {SLU_REQUEUE, SLU_REQUEUE}, {SLU_REQUEUE, SLU_HOLD}};

	setup();
	damage(19); /* is nothing that the others trip over */
	for (int in = 0; in < 2; in++)
		each(c, cases)
		{
			conf->on_stage_in = in ? c->said : SLU_HOLD;
			conf->on_setup = in ? SLU_HOLD : c->said;
			waits(20 + (uint32_t)in, OWNER, EARLY);
			ck_assert_str_eq(last.state, "SETUP");
			if (in) {
				report(last.job_id, "t1", "attach", true);
				meet_alone("t1", "mounted");
			}
			report(last.job_id, "t1", "in.0.share", false);
			ck_assert_int_eq(verdict, c->done);
			expect_ok(slu_buffers_verdict_done(b, held_job, true,
							   NULL, now, &err),
				  err);
			clean_early("t1");
			now += 400;
			slu_buffers_tick(b, now);
		}
	teardown();
}
END_TEST

/* What the database cannot store now is no fault of the job's. */
START_TEST(test_early_no_database)
{
	setup();
	expect_ok(slu_db_script(db, "PRAGMA query_only = ON", &err), err);
	n_logged = 0;
	for (int i = 0; i < 3; i++) {
		waits(20, OWNER, EARLY);
		waits(21, OWNER, CREATE);
	}
	ck_assert_str_eq(held, "");
	expect(strstr(not_yet, "readonly"), "%s", not_yet);
	expect(strstr(logged, "job 21: "), "%s", logged);
	ck_assert_uint_eq(n_logged, 2);
	ck_assert_ptr_null(last.state);
	expect_ok(slu_db_script(db, "PRAGMA query_only = OFF", &err), err);
	waits(20, OWNER, EARLY);
	ck_assert_str_eq(last.state, "SETUP");
	teardown();
}
END_TEST

/* Nor that it cannot be read. */
START_TEST(test_early_damaged)
{
	setup();
	not_yet[0] = '\0';
	expect_ok(slu_db_script(db,
				"PRAGMA writable_schema = ON;"
				"UPDATE sqlite_master SET sql = 'CREATE x'"
				" WHERE name = 'Buffer';"
				"PRAGMA writable_schema = RESET",
				&err),
		  err);
	waits(20, OWNER, EARLY);
	waits(21, OWNER, CREATE);
	ck_assert_str_eq(held, "");
	expect(strstr(not_yet, "malformed"), "%s", not_yet);
	teardown();
}
END_TEST

/* A job that is cancelled leaves nothing, however far it was; a run that cannot
 * have what was staged in does it itself. */
START_TEST(test_early_gone)
{
	const struct slu_job_cancelled gone = {.job_id = 20};
	const struct slu_job_cancelled other = {.job_id = 21};
	struct slu_plan plan;

	setup();
	waits(20, OWNER, EARLY);
	get_plan(last.job_id, "t1", &plan);
	slu_msg_clear(&slu_plan_desc, &plan);
	expect_ok(slu_buffers_cancelled(b, &gone, now, &err), err);
	expect_ok(slu_buffers_cancelled(b, &gone, now, &err), err);
	clean_early("t1");
	now += 400; /* the first one is forgotten */
	slu_buffers_tick(b, now);
	stage_early(21, EARLY, "t1");
	expect_ok(slu_buffers_cancelled(b, &other, now, &err), err);
	begin_job(21, OWNER, EARLY);
	get_plan(21, "n1", &plan);
	ck_assert_uint_eq(plan.staged, 0);
	ck_assert_uint_eq(plan.n_stage, 2);
	slu_msg_clear(&slu_plan_desc, &plan);
	clean_early("t1");
	teardown();
}
END_TEST

/* Of a job that is never heard of again. */
START_TEST(test_early_unasked)
{
	setup();
	stage_early(20, EARLY, "t1");
	now += 11 * 3600;
	waits(20, OWNER, EARLY);
	now += 11 * 3600;
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "RUNNING");
	now += 2 * 3600;
	slu_buffers_tick(b, now);
	clean_early("t1");
	teardown();
}
END_TEST

/* What its nodes or each of its tasks has to do is not done before. */
START_TEST(test_early_not)
{
	static const char *const requests[] = {
		"jobfs type=glu capacity=1GiB; stage_in source=/a "
		"destination=$BB_JOBFS/in",
		"jobfs type=dir capacity=1GiB; stage_out source=$BB_JOBFS/o "
		"destination=/b",
	};
	struct slu_job j = job(22, OWNER, EARLY);

	setup();
	each(r, requests) waits(20, OWNER, *r);
	j.array_job_id = 22;
	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
	ck_assert_ptr_null(last.state);
	teardown();
}
END_TEST

TEST_MAIN("early_stage_in", test_stages_in_early, test_array,
	  test_early_balance, test_early_persistent, test_early_fails,
	  test_early_policy, test_early_no_database, test_early_damaged,
	  test_early_gone, test_early_unasked, test_early_not)
