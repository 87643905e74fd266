/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests a job whose nodes have to boot first (power saving, clouds, reboots):
 * the time for its set-up begins when the first node asks what to do.
 * SetupTimeout is 60.
 */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include "burst_buffer/lifecycle/reconcile/deadlines.h"

#define BOOT 600 /* s that they may take */

static void begin(struct world *w, int n, int64_t boot)
{
	world_new(w, n, WALK, NULL);
	w->job.boot_timeout = boot;
	job_start(w);
}

/* Time passes; whether a verdict came in it. */
static bool passes(struct world *w, double seconds)
{
	double end = w->now + seconds;

	while (w->now < end && !w->verdicts) {
		w->now += 0.5;
		slu_buffers_tick(w->b, w->now);
	}
	return w->verdicts > 0;
}

START_TEST(test_booting)
{
	static const struct {
		int64_t boot;
		double fine, late;
		const char *text, *words;
	} cases[] = {
		{0, 59, 61, "sluice: setup, 0 of 2 nodes done",
		 "setup failed: not done after 1:00 on n[1-2]"},
		{BOOT, BOOT + 59, BOOT + 61, "sluice: waits for n[1-2] to boot",
		 "setup failed: not booted after 11:00 on n[1-2]"},
	};

	each(c, cases)
	{
		struct world w;

		begin(&w, 2, c->boot);
		ck_assert_str_eq(w.text, c->text);
		ck_assert(!passes(&w, c->fine));
		ck_assert(passes(&w, c->late - c->fine));
		expect(strstr(w.reason, c->words), "%s", w.reason);
		ck_assert_int_eq(w.what, SLU_REQUEUE);
		world_free(&w);
	}
}
END_TEST

/* They boot for longer than SetupTimeout, and all is well. */
START_TEST(test_booted)
{
	for (int restart = 0; restart < 2; restart++) {
		struct world w;

		begin(&w, 2, BOOT);
		ck_assert(!passes(&w, 500));
		if (restart)
			world_restart(&w);
		run_all(&w);
		expect_outcome(&w, "6 - 0 - 1 55 4000 0 -- --");
		world_free(&w);
	}
}
END_TEST

/* From the first that asks on all have SetupTimeout, no more. */
START_TEST(test_first_asks)
{
	struct slu_err err;
	struct world w;
	int64_t n = 0;

	begin(&w, 2, BOOT);
	ck_assert(!passes(&w, 200));
	step(&w, &w.node[0]);
	ck_assert(!passes(&w, 59));
	ck_assert_ptr_null(strstr(w.text, "boot"));
	expect_ok(slu_db_value(w.db, &n, 0, &err,
			       "SELECT count(*) FROM BufferHistory WHERE "
			       "instr(Text, ?)",
			       "s", SLU_BB_BOOTED),
		  err);
	ck_assert_int_eq(n, 1);
	ck_assert(passes(&w, 2));
	expect(strstr(w.reason, "not done after 1:00 on n2") ||
		       strstr(w.reason, "not done after 1:00 on n[1-2]"),
	       "%s", w.reason);
	world_free(&w);
}
END_TEST

static int64_t plans_with(struct world *w, const char *addr)
{
	struct slu_err err;
	int64_t n = 0;

	expect_ok(slu_db_value(w->db, &n, 0, &err,
			       "SELECT count(*) FROM Buffer WHERE "
			       "instr(Plan, ?)",
			       "s", addr),
		  err);
	return n;
}

/* In a cloud a node has its address when it has booted; the plan that nodes
 * get has the present ones, also after a restart. */
START_TEST(test_moved)
{
	struct slu_text *text = NULL;
	struct slu_node_ask ask = {.job_id = JOB, .node = (char *)"n1"};
	char *secret = NULL;
	struct slu_err err;
	struct world w;

	n2_addr = "10.0.0.2";
	begin(&w, 2, BOOT);
	ck_assert_int_eq(plans_with(&w, "10.0.0.2"), 1);
	ck_assert(!passes(&w, 100));
	n2_addr = "10.0.7.7";
	expect_ok(slu_buffers_plan(w.b, &ask, w.now, &text, &secret, &err),
		  err);
	expect(strstr(text->data, "10.0.7.7") &&
		       !strstr(text->data, "10.0.0.2"),
	       "%s", text->data);
	ck_assert_int_eq(plans_with(&w, "10.0.7.7"), 1);
	ck_assert_int_eq(plans_with(&w, "10.0.0.2"), 0);
	/* from then on it stays: servers know each other by it */
	n2_addr = "10.0.8.8";
	ask.node = (char *)"n2";
	slu_text_unref(text);
	free(secret);
	expect_ok(slu_buffers_plan(w.b, &ask, w.now, &text, &secret, &err),
		  err);
	expect(strstr(text->data, "10.0.7.7"), "%s", text->data);
	free(secret);
	slu_text_unref(text);
	world_free(&w);
	n2_addr = NULL;
}
END_TEST

/* While they boot nothing is to be given back: Slurm moves the start. */
START_TEST(test_start_moved)
{
	struct world w;

	begin(&w, 2, BOOT);
	ck_assert(!passes(&w, 300));
	w.job.start += 300;
	w.job.boot_timeout = 0;
	job_start(&w);
	run_until(&w, AT_RUN);
	ck_assert(w.final);
	expect(w.give_back < 60, "%lld", (long long)w.give_back);
	world_free(&w);
}
END_TEST

/* Random histories: as long as every node asks before its time to boot is over,
 * and the slowest at most SetupTimeout after the first, no node is late; if one
 * never asks, one is, but never too soon. */
static void one_history(unsigned seed)
{
	struct world w;
	double when[3], first, late;
	bool fails = false;

	srand(seed);
	begin(&w, 3, BOOT);
	first = 1 + rand() % (BOOT - 70);
	for (int i = 0; i < 3; i++)
		when[i] = w.now + first + (i ? rand() % 80 : 0);
	first += w.now;
	late = first + 60;
	for (double last = w.now + 2 * BOOT; w.now < last && !w.verdicts;) {
		bool all = true;

		w.now += 0.5;
		slu_buffers_tick(w.b, w.now);
		for (int i = 0; i < 3; i++) {
			if (when[i] <= w.now && w.node[i].pos < 6)
				step(&w, &w.node[i]);
			all &= w.node[i].pos > 3;
		}
		if (all)
			break;
		if (rand() % 200 == 0) {
			world_restart(&w);
			late = w.now + 60; /* as everything is set up again */
			if (w.now < first)
				late += BOOT;
		}
		fails = w.verdicts;
	}
	if (fails)
		expect(w.now >= first + 59 && w.now <= late + 1,
		       "seed %u: late at %.1f, first %.1f, at most %.1f", seed,
		       w.now, first, late);
	else
		expect(fmax(when[1], when[2]) <= late + 1, "seed %u", seed);
	world_free(&w);
}

START_TEST(test_random_boots)
{
	for (unsigned seed = 1; seed <= 60; seed++)
		one_history(seed);
}
END_TEST

TEST_MAIN("buffers_boot", test_booting, test_booted, test_first_asks,
	  test_moved, test_start_moved, test_random_boots)
