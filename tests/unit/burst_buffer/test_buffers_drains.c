/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which nodes are drained and resumed: nodes that could not be cleaned,
 * and nodes of jobs that slurmctld no longer knows. */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"

/* slurmctld resumed the node, and has saved that. */
static void resume_done(struct world *w, const char *node)
{
	slu_buffers_resumed(w->b, node, w->now);
	w->now += 60;
	slu_buffers_tick(w->b, w->now);
}

/* Teardown: a node that delays the others is given up and drained; when it
 * comes back it is resumed, and slurmctld's answer ends that. */
START_TEST(test_teardown_timeout)
{
	struct world w;

	world_new(&w, 3, WALK, NULL);
	while (strcmp(w.state, "TEARDOWN") != 0)
		ck_assert(world_step(&w));
	w.node[1].cut = true;
	run_until(&w, AT_END); /* advances the clock as well */
	ck_assert_str_eq(w.state, "DONE");
	ck_assert_str_eq(w.drained, "-x-");
	ck_assert_str_eq(w.resumed, "---");
	world_restart(&w);
	ck_assert_int_eq(w.drains, 2); /* sent again */
	w.node[1].cut = false;
	ck_assert_str_eq(poll_word(&w, &w.node[1], NULL).word, "left");
	run_all(&w);
	ck_assert(!w.node[1].keep);
	ck_assert_str_eq(w.resumed, "-x-");
	world_restart(&w);
	ck_assert_int_eq(w.resumes, 2);
	resume_done(&w, "n2");
	world_restart(&w);
	ck_assert_int_eq(w.resumes, 2);
	expect_outcome(&w, "6 5 0 2 1 555 6000 0 -x- -x-");
	world_free(&w);
}
END_TEST

/* slurmctld resumed a node, was killed before it saved that, and has it
 * drained again. */
START_TEST(test_resume_forgotten)
{
	static const struct {
		double kept;   /* seconds that slurmctld lived after it */
		double away;   /* and those until it was back */
		bool restarts; /* we do too, meanwhile */
		bool again;    /* it must be sent again */
	} cases[] = {
		{0, 0, false, true},	 {3, 3, false, true},
		{3, 1000, false, true},	 {3, 3, true, true},
		{3, 1000, true, true},	 {60, 0, false, false},
		{60, 9, false, false},	 {60, 9, true, false},
		{60, 1000, true, false},
	};

	each(c, cases)
	{
		struct world w;
		int told;

		world_new(&w, 2, WALK, NULL);
		w.node[1].fail_down = N_DOWN - 1;
		run_all(&w);
		ck_assert_str_eq(w.resumed, "-x");
		told = w.resumes;
		slu_buffers_resumed(w.b, "n2", w.now);
		w.now += c->kept;
		slu_buffers_tick(w.b, w.now);
		slu_buffers_disconnected(w.b);
		w.now += c->away;
		slu_buffers_tick(w.b, w.now);
		if (c->restarts)
			world_restart(&w);
		sync_all(&w);
		expect((w.resumes > told) == c->again, "%g s, %g s: %d",
		       c->kept, c->away, w.resumes - told);
		if (c->again)
			resume_done(&w, "n2");
		told = w.resumes;
		sync_all(&w);
		ck_assert_int_eq(w.resumes, told);
		world_free(&w);
	}
}
END_TEST

/* A node is drained for what no job is known of, and resumed unless a buffer
 * has it drained. */
START_TEST(test_dirty)
{
	struct world w;

	world_new(&w, 2, WALK, NULL);
	slu_buffers_dirty(w.b, "n2", "/local/9.99: it is there");
	ck_assert_str_eq(w.drained, "-x");
	slu_buffers_dirty(w.b, "n2", "");
	ck_assert_str_eq(w.resumed, "-x");
	run_until(&w, AT_RUN);
	job_end(&w, "PENDING");
	job_nodes(&w, "n1", NULL);
	ck_assert_str_eq(w.drained, "xx");
	slu_buffers_dirty(w.b, "n1", "");
	ck_assert_str_eq(w.resumed, "-x");
	world_free(&w);
}
END_TEST

/* A node that is clean of one buffer is not resumed while another drains it,
 * not even when slurmctld gets everything again. */
START_TEST(test_resume_dirty)
{
	struct world w;
	struct actor first;
	int told;

	world_new(&w, 1, WALK, NULL);
	run_until(&w, AT_RUN);
	job_end(&w, "PENDING");
	job_nodes(&w, "n1", NULL);
	first = w.node[0];
	first.where = AT_DOWN;
	do_step(&w, &first, "report clean", true);
	ck_assert_int_eq(w.resumes, 1);
	w.job.restarts = 1;
	w.job.start += 200;
	w.job.state = (char *)"RUNNING";
	w.job.completing = w.ended = false;
	w.node[0] =
		(struct actor){.name = "n1", .fail_at = -1, .fail_down = -1};
	job_start(&w);
	run_until(&w, AT_RUN);
	job_end(&w, "COMPLETED");
	told = w.drains;
	job_nodes(&w, "n1", NULL);
	ck_assert_int_gt(w.drains, told);
	told = w.resumes;
	sync_all(&w);
	world_restart(&w);
	ck_assert_int_eq(w.resumes, told);
	w.node[0].where = AT_DOWN;
	do_step(&w, &w.node[0], "report clean", true);
	ck_assert_int_eq(w.resumes, told + 1);
	resume_done(&w, "n1");
	sync_all(&w);
	ck_assert_int_eq(w.resumes, told + 1);
	world_free(&w);
}
END_TEST

/* The next run begins while a node still cleans up after the first. */
START_TEST(test_next_run)
{
	struct world w;
	struct actor slow;

	world_new(&w, 3, WALK, NULL);
	run_until(&w, AT_RUN);
	job_end(&w, "PENDING");
	job_nodes(&w, "n3", NULL);
	ck_assert_str_eq(w.drained, "--x");
	slow = w.node[2];
	slow.where = AT_DOWN;
	slow.pos = 0;
	w.node[0].where = w.node[1].where = w.node[2].where = AT_UP;
	w.node[0].pos = w.node[1].pos = w.node[2].pos = 0;
	w.node[0].buffer = w.node[1].buffer = w.node[2].buffer = 0;
	/* it asks before slurmctld has reported the new run */
	w.job.restarts = 1;
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "busy");
	w.job.start += 200;
	w.job.state = (char *)"RUNNING";
	job_start(&w);
	ck_assert_str_eq(w.drained, "xxx"); /* none has cleaned the first */
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "go");
	ck_assert_uint_ne(w.node[0].buffer, slow.buffer);
	ck_assert_str_eq(ask_plan(&w, &w.node[1]).word, "go");
	ck_assert_str_eq(barrier(&w, &w.node[0], "servers", "a").word, "busy");
	ck_assert_str_eq(do_step(&w, &slow, "report clean", true).word, "go");
	ck_assert_str_eq(w.resumed, "--x");
	ck_assert(is_member(&w, JOB, "n3"));
	ck_assert(!is_member(&w, JOB, "n4"));
	ck_assert(!is_member(&w, JOB + 1, "n1"));
	world_free(&w);
}
END_TEST

/* A job is put back before a node has asked for its plan: nothing is to be
 * waited for there, as the next run's nodes are counted as such. */
START_TEST(test_requeued_early)
{
	struct world w;

	world_new(&w, 2, WALK, NULL);
	job_start(&w);
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "go");
	job_end(&w, "REQUEUED");
	ck_assert_str_eq(ask_plan(&w, &w.node[1]).word, "notfound");
	w.job.restarts = 1;
	ck_assert_str_eq(ask_plan(&w, &w.node[1]).word, "busy");
	world_free(&w);
}
END_TEST

/* A node to which the plan was sent, but never came, has nothing to clean. It
 * can say so only of a run that has ended. */
START_TEST(test_clean_without_plan)
{
	struct world w;
	struct actor none = {.name = "n1"};

	world_new(&w, 2, WALK, NULL);
	job_start(&w);
	ask_plan(&w, &w.node[0]);
	ck_assert_str_eq(do_step(&w, &none, "report clean", true).word,
			 "notfound");
	job_end(&w, "CANCELLED");
	job_nodes(&w, "n1", NULL);
	ck_assert_str_eq(w.drained, "x-");
	ck_assert_str_eq(do_step(&w, &none, "report down", true).word,
			 "notfound");
	ck_assert_str_eq(do_step(&w, &none, "report clean", true).word, "go");
	ck_assert_str_eq(w.resumed, "x-");
	ck_assert_str_eq(w.state, "DONE");
	world_free(&w);
}
END_TEST

/* slurmctld comes back and does not know the job any more. */
START_TEST(test_vanished)
{
	struct world w;
	struct slu_err err;

	world_new(&w, 3, WALK, NULL);
	while (w.node[0].pos < 3) /* and the others less */
		world_step(&w);
	w.node[2].buffer = 0;
	expect_ok(slu_buffers_sync(w.b, NULL, 0, w.now, &err), err);
	ck_assert_str_eq(w.state, "TEARDOWN");
	ck_assert_str_eq(w.drained, "xxx");
	w.ended = true;
	run_all(&w); /* node 3 knows of nothing, the others wait for it */
	ck_assert_str_eq(w.state, "DONE");
	ck_assert(w.now > 1000050);
	ck_assert_str_eq(w.resumed, "xx-");
	world_free(&w);
}
END_TEST

/* slurmctld's full state says which nodes have been released and which are
 * down. */
START_TEST(test_sync_nodes)
{
	struct world w;
	int told;

	world_new(&w, 3, WALK, NULL);
	run_until(&w, AT_RUN);
	job_end(&w, "COMPLETED");
	w.job.completing_nodes = (char *)"n[1-2]";
	w.job.down_nodes = (char *)"n2";
	sync_all(&w);
	ck_assert_str_eq(w.drained, "--x");
	told = w.verdicts;
	ck_assert_int_ge(told, 1);
	expect(strstr(w.reason, "n2 was lost"), "%s", w.reason);
	sync_all(&w);
	ck_assert_int_eq(w.verdicts, told + 1); /* until it is answered */
	verdict_done(&w);
	w.now += 31;
	slu_buffers_tick(w.b, w.now);
	sync_all(&w);
	ck_assert_int_eq(w.verdicts, told + 1);
	world_free(&w);
}
END_TEST

/* A job that is over, without a report as there was no connection, has not
 * started again. */
START_TEST(test_sync_over)
{
	struct world w;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	ck_assert_str_eq(w.state, "RUNNING");
	w.job.state = (char *)"FAILED";
	w.job.exit_code = 1 << 8;
	w.job.end = (int64_t)w.now;
	w.ended = true;
	sync_all(&w);
	ck_assert_str_eq(w.drained, "xx"); /* both left, and are not clean */
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	ck_assert_str_eq(w.resumed, "xx");
	world_free(&w);
}
END_TEST

/* A slurmctld that was killed before it saved the start of a job does not know
 * it: no epilog will come, and the nodes are told that. */
START_TEST(test_forgotten_start)
{
	struct world w;
	struct actor *n1;
	struct slu_err err;

	world_new(&w, 2, WALK, NULL);
	n1 = &w.node[0];
	job_start(&w);
	ask_plan(&w, n1);
	expect_ok(slu_buffers_sync(w.b, NULL, 0, w.now, &err), err);
	ck_assert_str_eq(poll_word(&w, n1, NULL).word, "left");
	world_restart(&w);
	ck_assert_str_eq(poll_word(&w, n1, NULL).word, "left");
	do_step(&w, n1, "report down", true);
	ck_assert_str_eq(poll_word(&w, n1, NULL).word, "go");
	world_free(&w);
}
END_TEST

/* Nor will one on a node that was down then: it was lost, and not drained. */
START_TEST(test_forgotten_lost)
{
	static const char *const types[] = {"scratch", "gekkofs"};

	each(type, types)
	{
		char request[100];
		struct world w;
		struct slu_err err;

		snprintf(request, sizeof(request),
			 "jobfs type=%s capacity=4GiB; stage_out "
			 "source=$BB_JOBFS/out destination=/dst",
			 *type);
		world_new(&w, 2, request,
			  "FileSystem=scratch Driver=scratch\n"
			  "FileSystem=gekkofs Driver=gekkofs");
		run_until(&w, AT_RUN);
		job_nodes(&w, NULL, "n1");
		ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word, "go");
		expect_ok(slu_buffers_sync(w.b, NULL, 0, w.now, &err), err);
		verdict_done(&w);
		w.now += 10000;
		slu_buffers_tick(w.b, w.now);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert_str_eq(w.drained, "-x");
		ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word, "left");
		world_restart(&w);
		ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word, "left");
		do_step(&w, &w.node[0], "report clean", true);
		expect(strcmp(poll_word(&w, &w.node[0], NULL).word, "left"),
		       "%s", *type);
		world_free(&w);
	}
}
END_TEST

/* Its end was not reported before its number was given again, to a job on the
 * same nodes: that job does not get the files of the first. */
START_TEST(test_forgotten_number)
{
	struct world w;
	struct actor same = {.name = "n1"}, other = {.name = "n1"};

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	w.job.start += 60; /* nodes were powered up */
	sync_all(&w);
	ck_assert_str_eq(ask_plan(&w, &same).word, "go");
	ck_assert_uint_eq(same.buffer, w.node[0].buffer);
	w.job.submit = w.job.start + 3600;
	w.job.start = w.job.submit + 1;
	sync_all(&w);
	ck_assert_str_eq(ask_plan(&w, &other).word, "go");
	ck_assert_uint_ne(other.buffer, same.buffer);
	world_free(&w);
}
END_TEST

/* Slurm has given up one that it did not hear for a while, as its cable was out
 * or its MUNGE key wrong: back, it has all of the job's still, was not
 * restarted, and no epilog comes, neither before the others are clean nor
 * later. */
START_TEST(test_lost_back)
{
	struct actor lost;
	struct world w;

	world_new(&w, 2, WALK, NULL);
	job_start(&w);
	run_until(&w, AT_RUN);
	lost = w.node[0];
	w.node[0].cut = true;
	job_end(&w, "COMPLETED");
	job_nodes(&w, NULL, "n1");
	verdict_done(&w);
	ck_assert_str_eq(poll_word(&w, &lost, "").word, "left");
	run_until(&w, AT_END);
	ck_assert_str_eq(w.state, "DONE");
	w.now += 86400;
	ck_assert_str_eq(poll_word(&w, &lost, "").word, "left");
	world_restart(&w);
	ck_assert_str_eq(poll_word(&w, &lost, "").word, "left");
	world_free(&w);
}
END_TEST

/* A node that was drained, began to stage out, and was lost, goes on. */
START_TEST(test_lost_staging)
{
	struct world w;

	world_new(&w, 2,
		  "jobfs type=tmp capacity=4GiB tolerate=1; stage_out "
		  "source=$BB_JOBFS/out destination=/dst",
		  "FileSystem=tmp Driver=scratch");
	run_until(&w, AT_RUN);
	job_end(&w, "COMPLETED");
	job_nodes(&w, "n1", NULL);
	ck_assert_str_eq(w.drained, "x-");
	do_step(&w, &w.node[0], "report down", true);
	ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word, "go");
	job_nodes(&w, NULL, "n1");
	ck_assert_str_eq(w.state, "STAGE_OUT");
	ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word, "go");
	world_free(&w);
}
END_TEST

static int64_t count_failed(struct world *w, const char *text)
{
	struct slu_err err;
	int64_t n;

	expect_ok(slu_db_value(w->db, &n, 0, &err,
			       "SELECT COUNT(*) FROM Buffer WHERE Failure = ?",
			       "s", text),
		  err);
	return n;
}

/* `known`: slurmctld has another job of that number, which runs. */
static void forget_job(struct world *w, bool known)
{
	struct slu_job other = w->job;
	struct slu_err err;

	other.start += 3600;
	other.nodes = (char *)"n2";
	w->ended = true;
	expect_ok(slu_buffers_sync(w->b, known ? &other : NULL, known, w->now,
				   &err),
		  err);
	if (known) { /* and it ends before it has begun */
		other.state = (char *)"CANCELLED";
		expect_ok(slu_buffers_job(w->b, &other, true, w->now, &err),
			  err);
	}
}

static void end_unknown(const char *on, bool known, bool keep)
{
	char request[300];
	struct world w;

	snprintf(request, sizeof(request), "%s%s", WALK, on);
	world_new(&w, 2, request, NULL);
	run_until(&w, AT_RUN);
	forget_job(&w, known);
	world_restart(&w);
	w.deaf = true; /* there is no job for a verdict */
	run_all(&w);
	for (int i = 0; i < 2; i++) {
		expect(w.node[i].keep == keep, "%s, %d", on, known);
		expect((w.node[i].staged & 1) == !keep, "%s, %d", on, known);
	}
	ck_assert_int_eq(w.verdicts, 0);
	ck_assert_int_eq(count_failed(&w, "slurmctld cannot say whether the "
					  "job succeeded"),
			 keep);
	world_free(&w);
}

/* slurmctld does not know the job any more, or only another of its number: what
 * depends on how it ended is kept, and no job is changed. */
START_TEST(test_unknown_end)
{
	static const struct {
		const char *on;
		bool keep;
	} cases[] = {{"", false},
		     {" on=success", true},
		     {" on=failure", true},
		     {" on=always", false}};

	each(c, cases)
	{
		end_unknown(c->on, false, c->keep);
		end_unknown(c->on, true, c->keep);
	}
}
END_TEST

/* A node that was given up is back: it takes down what it has once the job's
 * next run is elsewhere, or sets that up if it is here and no prolog is run. */
START_TEST(test_returned)
{
	static const struct {
		const char *nodes,
			*words[3]; /* soon, later, once it has come */
	} cases[] = {
		{"n[1-2]", {"lost", "again", "abort"}},
		{"n1", {"left", "left", "left"}},
	};

	each(c, cases)
	{
		struct world w;
		struct actor old;

		world_new(&w, 2, WALK, NULL);
		job_start(&w);
		run_until(&w, AT_RUN);
		old = w.node[1];
		w.node[1].cut = true;
		job_end(&w, "NODE_FAIL");
		job_nodes(&w, NULL, "n2");
		run_until(&w, AT_END);
		ck_assert_str_eq(poll_word(&w, &old, "").word, "lost");
		w.job.restarts++;
		w.job.start += 100;
		w.job.state = (char *)"RUNNING";
		w.job.completing = false;
		w.job.nodes = (char *)(uintptr_t)c->nodes;
		w.now += 100;
		job_start(&w);
		ck_assert_str_eq(poll_word(&w, &old, "").word, c->words[0]);
		w.now += 6;
		ck_assert_str_eq(poll_word(&w, &old, "").word, c->words[1]);
		w.node[1].buffer = 0;
		ask_plan(&w, &w.node[1]);
		ck_assert_str_eq(poll_word(&w, &old, "").word, c->words[2]);
		world_free(&w);
	}
}
END_TEST

TEST_MAIN("buffers drains", test_returned, test_lost_back,
	  test_teardown_timeout, test_resume_forgotten, test_dirty,
	  test_resume_dirty, test_next_run, test_requeued_early,
	  test_clean_without_plan, test_vanished, test_sync_nodes,
	  test_sync_over, test_forgotten_start, test_forgotten_lost,
	  test_forgotten_number, test_lost_staging, test_unknown_end)
