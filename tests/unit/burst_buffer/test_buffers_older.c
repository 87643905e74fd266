/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests a database that is restored to an older state (a snapshot, a replica, a
 * cut log) at any moment of a job. Data to be staged out is staged out, or is
 * kept and the failure reported; it is never deleted with the job reported as
 * successful.
 */
#include "config.h"
#include "tests/unit/burst_buffer/recovery_notes.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include <stdlib.h>
#include "burst_buffer/lifecycle/record.h"
#include "burst_buffer/lifecycle/transitions.h"
#include "common/file.h"

#define EMPTY (-1) /* no copy, but a new database */

static void copy_db(const char *from, const char *to)
{
	struct slu_buf text = {0};
	struct slu_err err;

	expect_ok(slu_file_read(AT_FDCWD, from, 1 << 26, &text, &err), err);
	expect_ok(slu_file_write(AT_FDCWD, to, text.data, text.len, 0600, false,
				 &err),
		  err);
	slu_buf_free(&text);
}

static const char *older(void)
{
	return tmpfile_path("older.db");
}

/* sluiced is stopped, so that the copy is whole. */
static void take_copy(struct world *w)
{
	world_unload(w);
	copy_db(w->db_path, older());
	world_load(w);
	sync_all(w);
}

static void put_back(struct world *w)
{
	world_unload(w);
	copy_db(older(), w->db_path);
	world_load(w);
}

/* Those whose tasks run ask all the time. */
static void poll_all(struct world *w)
{
	for (int i = 0; i < w->n_node; i++)
		if (w->node[i].where == AT_RUN && !w->node[i].aborted)
			poll_word(w, &w->node[i], "");
}

static bool steps(struct world *w, int n)
{
	while (n-- > 0)
		if (!world_step(w))
			return false;
	return true;
}

static bool is_told(struct world *w)
{
	struct slu_err err;
	struct slu_rows *rows = slu_db_query(
		w->db, &err, "SELECT 1 FROM Buffer WHERE Failure IS NOT NULL",
		"");
	bool told = slu_db_step(rows, &err) == 1;

	slu_db_done(rows);
	return told;
}

/* Returns whether all was staged out, or nothing was to be: it has not run. */
static bool expect_safe(struct world *w, int copied, int restored)
{
	bool whole = true, ran = false;

	for (int i = 0; i < w->n_node; i++) {
		const struct actor *a = &w->node[i];

		ran = ran || !a->aborted;
		whole = whole && (a->staged || a->aborted);
		expect(a->staged || a->keep || a->aborted,
		       "%s was wiped (copy of step %d, restored at %d, %s)",
		       a->name, copied, restored, w->text);
	}
	/* tasks of one that was not set up are refused on its nodes */
	expect(ran ? whole || is_told(w) || w->verdicts > 0
		   : w->verdicts > 0 || copied == EMPTY,
	       "nobody was told (copy of step %d, restored at %d)", copied,
	       restored);
	return whole;
}

/* slurmctld is connected before the nodes are heard, or after. */
static void come_back(struct world *w, bool nodes_first)
{
	put_back(w);
	if (nodes_first)
		poll_all(w);
	sync_all(w);
	poll_all(w);
}

static bool end(struct world *w, int copied, int restored)
{
	bool whole;

	for (int n = 0; world_step(w) && n < 20000; n++)
		;
	whole = expect_safe(w, copied, restored);
	world_free(w);
	return whole;
}

/* Until the walk of two nodes is over: some 60 steps. */
START_TEST(test_any_moment)
{
	uint64_t seed = 7;
	int whole = 0, n = 0;

	for (int copied = 1; copied < 60;
	     copied += 1 + (int)slu_random(&seed, 4))
		for (int restored = copied; restored < 64;
		     restored += 1 + (int)slu_random(&seed, 5)) {
			struct world w;

			world_new(&w, 2, WALK, NULL);
			if (steps(&w, copied)) {
				take_copy(&w);
				if (steps(&w, restored - copied))
					come_back(&w, slu_random(&seed, 2));
			}
			whole += end(&w, copied, restored);
			n++;
		}
	/* safe, and mostly not for the want of staging out */
	expect(whole * 2 > n, "%d of %d", whole, n);
}
END_TEST

/* A job that runs, and a copy of its record as it was after so many steps. */
static void run_past_copy(struct world *w, int copied)
{
	world_new(w, 2, WALK, NULL);
	ck_assert(steps(w, copied));
	take_copy(w);
	run_until(w, AT_RUN);
}

/* While it was set up; restored while it runs, and when it has ended. */
START_TEST(test_of_setup)
{
	for (int copied = 1; copied < 24; copied++)
		for (int how = 0; how < 4; how++) {
			struct world w;

			run_past_copy(&w, copied);
			if (how & 1)
				job_end(&w, "COMPLETED");
			come_back(&w, how & 2);
			ck_assert(end(&w, copied, how));
			ck_assert_int_eq(w.verdicts, 0);
		}
}
END_TEST

/* Nobody is heard until the record has failed for being set up too long: while
 * the job runs, before and after slurmctld has put it back for that, and when
 * it has ended. */
START_TEST(test_failed_since)
{
	for (int copied = 2; copied < 24; copied++)
		for (int how = 0; how < 4; how++) {
			struct world w;

			run_past_copy(&w, copied);
			put_back(&w);
			sync_all(&w);
			w.now += 101;
			slu_buffers_tick(w.b, w.now);
			expect(w.verdicts == 1, "%s: %s", w.state, w.text);
			if (how == 1)
				job_end(&w, "COMPLETED");
			if (how >= 2)
				ck_assert(world_step(&w)); /* the verdict */
			if (how == 3)
				world_restart(&w);
			poll_all(&w);
			ck_assert(end(&w, copied, how));
		}
}
END_TEST

/* A database that was lost. Running jobs are reported by their nodes and staged
 * out; of those that have ended, or end before, the nodes keep the data, and
 * the jobs get the reason. */
static void lose_database(int restored, bool same_numbers, bool asked)
{
	struct world w;
	bool running, whole;
	char *plan = NULL;

	world_new(&w, 2, WALK, NULL);
	if (!steps(&w, restored)) {
		world_free(&w);
		return;
	}
	running = all_at(&w, AT_RUN) && !w.ended;
	if (running)
		plan = noted(&w);
	restore(&w, same_numbers);
	sync_all(&w);
	if (running && asked)
		told(&w, 1, plan, "go");
	free(plan);
	whole = end(&w, EMPTY, restored);
	expect(!running || !asked || whole, "restored at %d", restored);
}

START_TEST(test_empty)
{
	for (int restored = 1; restored < 64; restored++)
		for (int how = 0; how < 4; how++)
			lose_database(restored, how & 1, how & 2);
}
END_TEST

/* The resource map is lost with it, without which no plan can be made. A job
 * that has run since before is not requeued for that, and gets the reason in
 * the end. */
START_TEST(test_no_map)
{
	for (int before = 0; before < 2; before++) {
		struct world w;

		world_new(&w, 2, WALK, "NodeStorage=auto");
		w.job.start -= before;
		job_start(&w);
		expect(w.verdicts == !before, "%d: %s", before, w.text);
		for (int i = 0; i < 2 && before; i++) {
			w.node[i].where = AT_RUN;
			w.node[i].buffer = 40;
		}
		if (before) {
			end(&w, EMPTY, 0);
			ck_assert_int_eq(w.verdicts, 1);
			ck_assert_int_eq(w.what, SLU_FAIL);
			expect(strstr(w.reason, "n1: it broke"), "%s",
			       w.reason);
		} else {
			world_free(&w);
		}
	}
}
END_TEST

/* After the end: the job is over, its nodes have reported all and are clean. */

static bool run_to_end(struct world *w, int copied, bool fails)
{
	bool taken;

	world_new(w, 2, WALK, NULL);
	if (fails)
		w->node[1].fail_down = OUT_DONE - 2; /* its share */
	taken = steps(w, copied);
	if (taken)
		take_copy(w);
	run_all(w);
	w->job.completing = false;
	w->verdicts = w->drains = 0;
	return taken;
}

/* slurmctld is asked first, as nodes get no answer before; they report again
 * one after another, some of them after minutes, when their health check
 * runs. */
static void hear_again(struct world *w, uint64_t *seed)
{
	int first = (int)slu_random(seed, 2);

	put_back(w);
	sync_all(w);
	for (int i = 0; i < 4; i++) {
		w->now += (double)slu_random(seed, 200);
		slu_buffers_tick(w->b, w->now);
		show_receipts(w, &w->node[(i + first) % 2]);
	}
	slu_buffers_tick(w->b, w->now);
}

static int64_t count(struct world *w, const char *sql)
{
	struct slu_err err;
	int64_t n;

	expect_ok(slu_db_value(w->db, &n, 0, &err, sql, ""), err);
	return n;
}

static int64_t not_done(struct world *w)
{
	return count(w, "SELECT COUNT(*) FROM Buffer WHERE State <> 6");
}

/* Whatever the copy knew: the record becomes what it was, nothing is called
 * failed, and no node is drained. */
START_TEST(test_after_end)
{
	uint64_t seed = 11;

	for (int copied = 1; copied < 70; copied++)
		for (int forgotten = 0; forgotten < 2; forgotten++) {
			struct world w;

			if (!run_to_end(&w, copied, false)) {
				world_free(&w);
				continue;
			}
			if (forgotten)
				w.started = false; /* by slurmctld, too */
			hear_again(&w, &seed);
			expect(!w.verdicts && !w.drains && !not_done(&w),
			       "copy of step %d: %d verdicts, %d drains, %s: "
			       "%s",
			       copied, w.verdicts, w.drains, w.state, w.text);
			ck_assert(!is_told(&w));
			world_free(&w);
		}
}
END_TEST

/*
 * If the data is kept, the job is reported neither as successful nor as lost.
 */
START_TEST(test_after_failed_end)
{
	uint64_t seed = 12;

	for (int copied = 1; copied < 55; copied++) {
		struct world w;

		ck_assert(run_to_end(&w, copied, true));
		hear_again(&w, &seed);
		w.now += 31;
		slu_buffers_tick(w.b, w.now);
		expect(!w.drains && !not_done(&w), "copy of step %d: %s: %s",
		       copied, w.state, w.text);
		expect(count(&w, "SELECT COUNT(*) FROM Buffer"
				 " WHERE Failure IS NULL") == 0 ||
			       copied < 6,
		       "copy of step %d is called well", copied);
		ck_assert(!strstr(w.reason, "restarted"));
		world_free(&w);
	}
}
END_TEST

/* Nodes that have nothing to report any more are named, and drained, but not at
 * once. */
START_TEST(test_after_end_unheard)
{
	struct world w;

	ck_assert(run_to_end(&w, 40, false));
	put_back(&w);
	sync_all(&w);
	w.now += SLU_BB_WITNESS - 10;
	slu_buffers_tick(w.b, w.now);
	ck_assert(!w.drains && !w.verdicts && !is_told(&w));
	for (int i = 0; i < 30; i++) {
		w.now += 20;
		slu_buffers_tick(w.b, w.now);
	}
	ck_assert_int_gt(w.verdicts, 0);
	ck_assert_str_eq(w.drained, "xx");
	world_free(&w);
}
END_TEST

TEST_MAIN("buffers older", test_any_moment, test_of_setup, test_failed_since,
	  test_empty, test_no_map, test_after_end, test_after_failed_end,
	  test_after_end_unheard)
