/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole walks of one buffer, and every fault at every step. */
#include "config.h"
#include "tests/unit/burst_world.h"
#include "sysmap/receive.h"
#include <sys/mman.h>
#include <sys/wait.h>

/* What remains of a walk: per run "STATE FAILED_IN VERDICT WHAT SUCCESS
 * NODES BYTES GATES", then which nodes were drained and resumed. */
static void expect_outcome(struct world *w, const char *want)
{
	struct slu_buf out = {0};
	struct slu_err err;
	struct slu_rows *rows = slu_db_query(
		w->db, &err,
		"SELECT State, FailedIn, Verdict, What, Success,"
		" (SELECT group_concat(State, '') FROM BufferNode b"
		"  WHERE b.BID = Buffer.BID),"
		" (SELECT SUM(Bytes) FROM BufferPhase p"
		"  WHERE p.BID = Buffer.BID),"
		" (SELECT COUNT(*) FROM BufferGate g WHERE g.BID = Buffer.BID)"
		" FROM Buffer ORDER BY BID",
		"");
	const char *text;
	int c;

	while (slu_db_step(rows, &err) > 0)
		for (c = 0; c < slu_db_columns(rows); c++) {
			text = slu_db_text(rows, c);
			slu_buf_printf(&out, "%s ", text ? text : "-");
		}
	slu_db_done(rows);
	slu_buf_printf(&out, "%s %s", w->drained, w->resumed);
	expect(strcmp(out.data, want) == 0, "%s, not %s: %s", out.data, want,
	       w->text);
	slu_buf_free(&out);
	expect_ok(slu_db_check(w->db, &err), err);
	ck_assert_int_eq(w->errors, 0);
}

#define GOOD "6 - 0 - 1 555 6000 0 --- ---"

START_TEST(test_walk)
{
	struct world w;

	world_new(&w, 3, WALK, NULL);
	run_until(&w, AT_RUN);
	ck_assert_str_eq(w.state, "RUNNING");
	ck_assert_str_eq(w.text, "");
	ck_assert(w.final);
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	ck_assert_int_eq(w.verdicts, 0);
	ck_assert(!w.node[2].keep && !w.node[2].skip);
	expect_outcome(&w, GOOD);
	world_free(&w);
}
END_TEST

/* A fault at every step of the walk in turn, and how the walk then ends. */
typedef void fault_f(struct world *w);

static int count_steps(void)
{
	struct world w;
	int n = 0;

	world_new(&w, 3, WALK, NULL);
	while (world_step(&w))
		n++;
	world_free(&w);
	return n;
}

static void with_fault(fault_f *fault, const char *(*want)(struct world *w))
{
	int at, i, steps = count_steps();
	struct world w;

	ck_assert_int_gt(steps, 60);
	for (at = 1; at <= steps; at++) {
		const char *goal;

		world_new(&w, 3, WALK, NULL);
		for (i = 0; i < at; i++)
			ck_assert(world_step(&w));
		goal = want(&w);
		fault(&w);
		run_all(&w);
		expect_outcome(&w, goal);
		world_free(&w);
	}
}

static const char *want_good(struct world *w)
{
	(void)w;
	return GOOD;
}

START_TEST(test_restart_anywhere)
{
	with_fault(world_restart, want_good);
}
END_TEST

START_TEST(test_sync_anywhere)
{
	with_fault(sync_all, want_good);
}
END_TEST

/* Everything that was said so far is said again. */
static void say_again(struct world *w)
{
	int i, pos;

	job_start(w);
	for (i = 0; i < w->n_node; i++) {
		struct actor copy = w->node[i];

		copy.where = AT_UP;
		for (pos = 0;
		     pos < (w->node[i].where == AT_UP ? copy.pos : N_UP); pos++)
			do_step(w, &copy, up_steps[pos], true);
		copy.where = AT_DOWN;
		for (pos = 0;
		     w->node[i].where >= AT_DOWN &&
		     pos < (w->node[i].where == AT_DOWN ? w->node[i].pos
							: N_DOWN);
		     pos++)
			do_step(w, &copy, down_steps[pos], true);
	}
	if (w->ended)
		job_end(w, "COMPLETED");
	if (w->left)
		job_nodes(w, w->nodes_text, NULL);
}

/* A job that cannot be stored does not keep what is said of the others from
 * being heard. */
START_TEST(test_sync_goes_on)
{
	struct slu_job jobs[2];
	struct slu_err err = {0};
	struct world w;
	int64_t n = 0;

	world_new(&w, 3, WALK, NULL);
	expect_ok(slu_db_script(w.db,
				"CREATE TEMP TRIGGER no BEFORE INSERT ON Buffer"
				" WHEN NEW.JobID = 17 BEGIN"
				" SELECT abs(1 << 63); END",
				&err),
		  err);
	jobs[0] = jobs[1] = w.job;
	jobs[1].job_id = JOB + 1;
	ck_assert_int_eq(slu_buffers_sync(w.b, jobs, 2, w.now, &err), -1);
	ck_assert_int_eq(err.kind, SLU_INTERNAL);
	expect_ok(slu_db_value(w.db, &n, 0, &err,
			       "SELECT SUM(JobID) FROM Buffer", ""),
		  err);
	ck_assert_int_eq(n, JOB + 1);
	world_free(&w);
}
END_TEST

START_TEST(test_twice)
{
	with_fault(say_again, want_good);
}
END_TEST

static void say_again_after_restart(struct world *w)
{
	world_restart(w);
	say_again(w);
}

START_TEST(test_twice_after_restart)
{
	with_fault(say_again_after_restart, want_good);
}
END_TEST

/* sluiced dies in the middle of a call, at every place where it speaks; what
 * nodes and slurmctld know of lies in memory that it shares with them. True
 * when it did not live to the end. */
static bool crash_at(struct world *w, int at)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		world_load(w);
		w->crash_in = at;
		run_all(w);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert(WEXITSTATUS(status) == 9 || WEXITSTATUS(status) == 0);
	w->crash_in = 0;
	world_load(w);
	if (w->started)
		sync_all(w); /* slurmctld connects anew */
	return WEXITSTATUS(status) == 9;
}

static void crash_anywhere(const char *conf, int fail_up, int fail_down,
			   const char *want)
{
	struct world *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	bool crashed = true;
	int at;

	ck_assert_ptr_ne(w, MAP_FAILED);
	for (at = 1; crashed; at++) {
		world_new(w, 3, WALK, conf);
		world_unload(w);
		w->node[1].fail_at = fail_up;
		w->node[1].fail_down = fail_down;
		crashed = crash_at(w, at);
		run_all(w);
		expect_outcome(w, want);
		world_free(w);
	}
	ck_assert_int_gt(at, 10);
	munmap(w, sizeof(*w));
}

START_TEST(test_crash_anywhere)
{
	crash_anywhere(NULL, -1, -1, GOOD);
	crash_anywhere("NodeStorage=auto\n", -1, -1,
		       "6 1 2 1 0 555 - 0 --- ---");
	crash_anywhere(NULL, 4, -1, "6 1 2 0 0 555 0 0 --- ---");
	crash_anywhere(NULL, -1, 3, "6 4 2 2 1 555 6000 0 --- ---");
	crash_anywhere(NULL, -1, 8, "6 5 0 2 1 555 6000 0 -x- -x-");
}
END_TEST

/* A cancelled job: no verdict, and nodes that had not asked for the plan have
 * nothing to clean. */
static void cancel(struct world *w)
{
	if (!w->ended)
		job_end(w, "CANCELLED");
}

/* Whether it came to run decides about the stage-out. */
static const char *want_cancelled(struct world *w)
{
	static char want[80];
	bool ran = strcmp(w->state, "RUNNING") == 0;
	int64_t bytes;
	struct slu_err err;

	if (w->ended)
		return GOOD;
	expect_ok(slu_db_value(w->db, &bytes, 0, &err,
			       "SELECT ifnull(SUM(Bytes), 0) FROM BufferPhase",
			       ""),
		  err);
	snprintf(want, sizeof(want), "6 - 0 - 0 555 %d 0 --- ---",
		 (int)bytes + (ran ? 3000 : 0));
	if (w->node[0].pos + w->node[1].pos + w->node[2].pos == 0 && !ran)
		strcpy(want, "6 - 0 - 0 555 - 0 --- ---");
	return want;
}

START_TEST(test_cancel_anywhere)
{
	with_fault(cancel, want_cancelled);
}
END_TEST

/* Node 2 is cut off: before the job runs that is its failure; after it the
 * data is lost; in teardown the others go on. */
static void lose(struct world *w)
{
	w->node[1].cut = true;
	if (w->node[1].where != AT_END)
		job_nodes(w, NULL, "n2");
	w->owes_verdict = w->owes_verdict && !w->left;
}

static void check_lost(int at)
{
	struct world w;
	int i, in;

	world_new(&w, 3, WALK, NULL);
	for (i = 0; i < at; i++)
		ck_assert(world_step(&w));
	in = strcmp(w.state, "SETUP") == 0	? 1
	     : strcmp(w.state, "STAGE_IN") == 0 ? 2
	     : strcmp(w.state, "TEARDOWN") == 0 ? 5
	     : strcmp(w.state, "DONE") == 0	? 6
						: 4;
	lose(&w);
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	if (in >= 5) {
		ck_assert_int_eq(w.verdicts, 0);
	} else {
		ck_assert_int_eq(w.verdicts, 1);
		ck_assert_int_eq(w.what, in == 1   ? SLU_REQUEUE
					 : in == 2 ? SLU_HOLD
						   : SLU_FAIL);
		ck_assert_ptr_nonnull(strstr(w.reason, "n2"));
	}
	/* those who could have staged out must keep their data */
	ck_assert(w.node[0].keep == (in == 4));
	ck_assert(w.node[2].keep == (in == 4));
	world_restart(&w);
	/* it comes back, alone */
	w.node[1].cut = false;
	run_all(&w);
	ck_assert_int_eq(w.node[1].where, AT_END);
	ck_assert(w.node[1].keep == (in == 4));
	expect_ok(slu_db_check(w.db, NULL), (struct slu_err){0});
	world_free(&w);
}

/* With tolerate=1 and data that each node has alone, one may be lost after
 * the job has begun to run; what the others have is staged out. */
START_TEST(test_tolerate)
{
	for (int lost = 1; lost <= 2; lost++) {
		struct world w;

		world_new(&w, 4,
			  "jobfs type=tmp capacity=4GiB tolerate=1; stage_out "
			  "source=$BB_JOBFS/out destination=/dst",
			  "FileSystem=tmp Driver=scratch");
		run_until(&w, AT_RUN);
		for (int i = 0; i < lost; i++) {
			w.node[i + 1].cut = true;
			job_nodes(&w, NULL, i ? "n3" : "n2");
		}
		job_end(&w, "COMPLETED");
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert_int_eq(w.verdicts, lost > 1);
		ck_assert(w.node[0].keep == (lost > 1));
		ck_assert_uint_eq(w.node[3].staged, lost > 1 ? 0 : 1);
		world_free(&w);
	}
}
END_TEST

/* One that was lost and tolerated is back before the others are done: it tells
 * that its data is gone, or knows of nothing. */
START_TEST(test_tolerate_back)
{
	static const char *const words[] = {"report lost_data", "report clean"};

	each(word, words)
	{
		struct world w;
		struct actor back;

		world_new(&w, 4,
			  "jobfs type=tmp capacity=4GiB tolerate=1; stage_out "
			  "source=$BB_JOBFS/out destination=/dst",
			  "FileSystem=tmp Driver=scratch");
		run_until(&w, AT_RUN);
		w.node[1].cut = true;
		back = w.node[1];
		job_nodes(&w, NULL, "n2");
		job_end(&w, "COMPLETED");
		ck_assert_str_eq(w.state, "STAGE_OUT");
		ck_assert_str_eq(do_step(&w, &back, *word, true).word, "go");
		ck_assert_int_eq(w.verdicts, 0);
		world_restart(&w);
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert_int_eq(w.verdicts, 0);
		ck_assert(!w.node[0].keep);
		ck_assert_uint_eq(w.node[3].staged, 1);
		world_free(&w);
	}
}
END_TEST

START_TEST(test_lose_anywhere)
{
	int at, steps = count_steps();

	for (at = 1; at < steps; at++)
		check_lost(at);
}
END_TEST

/* A step of one node fails. */
START_TEST(test_fail_up)
{
	struct world w;
	int at;

	for (at = 1; at < N_UP; at++) {
		/* after "mounted" it is the stage-in's, after the last
		 * "ready" again the setup's */
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
		snprintf(want, sizeof(want), "6 %d 2 %d 0 555 %d 0 --- ---", in,
			 in == 2 ? 1 : 0, at < 8 ? 0 : 3000);
		expect_outcome(&w, want);
		world_free(&w);
	}
}
END_TEST

/* What is told of a failure can be read as UTF-8. */
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

/* In down: while data is staged out it is the stage-out's failure, and all
 * keep their data; later it is that node's, which is drained until clean. */
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
			ck_assert_str_eq(w.reason,
					 "sluice: stage-out failed: n2: it "
					 "broke; n[1-3] keeps the data for "
					 "sluice-node fetch");
			ck_assert_int_eq(w.what, SLU_FAIL);
			expect_outcome(&w, "6 4 2 2 1 555 6000 0 --- ---");
		} else {
			expect_outcome(&w, "6 5 0 2 1 555 6000 0 -x- -x-");
		}
		world_free(&w);
	}
}
END_TEST

/* slurmctld does not answer: up waits for the bound and no longer. */
START_TEST(test_bound)
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

/* A failed stage-out's job has its verdict before any epilog ends. */
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

/* slurmctld is killed after it did a verdict: it may come back without it. */
START_TEST(test_verdict_forgotten)
{
	static const struct {
		double kept;   /* seconds that slurmctld lived after it */
		bool restarts; /* we do too, before it is back */
		bool again;    /* it must be told again */
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
		run_until(&w, AT_END); /* it did it: nobody waits any more */
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

/* Nor is the verdict on an old run told to a job that runs again. */
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

static int64_t count_rows(struct world *w)
{
	struct slu_err err;
	int64_t n;

	expect_ok(slu_db_value(w->db, &n, -1, &err,
			       "SELECT (SELECT COUNT(*) FROM Buffer)"
			       " + (SELECT COUNT(*) FROM BufferNode)"
			       " + (SELECT COUNT(*) FROM BufferPhase)"
			       " + (SELECT COUNT(*) FROM BufferHistory)",
			       ""),
		  err);
	return n;
}

/* What is over for long, and owes nothing, goes. */
START_TEST(test_prune)
{
	static const struct {
		const char *sql; /* what is different */
		double age;	 /* seconds that are kept */
		long n;
	} cases[] = {
		{"SELECT 1", 1, 1},
		{"SELECT 1", 3600, 0},
		{"UPDATE Buffer SET State = 5", 1, 0},
		{"UPDATE BufferNode SET State = 6 WHERE Position = 1", 1, 0},
		{"UPDATE BufferNode SET Orders = 1 WHERE Position = 1", 1, 0},
	};
	struct slu_err err;
	struct world w;

	each(c, cases)
	{
		world_new(&w, 2, WALK, NULL);
		run_all(&w);
		ck_assert_int_gt(count_rows(&w), 10);
		expect_ok(slu_db_script(w.db, c->sql, &err), err);
		w.now += 100;
		ck_assert_int_eq(
			slu_buffers_prune(w.db, w.now - c->age, 8, &err), c->n);
		ck_assert(c->n ? count_rows(&w) == 0 : count_rows(&w) > 10);
		world_free(&w);
	}
}
END_TEST

/* An id may be used again, by a job that is none of the other's runs. */
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

/* The clock is set, half-way to a deadline and half-way to a verdict's bound.
 */
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

/* All have come to a barrier, and the database does not take that. */
START_TEST(test_gate_not_stored)
{
	struct slu_err err = {0};
	struct world w;

	world_new(&w, 2, WALK, NULL);
	job_start(&w);
	for (int i = 0; i < 2; i++) {
		ask_plan(&w, &w.node[i]);
		do_step(&w, &w.node[i], "report server", true);
	}
	expect_ok(slu_db_script(w.db,
				"CREATE TEMP TRIGGER no BEFORE INSERT ON"
				" BufferGate BEGIN SELECT abs(1 << 63); END",
				&err),
		  err);
	for (int i = 0; i < 2; i++)
		barrier(&w, &w.node[i], "servers", "port");
	expect_ok(slu_db_script(w.db, "DROP TRIGGER no", &err), err);
	ck_assert_str_eq(barrier(&w, &w.node[0], "servers", "port").word, "go");
	world_free(&w);
}
END_TEST

/* Node 2 does nothing any more, and nobody says that it is lost. */
START_TEST(test_timeouts)
{
	static const struct {
		const char *until; /* the state in which it falls asleep */
		double least, most;
		const char *words; /* of the failure */
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

/* slurmctld resumed the node, and has saved that. */
static void resume_done(struct world *w, const char *node)
{
	slu_buffers_resumed(w->b, node, w->now);
	w->now += 60;
	slu_buffers_tick(w->b, w->now);
}

/* Teardown: who holds up the others is given up and drained; when it comes
 * back it is resumed, and slurmctld's answer ends that. */
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
	ck_assert_int_eq(w.drains, 2); /* told again */
	w.node[1].cut = false;
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
		bool again;    /* it must be told again */
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

/* A node that is clean of one buffer is not resumed while another drains it,
 * not even when slurmctld is told everything again. */
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
	/* it asks before slurmctld has told of the new run */
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "busy");
	w.job.restarts = 1;
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
	ck_assert(slu_buffers_member(w.b, JOB, "n3"));
	ck_assert(!slu_buffers_member(w.b, JOB, "n4"));
	ck_assert(!slu_buffers_member(w.b, JOB + 1, "n1"));
	world_free(&w);
}
END_TEST

/* Stage-out reports that do not add up. */
START_TEST(test_incomplete)
{
	struct world w;
	int i;

	world_new(&w, 3, WALK, NULL);
	run_until(&w, AT_RUN);
	w.job.state = (char *)"COMPLETED";
	job_end(&w, "COMPLETED");
	for (i = 0; i < 3; i++) {
		struct slu_report r = {.step = (char *)"out.1.share",
				       .ok = true,
				       .phase = (char *)"stage_out",
				       .bytes = 1000,
				       .files = i == 1 ? 9 : 10,
				       .total_bytes = 3000,
				       .total_files = 30};

		do_step(&w, &w.node[i], "report down", true);
		ck_assert_str_eq(report(&w, &w.node[i], r).word, "go");
	}
	ck_assert_int_eq(w.verdicts, 0);
	for (i = 0; i < 3; i++)
		ck_assert_str_eq(barrier(&w, &w.node[i], "out.done", NULL).word,
				 "busy");
	ck_assert_int_eq(w.verdicts, 1);
	expect(strstr(w.reason, "stage-out of /run/sluice/17/mnt/data/out is "
				"incomplete: 29 of 30 files"),
	       "%s", w.reason);
	verdict_done(&w);
	for (i = 0; i < 3; i++)
		ck_assert_str_eq(barrier(&w, &w.node[i], "out.done", NULL).word,
				 "abort");
	world_free(&w);
}
END_TEST

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

static void push_topology(struct world *w, const char *text)
{
	struct slu_document doc = {.extractor = "topology",
				   .text = (char *)(uintptr_t)text,
				   .len = strlen(text)};
	struct slu_map map = {.document = &doc, .n = 1};
	struct slu_receiver *r;
	struct slu_err err;

	doc.hash = slu_document_hash(doc.extractor, text, doc.len);
	r = slu_receiver_new(w->db, &err);
	expect(r, "%s", err.text);
	expect_ok(slu_receive_map(r, "ctl", &map, 1, &err), err);
	slu_receiver_free(r);
}

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
		 "9 of 10 files, 0B of 0B, told by 2 of 2"},
		{{4, 6, 6}, "SETUP", "6 of 12 files, 0B of 0B, told by 1 of 1"},
	};

	each(c, cases)
	{
		struct world w;
		struct slu_err err;
		struct json_object *array;

		world_new(&w, 3, SPLIT, NULL);
		push_topology(&w, "[{\"switch\":\"s1\",\"level\":0,"
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
		const char *before, *after; /* who tells, and n1 is lost */
		const char *reason;
	} cases[] = {
		{"---", "-xx", ""},
		{"xxx", "---", ""},
		{"---", "--x", "told by 0 of 1"},
		{"---", "-x-", "told by 0 of 2"},
		{"xx-", "---", "told by 1 of 2"},
	};

	each(c, cases)
	{
		struct world w;
		struct slu_err err;

		world_new(&w, 3,
			  SPLIT "; stage_out source=$BB_JOBFS/out "
				"destination=/dst",
			  NULL);
		push_topology(&w, "[{\"switch\":\"s1\",\"level\":0,"
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

/* How often the history of the newest buffer has these words. */
static int64_t history_has(struct world *w, const char *words)
{
	struct slu_err err;
	int64_t n;

	expect_ok(slu_db_value(w->db, &n, 0, &err,
			       "SELECT COUNT(*) FROM BufferHistory WHERE BID ="
			       " (SELECT MAX(BID) FROM Buffer)"
			       " AND instr(Text, ?) > 0",
			       "s", words),
		  err);
	return n;
}

/* It was ready, but ended before any task ran, or its user said so: there is no
 * output to look for, and that is no failure. */
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
		{"CANCELLED", false, true, "cancelled in a hurry"},
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

/* slurmctld's whole state says who has left and who is down. */
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

/* A job that is over, while nobody could tell us, has not started anew. */
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

/* What others ask before, after and beside. */
START_TEST(test_strangers)
{
	struct world w;
	struct actor stranger = {.name = "n9"};

	world_new(&w, 2, WALK, NULL);
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "busy");
	ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word, "notfound");
	job_start(&w);
	ck_assert_str_eq(ask_plan(&w, &stranger).word, "notfound");
	ck_assert_str_eq(barrier(&w, &stranger, "servers", "").word,
			 "notfound");
	ck_assert_str_eq(barrier(&w, &w.node[0], "servers", "").word,
			 "invalid"); /* no plan yet */
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "go");
	ck_assert_str_eq(barrier(&w, &w.node[0], "a b", "").word, "invalid");
	ck_assert_str_eq(barrier(&w, &w.node[0], "", "").word, "invalid");
	ck_assert_str_eq(do_step(&w, &w.node[0], "report what", true).word,
			 "invalid");
	w.node[0].buffer = 999;
	ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word, "notfound");
	w.job.request = (char *)"forward max=2"; /* no file system asked for */
	w.job.job_id = JOB + 1;
	job_start(&w);
	ck_assert(!slu_buffers_member(w.b, JOB + 1, "n1"));
	world_free(&w);
}
END_TEST

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

/* A stage-out that its owner stops has failed: the job gets its verdict, the
 * nodes keep the data and are cleaned. */
START_TEST(test_cancel_stage_out)
{
	static const struct {
		uint32_t uid;
		bool admin;
		const char *reason, *conf;
	} cases[] = {
		{1000, false, "cancelled by its owner", NULL},
		{0, true, "cancelled by an administrator", NULL},
		/* who cancels does not want the job to run again */
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

/* Polls, and what barriers carry. */
START_TEST(test_words)
{
	struct world w;
	struct actor *n1, *n2;

	world_new(&w, 2, WALK, NULL);
	n1 = &w.node[0];
	n2 = &w.node[1];
	job_start(&w);
	ck_assert_str_eq(w.text, "sluice: setup, 0 of 2 nodes done");
	ask_plan(&w, n1);
	ask_plan(&w, n2);
	ck_assert_str_eq(poll_word(&w, n1, NULL).word, "go");
	ck_assert_str_eq(poll_word(&w, n1, "go").word, "busy");
	ck_assert_str_eq(barrier(&w, n1, "servers", "24001").word, "busy");
	ck_assert_str_eq(barrier(&w, n1, "servers", "24002").word, "busy");
	ck_assert_str_eq(barrier(&w, n2, "servers", "24003").attrs,
			 "n1=24002 n2=24003 ");
	ck_assert_str_eq(barrier(&w, n1, "servers", "24004").attrs,
			 "n1=24002 n2=24003 "); /* open is open */
	world_restart(&w);
	ck_assert_str_eq(barrier(&w, n1, "servers", "").attrs,
			 "n1=24002 n2=24003 ");
	do_step(&w, n1, "report attach", true);
	ck_assert_str_eq(w.text, "sluice: setup, 1 of 2 nodes done");
	run_until(&w, AT_RUN);
	ck_assert_str_eq(poll_word(&w, n1, "go").word, "busy");
	ck_assert_str_eq(do_step(&w, n1, "report down", true).word, "busy");
	job_end(&w, "COMPLETED");
	ck_assert_str_eq(poll_word(&w, n1, "go").word, "ended");
	ck_assert(do_step(&w, n1, "report down", true).success);
	ck_assert_str_eq(poll_word(&w, n1, NULL).word, "go");
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done");
	world_free(&w);
}
END_TEST

/* What nodes say they have copied is told on, now and then, until the phase
 * is over. */
START_TEST(test_progress)
{
	struct world w;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	job_end(&w, "COMPLETED");
	do_step(&w, &w.node[0], "report down", true);
	do_step(&w, &w.node[1], "report down", true);
	w.node[0].copied = 1024;
	poll_word(&w, &w.node[0], NULL);
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "1KiB of 4KiB copied");
	w.node[1].copied = 512;
	poll_word(&w, &w.node[1], NULL); /* too soon to tell */
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "1KiB of 4KiB copied");
	w.now += 6;
	w.node[1].copied = 1024;
	poll_word(&w, &w.node[1], NULL);
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "2KiB of 4KiB copied");
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	ck_assert_ptr_null(strstr(w.text, "copied"));
	world_free(&w);
}
END_TEST

/* A slurmctld that was killed before it saved the start of a job knows nothing
 * of it: no epilog will come, and the nodes are told so. */
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

/* Time that setting up took is given back: ahead while it lasts, exactly at
 * its end, and never more than the site allows. */
START_TEST(test_give_back)
{
	struct world w;
	int i;

	world_new(&w, 2, WALK, "StageInTimeout=2000\n");
	w.now += 3;
	job_start(&w);
	ck_assert_int_eq(w.give_back, 3);
	for (i = 0; i < 20; i++) {
		w.now += 1;
		slu_buffers_tick(w.b, w.now);
	}
	ck_assert_int_eq(w.give_back, 23);
	ck_assert(!w.final);
	run_until(&w, AT_RUN);
	ck_assert(w.final);
	ck_assert_int_ge(w.give_back, 24);
	ck_assert_int_le(w.give_back, 27);
	i = (int)w.give_back;
	w.now += 500;
	w.give_back = 0;
	sync_all(&w); /* told again, and not more */
	ck_assert_int_eq(w.give_back, i);
	world_free(&w);

	world_new(&w, 2, WALK, "SetupTimeout=9999\n");
	w.now += 1500;
	job_start(&w);
	ck_assert_int_eq(w.give_back, 1500); /* slurmctld caps it */
	world_free(&w);
}
END_TEST

/* A plan that cannot be made: the job is held, and its nodes are told why. */
START_TEST(test_no_plan)
{
	static const struct {
		const char *request, *conf, *words;
	} cases[] = {
		{WALK, "NodeStorage=auto\n", "n1"},
		{WALK, "MaxCapacity=1GiB\n", "MaxCapacity"},
		{WALK, "DenyUsers=ann\n", "may not ask"},
		{"jobfs capacity=1K; nonsense", NULL, "unknown request"},
		{"jobfs capacity=1K; stage_in source=/%a "
		 "destination=$BB_JOBFS",
		 NULL, "array task"},
	};

	each(c, cases)
	{
		struct world w;

		world_new(&w, 2, c->request, c->conf);
		job_start(&w);
		ck_assert_int_eq(w.verdicts, 1);
		ck_assert_int_eq(w.what, SLU_HOLD);
		expect(strstr(w.reason, c->words), "%s", w.reason);
		ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "busy");
		world_restart(&w);
		ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "busy");
		verdict_done(&w);
		ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "denied");
		job_end(&w, "PENDING");
		ck_assert_str_eq(w.state, "DONE");
		ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "denied");
		world_free(&w);
	}
}
END_TEST

/* No space today: another day, or other nodes, may do. */
START_TEST(test_full)
{
	struct world w;
	struct slu_err err;

	world_new(&w, 1, WALK, "NodeStorage=auto\n");
	expect_ok(
		slu_db_script(
			w.db,
			"INSERT INTO Hosttable VALUES (1, 'n1');"
			"INSERT INTO Extractortable VALUES (1, 'mountpoints');"
			"INSERT INTO Datatable VALUES (1, 1, '[{\"device\":"
			"\"/dev/sdb\",\"mountpoint\":\"/s\",\"filesystem\":"
			"\"ext4\",\"size\":1000000,\"options\":\"rw\"}]');"
			"INSERT INTO Host2Data VALUES (1, 1)",
			&err),
		err);
	job_start(&w);
	ck_assert_int_eq(w.what, SLU_REQUEUE);
	expect(strstr(w.reason,
		      "n1 has only 976.6KiB for /s/sluice, each node must "
		      "give 4GiB"),
	       "%s", w.reason);
	world_free(&w);
}
END_TEST

/* Rows that cannot be read are set aside; the others live on. */
START_TEST(test_quarantine)
{
	static const char *const damage[] = {
		"UPDATE Buffer SET Plan = '{\"x\":' WHERE JobID = 17",
		"UPDATE Buffer SET State = 0 WHERE JobID = 17",
		"UPDATE Buffer SET Verdict = 9 WHERE JobID = 17",
		"UPDATE BufferNode SET State = 9 WHERE BID ="
		" (SELECT BID FROM Buffer WHERE JobID = 17)",
		"UPDATE BufferNode SET Node = 'x' WHERE BID ="
		" (SELECT BID FROM Buffer WHERE JobID = 17)",
		"DELETE FROM BufferNode WHERE Position = 1 AND BID ="
		" (SELECT BID FROM Buffer WHERE JobID = 17)",
		"UPDATE BufferGate SET Attr = '[]'",
	};
	struct slu_err err;

	each(sql, damage)
	{
		struct world w;

		world_new(&w, 2, WALK, NULL);
		while (w.node[1].pos < 5)
			world_step(&w);
		w.job.job_id = JOB + 1;
		job_start(&w);
		expect_ok(slu_db_script(w.db, *sql, &err), err);
		world_restart(&w);
		expect(w.errors == 1, "%s: %d errors", *sql, w.errors);
		ck_assert(!slu_buffers_member(w.b, JOB, "n1"));
		ck_assert(slu_buffers_member(w.b, JOB + 1, "n1"));
		world_restart(&w); /* and not looked at again */
		ck_assert_int_eq(w.errors, 1);
		world_free(&w);
	}
}
END_TEST

static struct json_object *get(struct json_object *obj, const char *key)
{
	struct json_object *value = json_object_object_get(obj, key);

	expect(value, "%s", key);
	return value;
}

START_TEST(test_json)
{
	static const struct {
		const char *name;
		int bytes;
	} phases[] = {{"setup", 0},
		      {"stage_in", 2000},
		      {"run", 0},
		      {"stage_out", 2000},
		      {"teardown", 0}};
	struct json_object *all, *one, *list, *phase;
	struct world w;
	struct slu_err err;
	size_t i;

	world_new(&w, 2, WALK, NULL);
	run_all(&w);
	all = slu_buffers_json(w.db, JOB, SLU_NO_ID, w.now, &err);
	expect(all, "%s", err.text);
	ck_assert_uint_eq(json_object_array_length(all), 1);
	one = json_object_array_get_idx(all, 0);
	ck_assert_str_eq(json_object_get_string(get(one, "state")), "DONE");
	ck_assert_str_eq(json_object_get_string(get(one, "user")), "ann");
	ck_assert_int_eq(json_object_get_int(get(one, "job")), JOB);
	list = get(one, "phases");
	ck_assert_uint_eq(json_object_array_length(list), 5);
	for (i = 0; i < 5; i++) {
		phase = json_object_array_get_idx(list, i);
		ck_assert_str_eq(json_object_get_string(get(phase, "name")),
				 phases[i].name);
		ck_assert_int_eq(json_object_get_int(get(phase, "bytes")),
				 phases[i].bytes);
	}
	list = get(one, "history");
	ck_assert_uint_eq(json_object_array_length(list), 7);
	ck_assert_str_eq(json_object_get_string(get(
				 json_object_array_get_idx(list, 6), "state")),
			 "DONE");
	json_object_put(all);

	/* others' and old ones are not shown */
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

/* Phases are counted as they end and as they fail, of all jobs together. */
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

TEST_MAIN("buffers", test_walk, test_restart_anywhere, test_sync_anywhere,
	  test_sync_goes_on, test_twice, test_twice_after_restart,
	  test_crash_anywhere, test_cancel_anywhere, test_lose_anywhere,
	  test_tolerate, test_tolerate_back, test_fail_up, test_failure_text,
	  test_fail_down, test_bound, test_verdict_before_end,
	  test_verdict_forgotten, test_verdict_of_old_run, test_gate_not_stored,
	  test_clock, test_prune, test_requeues_of_another, test_timeouts,
	  test_teardown_timeout, test_resume_forgotten, test_resume_dirty,
	  test_requeues, test_next_run, test_unlaunched,
	  test_clean_without_plan, test_incomplete, test_own_totals, test_parts,
	  test_parts_tolerate, test_stage_out_on, test_vanished,
	  test_sync_nodes, test_sync_over, test_strangers,
	  test_cancel_stage_out, test_words, test_progress,
	  test_forgotten_start, test_give_back, test_no_plan, test_full,
	  test_quarantine, test_json, test_phases)
