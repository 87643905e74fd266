/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a stage-out that is cancelled by its owner, an administrator or
 * scancel: it counts as failed, so its data is kept. */
#include "config.h"
#include "burst_buffer/lifecycle/transitions.h"
#include "tests/unit/burst_buffer/burst_world.h"

static const char *cancel_as(struct world *w, uint32_t uid, bool admin)
{
	const struct slu_cancel cancel = {JOB};
	static char word[16];
	struct slu_answer answer;
	struct slu_err err;

	if (slu_buffers_cancel(w->b, &cancel, uid, admin, w->now, &answer,
			       &err))
		return slu_kind_name(err.kind);
	slu_copy(word, sizeof(word), answer.word);
	slu_msg_clear(&slu_answer_desc, &answer);
	return word;
}

/* The owner or an administrator cancels a stage-out: the job fails whatever the
 * site's policy is, and the nodes keep the data. Others are refused; before and
 * after the stage-out there is nothing to cancel. */
START_TEST(test_cancel_stage_out)
{
	static const struct {
		uint32_t uid;
		bool admin;
		const char *reason, *conf;
	} cases[] = {
		{1000, false, "cancelled by its owner", NULL},
		{0, true, "cancelled by an administrator", NULL},
		/* a user who cancels does not want the job to run again */
		{1000, false, "", "OnStageOutFailure=requeue"},
		{1000, false, "", "OnStageOutFailure=hold"},
	};

	each(c, cases)
	{
		struct world w;

		world_new(&w, 2, WALK, c->conf);
		ck_assert_str_eq(cancel_as(&w, c->uid, c->admin), "notfound");
		run_until(&w, AT_RUN);
		ck_assert_str_eq(cancel_as(&w, c->uid, c->admin), "invalid");
		run_until(&w, AT_DOWN);
		ck_assert_str_eq(cancel_as(&w, 1001, false), "denied");
		ck_assert_int_eq(w.verdicts, 0);
		ck_assert_str_eq(cancel_as(&w, c->uid, c->admin), "abort");
		ck_assert_str_eq(cancel_as(&w, c->uid, c->admin), "abort");
		ck_assert_int_eq(w.verdicts, 1);
		ck_assert_int_eq(w.what, SLU_FAIL);
		expect(strstr(w.reason, c->reason), "%s", w.reason);
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert(w.node[0].keep && w.node[1].keep);
		ck_assert_str_eq(cancel_as(&w, c->uid, c->admin), "invalid");
		world_free(&w);
	}
}
END_TEST

/* scancel ends the stage-out only of the run that Slurm names by its start. A
 * job without a start, or with a later one, is another job with the same id. */
START_TEST(test_cancel_other)
{
	struct world w;
	struct slu_err err;
	struct slu_job_cancelled job = {.job_id = JOB};

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_DOWN);
	ck_assert_str_eq(w.state, "STAGE_OUT");
	expect_ok(slu_buffers_cancelled(w.b, &job, w.now, &err), err);
	job.start = (int64_t)w.now + 1;
	expect_ok(slu_buffers_cancelled(w.b, &job, w.now + 2, &err), err);
	ck_assert_int_eq(w.verdicts, 0);
	job.start = w.job.start;
	for (int i = 0; i < 2; i++)
		expect_ok(slu_buffers_cancelled(w.b, &job, w.now, &err), err);
	ck_assert_int_eq(w.verdicts, 1);
	expect(strstr(w.reason, "scancel --hurry"), "%s", w.reason);
	ck_assert_int_gt(w.verdict_ended, w.job.start);
	world_free(&w);
}
END_TEST

/* Cancelling a job that a failure has held is noted once in the history of its
 * buffer; cancelling one that was requeued is not. */
START_TEST(test_cancelled_held_job_is_noted_once)
{
	for (int held = 0; held < 2; held++) {
		struct slu_job_cancelled job = {.job_id = JOB};
		struct slu_err err;
		struct world w;
		int64_t n = -1;

		world_new(&w, 3, WALK, NULL);
		w.node[1].fail_at = held ? 6 : 1;
		run_all(&w);
		ck_assert_int_eq(w.what, held ? SLU_HOLD : SLU_REQUEUE);
		for (int i = 0; i < 2; i++)
			expect_ok(slu_buffers_cancelled(w.b, &job, w.now, &err),
				  err);
		ck_assert_int_eq(slu_db_value(w.db, &n, -1, &err,
					      "SELECT COUNT(*) FROM"
					      " BufferHistory WHERE Text = ?",
					      "s", SLU_BB_HOLD_OVER),
				 0);
		ck_assert_int_eq(n, held);
		world_free(&w);
	}
}
END_TEST

TEST_MAIN("buffers cancel", test_cancelled_held_job_is_noted_once,
	  test_cancel_stage_out, test_cancel_other)
