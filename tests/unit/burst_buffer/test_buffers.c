/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the life of a job's buffer in sluiced from set-up to teardown, and a
 * fault at every step of it: restart, loss of messages, crash, cancellation,
 * loss of a node.
 */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include <sys/mman.h>
#include <sys/wait.h>

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

/* Repeats all messages so far. */
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

/* A job that cannot be stored does not block messages about the others. */
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

START_TEST(test_every_message_twice)
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
		sync_all(w); /* slurmctld connects again */
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
	/* nodes that could have staged out must keep their data */
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

START_TEST(test_lose_anywhere)
{
	int at, steps = count_steps();

	for (at = 1; at < steps; at++)
		check_lost(at);
}
END_TEST

TEST_MAIN("buffers", test_walk, test_restart_anywhere, test_sync_anywhere,
	  test_sync_goes_on, test_every_message_twice, test_twice_after_restart,
	  test_crash_anywhere, test_cancel_anywhere, test_lose_anywhere)
