/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests a heterogeneous job with two components: n1 is the node of the first,
 * n2 of the other. Each case also runs with a restart of sluiced between any
 * two steps.
 */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"

#define BARE "jobfs capacity=4GiB"

struct het {
	struct world w;
	struct slu_job job[2];
	bool restart;
};

static void het_new(struct het *h, const char *first, const char *second,
		    bool restart)
{
	world_new(&h->w, 2, first, NULL);
	h->w.n_node = 1; /* of each component: what shares add up to */
	h->w.job.het_job = JOB;
	h->w.job.het_buffers = 2;
	h->w.job.nodes = (char *)"n1";
	h->w.job.node_cnt = 1;
	h->job[0] = h->job[1] = h->w.job;
	h->job[1].job_id = JOB + 1;
	h->job[1].nodes = (char *)"n2";
	h->job[1].request = (char *)second;
	h->restart = restart;
}

static struct world *of(struct het *h, int i)
{
	h->w.job = h->job[i];
	if (h->restart)
		world_restart(&h->w);
	return &h->w;
}

static void start(struct het *h, int i)
{
	job_start(of(h, i));
}

static void end(struct het *h, int i, const char *state)
{
	job_end(of(h, i), state);
	h->job[i] = h->w.job;
}

/* A step of component i's node; the answer that it gets. */
static const char *does(struct het *h, int i, const char *step, bool ok)
{
	static struct heard heard;
	struct world *w = of(h, i);

	heard = do_step(w, &w->node[i], step, ok);
	return heard.word;
}

/* All of its steps before this one. */
static void walks(struct het *h, int i, const char *const *steps,
		  const char *before)
{
	struct actor *a = &h->w.node[i];

	a->where = steps == up_steps ? AT_UP : AT_DOWN;
	for (; strcmp(*steps, before) != 0; steps++)
		ck_assert_str_eq(does(h, i, *steps, true), "go");
}

static void ticks(struct het *h, double seconds)
{
	for (h->w.now += seconds; slu_buffers_tick(h->w.b, h->w.now) <= 0;)
		;
}

static int64_t state_of(struct het *h, int i)
{
	struct slu_err err;
	int64_t state;

	expect_ok(slu_db_value(h->w.db, &state, 0, &err,
			       "SELECT State FROM Buffer WHERE JobID = ?"
			       " ORDER BY BID DESC LIMIT 1",
			       "i", JOB + i),
		  err);
	return state;
}

static void both_run(struct het *h)
{
	start(h, 0);
	start(h, 1);
	h->w.now += 5;
	walks(h, 0, up_steps, "barrier ready");
	ck_assert_str_eq(does(h, 0, "barrier ready", true), "busy");
	walks(h, 1, up_steps, "barrier ready");
	ck_assert_int_eq(state_of(h, 0), 3);
	ck_assert_int_eq(state_of(h, 1), 3);
	ck_assert_str_eq(does(h, 0, "barrier ready", true), "go");
	ck_assert_str_eq(does(h, 1, "barrier ready", true), "go");
	ck_assert_int_eq(h->w.verdicts, 0);
}

/* No component is ready before both are, whichever is first. */
static void try_together(bool restart)
{
	struct het h;

	het_new(&h, WALK, WALK, restart);
	both_run(&h);
	ck_assert(h.w.final);
	ck_assert_int_eq(h.w.give_back, 5);
	world_free(&h.w);

	het_new(&h, WALK, BARE, restart);
	start(&h, 0); /* slurmctld has not reported the other yet */
	walks(&h, 0, up_steps, "barrier ready");
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "busy");
	ck_assert_int_eq(state_of(&h, 0), 2);
	start(&h, 1);
	walks(&h, 1, up_steps, "barrier in.0.manifest");
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "busy");
	ck_assert_str_eq(does(&h, 1, "report ready", true), "go");
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "go");
	world_free(&h.w);
}

START_TEST(test_together)
{
	try_together(false);
	try_together(true);
}
END_TEST

/* A component that is ready is not late, only one that is not. */
START_TEST(test_deadline)
{
	struct het h;

	het_new(&h, BARE, WALK, false);
	start(&h, 0);
	start(&h, 1);
	walks(&h, 0, up_steps, "barrier in.0.manifest");
	ck_assert_str_eq(does(&h, 0, "report ready", true), "go");
	walks(&h, 1, up_steps, "barrier in.0.manifest");
	ticks(&h, 99); /* SetupTimeout=60, StageInTimeout=100 */
	ck_assert_int_eq(h.w.verdicts, 0);
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "busy");
	ticks(&h, 2);
	ck_assert_int_eq(h.w.verdicts, 1);
	ck_assert_uint_eq(h.w.verdict_job, JOB + 1);
	expect(strstr(h.w.reason, "stage-in failed"), "%s", h.w.reason);
	world_free(&h.w);

	/* but one that waits for a component that never comes is */
	het_new(&h, BARE, WALK, false);
	start(&h, 0);
	walks(&h, 0, up_steps, "barrier in.0.manifest");
	ck_assert_str_eq(does(&h, 0, "report ready", true), "go");
	ticks(&h, 61);
	ck_assert_int_eq(h.w.verdicts, 1);
	ck_assert_uint_eq(h.w.verdict_job, JOB);
	world_free(&h.w);
}
END_TEST

/* The failure of one: the other does not begin, nor when slurmctld says of
 * this one first that it was put back. The next run is another. */
static void try_failure(bool restart)
{
	struct het h;

	het_new(&h, WALK, WALK, restart);
	start(&h, 0);
	start(&h, 1);
	walks(&h, 0, up_steps, "barrier ready");
	walks(&h, 1, up_steps, "report attach");
	does(&h, 1, "report attach", false);
	ck_assert_int_ge(h.w.verdicts, 1);
	ck_assert_uint_eq(h.w.verdict_job, JOB + 1);
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "busy");
	verdict_done(of(&h, 1));
	end(&h, 1, "PENDING");
	ticks(&h, 20);
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "busy");
	end(&h, 0, "PENDING");
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "abort");
	ck_assert_str_eq(does(&h, 0, "report down", true), "skip");
	ck_assert_str_eq(does(&h, 1, "report down", true), "skip");
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(does(&h, i, "report clean", true), "go");
		ck_assert_int_eq(state_of(&h, i), 6);
		h.job[i].restarts = 1;
		h.job[i].start += 200;
		h.job[i].state = (char *)"RUNNING";
		h.job[i].completing = false;
		h.w.node[i].buffer = 0;
	}
	h.w.now += 200;
	start(&h, 0);
	walks(&h, 0, up_steps, "barrier ready");
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "busy");
	start(&h, 1);
	walks(&h, 1, up_steps, "barrier ready");
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "go");
	world_free(&h.w);
}

/* A run whose last component could not start is begun again two minutes later,
 * which is no restart: what there was of it is not taken for the other one. */
START_TEST(test_start_again)
{
	struct het h;

	het_new(&h, WALK, WALK, false);
	start(&h, 0);
	end(&h, 0, "PENDING");
	h.w.now += 121;
	for (int i = 0; i < 2; i++) {
		h.job[i].start += 121;
		h.job[i].state = (char *)"RUNNING";
		h.job[i].completing = false;
		h.w.node[i].buffer = 0;
	}
	start(&h, 1);
	walks(&h, 1, up_steps, "barrier ready");
	ck_assert_str_eq(does(&h, 1, "barrier ready", true), "busy");
	world_free(&h.w);
}
END_TEST

START_TEST(test_failure)
{
	try_failure(false);
	try_failure(true);
}
END_TEST

/* One that was cancelled alone is not waited for, once it is sure that it is
 * alone. */
START_TEST(test_component_cancelled_alone)
{
	struct het h;

	het_new(&h, WALK, WALK, false);
	start(&h, 0);
	start(&h, 1);
	walks(&h, 0, up_steps, "barrier ready");
	walks(&h, 1, up_steps, "report ready");
	end(&h, 1, "CANCELLED");
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "busy");
	ticks(&h, 11);
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "go");
	world_free(&h.w);
}
END_TEST

/* The nodes of the first are not free before all data is out. */
static void try_outlasts(bool restart)
{
	struct het h;

	het_new(&h, WALK, WALK, restart);
	both_run(&h);
	end(&h, 0, "COMPLETED");
	walks(&h, 0, down_steps, "barrier out.done");
	ck_assert_str_eq(does(&h, 0, "barrier out.done", true), "busy");
	end(&h, 1, "COMPLETED");
	ticks(&h, 150);
	walks(&h, 1, down_steps, "barrier out.1.verified");
	ck_assert_str_eq(does(&h, 0, "barrier out.done", true), "busy");
	ticks(&h, 49); /* StageOutTimeout=200 */
	ck_assert_int_eq(h.w.verdicts, 0);
	does(&h, 1, "barrier out.1.verified", true);
	ck_assert_str_eq(does(&h, 1, "barrier out.done", true), "go");
	ck_assert_str_eq(does(&h, 0, "barrier out.done", true), "go");
	ck_assert_int_eq(state_of(&h, 0), 5);
	world_free(&h.w);
}

START_TEST(test_outlasts)
{
	try_outlasts(false);
	try_outlasts(true);
}
END_TEST

/* Nor before slurmctld knows that some is missing; also where it has none
 * itself. */
static void try_outlasts_failure(bool restart)
{
	struct het h;

	het_new(&h, BARE, WALK, restart);
	start(&h, 0);
	start(&h, 1);
	walks(&h, 0, up_steps, "barrier in.0.manifest");
	does(&h, 0, "report ready", true);
	walks(&h, 1, up_steps, "barrier ready");
	ck_assert_str_eq(does(&h, 0, "barrier ready", true), "go");
	end(&h, 0, "COMPLETED");
	ck_assert_str_eq(does(&h, 0, "report down", true), "busy");
	end(&h, 1, "COMPLETED");
	ck_assert_str_eq(does(&h, 0, "report down", true), "busy");
	walks(&h, 1, down_steps, "report out.1.share");
	does(&h, 1, "report out.1.share", false);
	ck_assert_uint_eq(h.w.verdict_job, JOB + 1);
	ck_assert_int_eq(h.w.what, SLU_FAIL);
	ck_assert_str_eq(does(&h, 0, "report down", true), "busy");
	verdict_done(of(&h, 1));
	ck_assert_str_eq(does(&h, 0, "report down", true), "skip");
	ck_assert_str_eq(does(&h, 0, "report clean", true), "go");
	ck_assert_int_eq(state_of(&h, 0), 6);
	world_free(&h.w);
}

START_TEST(test_outlasts_failure)
{
	try_outlasts_failure(false);
	try_outlasts_failure(true);
}
END_TEST

TEST_MAIN("buffers het", test_together, test_deadline, test_failure,
	  test_start_again, test_component_cancelled_alone, test_outlasts,
	  test_outlasts_failure)
