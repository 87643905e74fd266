/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the verdict on a job whose set-up, stage-in or stage-out fails or takes
 * too long: requeue, hold, fail, or leave it to Slurm, with the reason. It is
 * sent to slurmctld once, and again only if slurmctld may have lost it.
 */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"

/* One node fails at each of the steps of set-up and stage-in: one verdict, and
 * all nodes are told to abort. */
START_TEST(test_fail_up)
{
	struct world w;
	int at;

	for (at = 1; at < N_UP; at++) {
		/* the phase that fails: stage-in between the barrier "mounted"
		 * and the last "ready", else set-up */
		int in = at <= 5 ? 1 : at < N_UP - 1 ? 2 : 3;
		char want[80];

		world_new(&w, 3, WALK, NULL);
		w.node[1].fail_at = at;
		run_all(&w);
		ck_assert_int_eq(w.verdicts, 1);
		ck_assert_int_eq(w.what, in == 2 ? SLU_HOLD : SLU_REQUEUE);
		expect(strstr(w.reason, "failed: n2: it broke"), "%s",
		       w.reason);
		ck_assert(w.node[0].aborted && w.node[1].aborted &&
			  w.node[2].aborted);
		ck_assert(w.node[0].skip && w.node[1].skip);
		ck_assert(w.final == (in == 3));
		ck_assert_str_eq(w.state, "DONE");
		snprintf(want, sizeof(want), "6 %d 2 %d 0 555 %d 0 --- ---",
			 in == 2 ? 2 : 1, in == 2 ? 1 : 0, at < 8 ? 0 : 3000);
		expect_outcome(&w, want);
		world_free(&w);
	}
}
END_TEST

/* A node reports that it was rebooted and has lost its part. During set-up that
 * fails the buffer; while the job runs slurmctld notices by itself, and after
 * the job it is no failure. */
START_TEST(test_restarted)
{
	static const struct {
		bool runs, ended;
		const char *word, *reason;
	} cases[] = {
		{false, false, "busy", "setup failed: n2: it broke"},
		{false, true, "abort", "setup failed: Slurm ended the run"},
		{true, false, "go", ""},
		{true, true, "abort", ""},
	};

	each(c, cases)
	{
		struct world w;
		struct heard h;

		world_new(&w, 2, WALK, NULL);
		job_start(&w);
		for (int i = 0; i < 2; i++)
			ask_plan(&w, &w.node[i]);
		if (c->runs)
			run_until(&w, AT_RUN);
		if (c->ended)
			job_end(&w, "NODE_FAIL");
		h = do_step(&w, &w.node[1], "report restarted", false);
		ck_assert_str_eq(h.word, c->word);
		ck_assert_int_eq(w.verdicts, *c->reason != 0);
		expect(strstr(w.reason, c->reason), "%s", w.reason);
		world_free(&w);
	}
}
END_TEST

/* Slurm ends a run in set-up or stage-in because of a node, without saying
 * which: sluiced gives as the reason the nodes that it was waiting for. The
 * verdict leaves the job to Slurm (SLU_COMPLETE). */
START_TEST(test_run_ended_by_slurm_for_a_node)
{
	static const struct {
		const char *end;
		bool in; /* in the stage-in */
		const char *reason;
	} cases[] = {
		{"NODE_FAIL", false,
		 "sluice: setup failed: Slurm ended the run (NODE_FAIL) while "
		 "n2 had not come"},
		{"BOOT_FAIL", false,
		 "sluice: setup failed: Slurm ended the run (BOOT_FAIL) while "
		 "n2 had not come"},
		{"NODE_FAIL", true,
		 "sluice: stage-in failed: Slurm ended the run (NODE_FAIL) "
		 "while n2 had not staged in"},
		{"CANCELLED", false, ""},
		{"PENDING", false, ""},
	};

	each(c, cases)
	{
		struct world w;

		world_new(&w, 2, WALK, NULL);
		job_start(&w);
		ask_plan(&w, &w.node[0]);
		while (c->in && strcmp(w.state, "STAGE_IN"))
			world_step(&w);
		barrier(&w, &w.node[0], c->in ? "ready" : "servers", "");
		job_end(&w, c->end);
		ck_assert_int_eq(w.verdicts, *c->reason != 0);
		ck_assert_str_eq(w.reason, c->reason);
		ck_assert_int_eq(history_has(&w, "put back while n2 had not "
						 "come (see sinfo -R)"),
				 !strcmp(c->end, "PENDING"));
		if (w.verdicts)
			ck_assert_int_eq(w.what, SLU_COMPLETE);
		world_free(&w);
	}
}
END_TEST

/* A node on which slurmd ran no prolog for this run has no part of the buffer
 * and reports "missed": the job is requeued, not failed; a running job is left
 * alone. */
START_TEST(test_missed)
{
	static const char text[] = "slurmd ran no prolog";
	static const struct {
		bool runs, ended;
		const char *word;
	} cases[] = {
		{false, false, "busy"},
		{false, true, "notfound"},
		{true, false, "go"},
	};

	each(c, cases)
	{
		struct slu_report r = {.step = (char *)"missed",
				       .phase = (char *)"setup",
				       .text = (char *)text};
		struct world w;
		struct actor stranger;

		world_new(&w, 2, WALK, NULL);
		job_start(&w);
		if (c->runs)
			run_until(&w, AT_RUN);
		if (c->ended)
			job_end(&w, "PENDING");
		stranger = w.node[0];
		stranger.buffer = 0;
		ck_assert_str_eq(report(&w, &stranger, r).word, c->word);
		ck_assert_int_eq(w.verdicts, !c->runs && !c->ended);
		if (w.verdicts) {
			ck_assert_int_eq(w.what, SLU_REQUEUE);
			expect(strstr(w.reason, "setup failed: n1: slurmd ran"),
			       "%s", w.reason);
			verdict_done(&w);
			ck_assert_str_eq(report(&w, &stranger, r).word,
					 "abort");
		}
		world_free(&w);
	}
}
END_TEST

/* Invalid UTF-8 and control characters in a failure's text are replaced. */
START_TEST(test_failure_text)
{
	struct world w;
	struct slu_report r = {.step = (char *)"failed",
			       .phase = (char *)"setup",
			       .text = (char *)"/in/gr\xfc\xdf"
					       "e\n: no"};

	world_new(&w, 2, WALK, NULL);
	job_start(&w);
	ask_plan(&w, &w.node[0]);
	report(&w, &w.node[0], r);
	expect(strstr(w.reason, "n1: /in/gr??e?: no"), "%s", w.reason);
	world_free(&w);
}
END_TEST

/* One node fails after the job. During stage-out that fails the stage-out, and
 * all nodes keep their data; during the clean-up only this node is drained,
 * until it is clean. */
START_TEST(test_fail_down)
{
	struct world w;
	int at;

	for (at = 3; at < N_DOWN; at++) {
		if (strncmp(down_steps[at], "report", 6) != 0)
			continue;
		world_new(&w, 3, WALK, NULL);
		w.node[1].fail_down = at;
		run_all(&w);
		ck_assert_int_eq(w.verdicts, at == 3);
		ck_assert_int_eq(w.node[0].keep, at == 3);
		ck_assert_int_eq(w.node[1].keep, at == 3);
		ck_assert_int_eq(w.node[2].keep, at == 3);
		if (at == 3) {
			ck_assert_str_eq(
				w.reason,
				"sluice: stage-out failed: n2: it "
				"broke; the data is kept on n[1-3] for "
				"2-00:00:00: srun -N3 -w n[1-3] "
				"sluice-node fetch 17 DIR");
			ck_assert_int_eq(w.what, SLU_FAIL);
			expect_outcome(&w, "6 4 2 2 1 555 6000 0 --- ---");
		} else {
			expect_outcome(&w, "6 5 0 2 1 555 6000 0 -x- -x-");
		}
		world_free(&w);
	}
}
END_TEST

/* Expects the text of the buffer's first history row in state 6 (DONE). */
static void expect_history(struct world *w, const char *want)
{
	struct slu_err err;
	struct slu_rows *rows;

	rows = slu_db_query(w->db, &err,
			    "SELECT Text FROM BufferHistory"
			    " WHERE State = 6 ORDER BY rowid LIMIT 1",
			    "");
	ck_assert_int_eq(slu_db_step(rows, &err), 1);
	ck_assert_str_eq(slu_db_text(rows, 0), want);
	slu_db_done(rows);
}

/* The reason of a failed stage-out says where the data is kept and how to get
 * it, which depends on the driver; so does the last text in the history. */
START_TEST(test_kept_where)
{
	static const struct {
		const char *request, *conf, *words;
	} cases[] = {
		{"nodes=1", NULL,
		 "; the data is kept on n1 for 2-00:00:00: srun -N1 -w n1 "
		 "sluice-node fetch 17 DIR"},
		{"",
		 "FileSystem=fs Driver=glusterfs shard=64MiB "
		 "coherence=private",
		 "; the data is kept on n[1-3] for 2-00:00:00, in pie"},
		{"", "FileSystem=fs Driver=beeond",
		 "; the data is kept on n[1-3] for 2-00:00:00, in pie"},
		{"", "FileSystem=fs Driver=lustre root=/pfs",
		 "; the data is kept in /pfs/kept/17."},
		{"", "KeepFailed=0", ": it broke"},
	};

	each(c, cases)
	{
		struct world w;
		char request[300];
		const char *end;

		snprintf(request, sizeof(request), "jobfs capacity=4GiB %s%s",
			 c->request, strchr(WALK, ';'));
		world_new(&w, 3, request, c->conf);
		w.node[0].fail_down = 3;
		run_all(&w);
		end = strstr(w.reason, c->words);
		expect(end, "%s", w.reason);
		if (c->conf && strstr(c->conf, "KeepFailed"))
			ck_assert_str_eq(end, c->words);
		else
			expect_history(&w, strstr(end, "the data"));
		world_free(&w);
	}
}
END_TEST

/* If slurmctld does not confirm a verdict, the nodes in set-up wait for it 30 s
 * and no longer. */
START_TEST(test_wait_for_verdict_is_bounded)
{
	struct world w;
	double failed;

	world_new(&w, 2, WALK, NULL);
	w.deaf = true;
	w.node[1].fail_at = 2;
	while (!w.verdicts)
		world_step(&w);
	failed = w.now;
	while (!all_at(&w, AT_RUN)) {
		step(&w, &w.node[0]);
		step(&w, &w.node[1]);
		w.now += 1;
		slu_buffers_tick(w.b, w.now);
		ck_assert(w.now < failed + 100);
	}
	ck_assert(w.now > failed + 29 && w.now < failed + 33);
	ck_assert(w.node[0].aborted && w.node[1].aborted);
	world_free(&w);
}
END_TEST

/* After a failed stage-out no node's epilog ends before slurmctld has confirmed
 * the verdict: then the job has its final state. */
START_TEST(test_verdict_before_end)
{
	struct world w;
	int i;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	w.node[0].fail_down = 3;
	w.deaf = true;
	for (i = 0; i < 200; i++)
		world_step(&w);
	ck_assert_int_eq(w.verdicts, 1);
	ck_assert_str_eq(w.state, "STAGE_OUT");
	ck_assert_int_eq(w.node[0].pos, OUT_DONE);
	ck_assert_int_eq(w.node[1].pos, OUT_DONE);
	verdict_done(&w);
	run_until(&w, AT_END);
	ck_assert(w.node[0].keep && w.node[1].keep);
	world_free(&w);
}
END_TEST

/* slurmctld is killed soon after it has confirmed a verdict: it may have lost
 * it, as it saves its state only now and then, and is sent it again. */
START_TEST(test_verdict_forgotten)
{
	static const struct {
		double kept;   /* seconds from the confirmation to the kill */
		bool restarts; /* sluiced restarts before slurmctld is back */
		bool again;    /* expected: the verdict is sent again */
	} cases[] = {
		{0, false, true},  {3, false, true},   {3, true, true},
		{60, true, false}, {60, false, false},
	};

	each(c, cases)
	{
		struct world w;
		int told;

		world_new(&w, 2, WALK, NULL);
		run_until(&w, AT_RUN);
		w.node[0].fail_down = 3;
		w.deaf = true;
		while (!w.verdicts)
			ck_assert(world_step(&w));
		verdict_done(&w);
		run_until(&w, AT_END); /* confirmed: no node waits any more */
		told = w.verdicts;
		w.now += c->kept;
		slu_buffers_tick(w.b, w.now);
		slu_buffers_disconnected(w.b);
		w.now += 60;
		slu_buffers_tick(w.b, w.now);
		if (c->restarts)
			world_restart(&w);
		sync_all(&w);
		expect((w.verdicts > told) == c->again, "%g s: %d", c->kept,
		       w.verdicts - told);
		verdict_done(&w);
		w.now += 31;
		slu_buffers_tick(w.b, w.now);
		told = w.verdicts;
		sync_all(&w);
		ck_assert_int_eq(w.verdicts, told);
		world_free(&w);
	}
}
END_TEST

/* The verdict on an old run is not sent for a job that runs again. */
START_TEST(test_verdict_of_old_run)
{
	struct world w;
	int told;

	world_new(&w, 2, WALK, NULL);
	w.node[0].fail_at = 2;
	while (!w.owes_verdict)
		ck_assert(world_step(&w));
	job_end(&w, "PENDING");
	verdict_done(&w);
	slu_buffers_disconnected(w.b);
	told = w.verdicts;
	w.job.state = (char *)"RUNNING";
	w.job.completing = false;
	w.job.restarts++;
	w.job.start += 10;
	sync_all(&w);
	ck_assert_int_eq(w.verdicts, told);
	world_free(&w);
}
END_TEST

/* A job id is used again, 40 days later, by another job: its requeues are
 * counted from 0. */
START_TEST(test_requeues_of_another)
{
	struct slu_err err;
	struct world w;

	world_new(&w, 2, WALK, NULL);
	for (int run = 0; run < 3; run++) {
		w.job.restarts = (uint32_t)run;
		w.job.start++;
		expect_ok(slu_buffers_job(w.b, &w.job, false, w.now, &err),
			  err);
		ask_plan(&w, &w.node[0]);
		do_step(&w, &w.node[0], "report server", false);
		ck_assert_int_eq(w.what, SLU_REQUEUE);
		w.node[0].buffer = 0;
		w.now += 40 * 86400.0;
		w.job.start = (int64_t)w.now;
	}
	world_free(&w);
}
END_TEST

/* The clock is set while a deadline and the wait for a verdict run: both keep
 * their remaining time. */
START_TEST(test_clock)
{
	static const double steps[] = {86400, 20, -86400};

	each(step, steps)
	{
		struct world w;

		world_new(&w, 2, WALK, NULL);
		w.deaf = true;
		job_start(&w);
		w.now += 40;
		slu_buffers_tick(w.b, w.now);
		w.now += *step;
		slu_buffers_clock(w.b, w.now, *step);
		w.now += 19;
		slu_buffers_tick(w.b, w.now);
		expect(w.verdicts == 0, "%g: %s", *step, w.reason);
		w.now += 2;
		slu_buffers_tick(w.b, w.now);
		expect(w.verdicts == 1, "%g", *step);
		w.now += 15 + *step;
		slu_buffers_clock(w.b, w.now, *step);
		slu_buffers_tick(w.b, w.now);
		ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "busy");
		w.now += 16;
		slu_buffers_tick(w.b, w.now);
		ck_assert_str_ne(ask_plan(&w, &w.node[0]).word, "busy");
		world_free(&w);
	}
}
END_TEST

/* Node 2 hangs, and nobody reports that it is lost: each phase ends at its
 * timeout. */
START_TEST(test_timeouts)
{
	static const struct {
		const char *until;  /* the state in which it starts to hang */
		double least, most; /* seconds until the verdict */
		const char *words;  /* in the reason */
		enum slu_on_failure what;
	} cases[] = {
		{"SETUP", 60, 61, "setup failed: not done after 1:00 on n2",
		 SLU_REQUEUE},
		{"STAGE_IN", 100, 101, "stage-in failed: not done after 1:40",
		 SLU_HOLD},
		{"STAGE_OUT", 200, 201, "stage-out failed: not done after 3:20",
		 SLU_FAIL},
	};

	each(c, cases)
	{
		struct world w;
		double since, most = 1e9;
		int turn;

		world_new(&w, 3, WALK, NULL);
		while (strcmp(w.state, c->until) != 0)
			ck_assert(world_step(&w));
		since = w.now;
		for (turn = 0; turn < 3000 && !w.verdicts; turn++) {
			step(&w, &w.node[0]);
			step(&w, &w.node[2]);
			w.now += 0.5;
			most = slu_buffers_tick(w.b, w.now);
			ck_assert(most > 0 && most <= 60);
		}
		expect(w.now - since >= c->least && w.now - since < c->most,
		       "%s after %.1f", c->until, w.now - since);
		expect(strstr(w.reason, c->words), "%s", w.reason);
		ck_assert_int_eq(w.what, c->what);
		world_free(&w);
	}
}
END_TEST

/* Time while sluiced does not run does not count: after its restart a phase has
 * its whole timeout again. */
START_TEST(test_deadlines_pause_while_away)
{
	static const char *const states[] = {"STAGE_IN", "STAGE_OUT"};

	each(s, states)
	{
		struct world w;
		double back;

		world_new(&w, 3, WALK, NULL);
		while (strcmp(w.state, *s) != 0)
			ck_assert(world_step(&w));
		w.now += 1000;
		world_restart(&w);
		for (back = w.now; w.now < back + 99; w.now++) {
			step(&w, &w.node[0]);
			step(&w, &w.node[2]);
			slu_buffers_tick(w.b, w.now);
		}
		expect(!w.verdicts, "%s: %s", *s, w.reason);
		world_free(&w);
	}
}
END_TEST

/* Two runs are requeued, the third is held. */
START_TEST(test_requeues)
{
	struct world w;
	int run, i;

	world_new(&w, 3, WALK, NULL);
	for (run = 0; run < 3; run++) {
		w.job.restarts = (uint32_t)run;
		w.job.start += 200;
		w.job.state = (char *)"RUNNING";
		w.job.completing = false;
		w.started = w.ended = w.left = false;
		w.owes_verdict = false;
		for (i = 0; i < 3; i++)
			w.node[i] =
				(struct actor){.fail_at = i == 0 ? 4 : -1,
					       .fail_down = -1,
					       .name = {'n', (char)('1' + i)}};
		run_all(&w);
		ck_assert_int_eq(w.verdicts, run + 1);
		ck_assert_int_eq(w.what, run < 2 ? SLU_REQUEUE : SLU_HOLD);
		w.now += 200;
	}
	expect_outcome(&w, "6 1 2 0 0 555 0 0 6 1 2 0 0 555 0 0 "
			   "6 1 2 1 0 555 0 0 --- ---");
	world_free(&w);
}
END_TEST

/* A mistake in the request, which no requeue can cure, is held at once, or
 * failed with OnSetupFailure=fail. */
START_TEST(test_mistake)
{
	const struct slu_report never = {.step = (char *)"failed",
					 .text = (char *)"no such place",
					 .phase = (char *)"setup",
					 .mistake = true};
	static const char *const conf[] = {NULL, "OnSetupFailure=fail\n"};

	for (int k = 0; k < 2; k++) {
		struct world w;

		world_new(&w, 2, WALK, conf[k]);
		job_start(&w);
		for (int i = 0; i < 2; i++)
			step(&w, &w.node[i]);
		report(&w, &w.node[1], never);
		slu_buffers_tick(w.b, w.now);
		ck_assert_int_eq(w.verdicts, 1);
		ck_assert_int_eq(w.what, k ? SLU_FAIL : SLU_HOLD);
		expect(strstr(w.reason, "failed: n2: no such place"), "%s",
		       w.reason);
		world_free(&w);
	}
}
END_TEST

TEST_MAIN("buffers verdicts", test_mistake, test_fail_up, test_restarted,
	  test_run_ended_by_slurm_for_a_node, test_missed, test_kept_where,
	  test_failure_text, test_fail_down, test_wait_for_verdict_is_bounded,
	  test_verdict_before_end, test_verdict_forgotten,
	  test_verdict_of_old_run, test_clock, test_requeues_of_another,
	  test_timeouts, test_deadlines_pause_while_away, test_requeues)
