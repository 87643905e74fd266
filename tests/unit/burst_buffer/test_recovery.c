/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a restored database that lacks running jobs: their plans are recovered
 * from the nodes' notes. */
#include "config.h"
#include "tests/unit/burst_buffer/recovery_notes.h"
#include <stdlib.h>
#include "sysmap/database/receive.h"

/* Its record cannot be read any more, and is set aside. */
static void damage(struct world *w)
{
	struct slu_err err;

	expect_ok(slu_db_script(w->db, "UPDATE Buffer SET Plan = '{'", &err),
		  err);
	world_restart(w);
}

/* Whatever number its new record has: the job goes on, and what it has written
 * is staged out by all. */
START_TEST(test_taken_over)
{
	static const struct {
		bool same_numbers, restart, damaged;
	} cases[] = {{false, false, false}, {false, true, false},
		     {true, false, false},  {true, true, false},
		     {false, false, true},  {false, true, true}};
	struct world w;
	char *plan;

	each(c, cases)
	{
		world_new(&w, 3, WALK, NULL);
		run_until(&w, AT_RUN);
		plan = noted(&w);
		if (c->damaged)
			damage(&w);
		else
			restore(&w, c->same_numbers);
		/* slurmctld has not told yet */
		told(&w, 0, NULL, "notfound");
		w.now += 10;
		sync_all(&w);
		ck_assert_str_eq(w.state, "SETUP");
		told(&w, 1, NULL, "plan");
		told(&w, 1, plan, "go");
		ck_assert_str_eq(w.state, "RUNNING");
		told(&w, 0, NULL, "go");
		told(&w, 1, plan, "go"); /* once more changes nothing */
		ck_assert_int_eq(slu_buffers_run(w.b, JOB, w.node[0].buffer),
				 w.job.start);
		ck_assert_int_eq(
			slu_buffers_run(w.b, JOB, w.node[0].buffer + 50), 0);
		ck_assert_int_eq(
			slu_buffers_run(w.b, JOB + 1, w.node[0].buffer), 0);
		if (c->restart) {
			world_restart(&w);
			sync_all(&w);
		}
		ck_assert(!w.final || w.give_back <= 10);
		for (int i = 0; i < 3; i++)
			told(&w, i, NULL, "go");
		w.now += 1000; /* no set-up that could be late */
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert_int_eq(w.verdicts, 0);
		for (int i = 0; i < 3; i++)
			ck_assert(w.node[i].staged && w.node[i].wiped &&
				  !w.node[i].keep);
		ck_assert_int_eq(w.errors, c->damaged);
		free(plan);
		world_free(&w);
	}
}
END_TEST

/* Of one that is split each node sees its own part, and knows the whole. */
START_TEST(test_split_taken_over)
{
	struct world w;
	char *plan;

	for (int i = 0; i < 3; i++) {
		world_new(&w, 3,
			  "jobfs capacity=4GiB split=switch; stage_in "
			  "source=/src destination=$BB_JOBFS/in",
			  NULL);
		world_topology(&w, "[{\"switch\":\"s1\",\"level\":0,"
				   "\"hosts\":\"n[1,3]\"}]");
		job_start(&w);
		for (int k = 0; k < 3; k++) {
			struct slu_report r = {.step = (char *)"in.0.share",
					       .ok = true,
					       .files = k == 1 ? 12 : 5,
					       .total_files = k == 1 ? 12 : 10};

			ask_plan(&w, &w.node[k]);
			report(&w, &w.node[k], r);
			do_step(&w, &w.node[k], "report ready", true);
		}
		ck_assert_str_eq(w.state, "RUNNING");
		plan = noted_by(&w, i);
		restore(&w, false);
		w.now += 10;
		sync_all(&w);
		told(&w, i, NULL, "plan");
		told(&w, i, plan, "go");
		ck_assert_str_eq(w.state, "RUNNING");
		free(plan);
		world_free(&w);
	}
}
END_TEST

/* Nor is a node asked that is behind, or is only being set up. */
START_TEST(test_not_asked)
{
	struct world w;
	uint64_t old;

	world_new(&w, 3, WALK, NULL);
	run_until(&w, AT_RUN);
	old = w.node[0].buffer;
	job_end(&w, "PENDING");
	w.job.restarts = 1;
	w.job.completing = false;
	w.job.start += 2000;
	w.job.state = (char *)"RUNNING";
	job_start(&w);
	ck_assert_str_eq(w.state, "SETUP");
	told(&w, 0, NULL, "left"); /* of its own run */
	world_free(&w);

	world_new(&w, 3, WALK, NULL);
	job_start(&w);
	for (int i = 0; i < 3; i++)
		step(&w, &w.node[i]);
	ck_assert_uint_ne(w.node[0].buffer, 0);
	told(&w, 0, NULL, "go"); /* it has its plan */
	ck_assert_uint_ne(old, 0);
	world_free(&w);
}
END_TEST

static void number(struct slu_plan *plan)
{
	plan->buffer = UINT64_C(1) << 53;
}

/* The job's next run gets another number. */
START_TEST(test_numbers)
{
	struct world w;
	struct slu_err err;
	uint64_t first;
	char *plan, *bad;

	world_new(&w, 3, WALK, NULL);
	expect_ok(slu_db_script(w.db,
				"INSERT INTO sqlite_sequence (name, seq)"
				" VALUES ('Buffer', 1)",
				&err),
		  err);
	run_until(&w, AT_RUN);
	plan = noted(&w);
	restore(&w, true);
	sync_all(&w);
	first = w.node[0].buffer;
	ck_assert_uint_eq(first, 2);
	w.node[0].buffer = UINT64_C(1) << 53;
	bad = with(plan, number);
	told(&w, 0, bad, "invalid");
	w.node[0].buffer = first;
	told(&w, 0, plan, "go");
	job_end(&w, "PENDING");
	w.job.restarts = 1;
	w.job.completing = false;
	w.job.start += 2000;
	w.job.state = (char *)"RUNNING";
	job_start(&w);
	w.node[0].buffer = 0;
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "go");
	ck_assert_uint_gt(w.node[0].buffer, first);
	free(bad);
	free(plan);
	world_free(&w);
}
END_TEST

static void on_second(struct slu_plan *plan)
{
	free(plan->node[0].storage);
	plan->node[0].storage = strdup("/b/sluice");
}

static void elsewhere(struct slu_plan *plan)
{
	free(plan->node[0].storage);
	plan->node[0].storage = strdup("/c/sluice");
}

static void has_two_devices(struct world *w)
{
	static const char text[] =
		"[{\"device\":\"/dev/sda\",\"mountpoint\":\"/a\","
		"\"filesystem\":\"xfs\",\"size\":99999999999999,"
		"\"options\":\"rw\"},"
		"{\"device\":\"/dev/sdb\",\"mountpoint\":\"/b\","
		"\"filesystem\":\"xfs\",\"size\":99999999999999,"
		"\"options\":\"rw\"}]";
	struct slu_document doc = {.extractor = "mountpoints",
				   .text = (char *)(uintptr_t)text,
				   .len = strlen(text)};
	struct slu_map map = {.document = &doc, .n = 1};
	struct slu_err err;
	struct slu_receiver *r = slu_receiver_new(w->db, &err);

	doc.hash = slu_document_hash(doc.extractor, text, doc.len);
	expect_ok(slu_receive_map(r, w->node[0].name, &map, 1, &err), err);
	slu_receiver_free(r);
}

/* Which of like devices it took is known to the node alone; but it is one of
 * these, also where NodeDevices was changed since. */
START_TEST(test_devices)
{
	for (int several = 0; several < 2; several++) {
		struct world w;
		struct slu_err err;
		int64_t n;
		char *plan, *second, *other;

		world_new(&w, 1, WALK,
			  several ? "NodeStorage=auto\nNodeDevices=each\n"
				  : "NodeStorage=auto\n");
		has_two_devices(&w);
		run_until(&w, AT_RUN);
		plan = noted(&w);
		ck_assert_ptr_nonnull(strstr(plan, "/a/sluice"));
		second = with(plan, on_second);
		other = with(plan, elsewhere);
		restore(&w, true);
		sync_all(&w);
		told(&w, 0, other, "invalid");
		told(&w, 0, second, "go");
		expect_ok(slu_db_value(w.db, &n, 0, &err,
				       "SELECT COUNT(*) FROM Buffer WHERE Plan"
				       " LIKE '%/b/sluice%'",
				       ""),
			  err);
		ck_assert_int_eq(n, 1);
		free(plan);
		free(second);
		free(other);
		world_free(&w);
	}
}
END_TEST

/* The node's share is over /a and this one. */
static void spread(struct slu_plan *plan, const char *storage,
		   uint64_t capacity)
{
	struct slu_plan_device *more = plan->node[0].more;

	ck_assert_uint_eq(plan->node[0].n_more, 1);
	free(more->storage);
	*more = (struct slu_plan_device){strdup(storage), capacity};
}

static void spread_good(struct slu_plan *plan)
{
	spread(plan, "/b/sluice", plan->node[0].capacity / 2);
}

static void spread_elsewhere(struct slu_plan *plan)
{
	spread(plan, "/c/sluice", plan->node[0].capacity / 2);
}

static void spread_twice(struct slu_plan *plan)
{
	spread(plan, "/a/sluice", plan->node[0].capacity / 2);
}

static void spread_too_large(struct slu_plan *plan)
{
	spread(plan, "/b/sluice", plan->node[0].capacity + 1);
}

/* A share over several devices is taken over as it is, if these are some on
 * which it may lie, each once, and its parts are no more than the whole. */
START_TEST(test_spread)
{
	static void (*const bad[])(struct slu_plan *) = {
		spread_elsewhere, spread_twice, spread_too_large};
	struct world w;
	struct slu_err err;
	int64_t n;
	char *plan, *other;

	world_new(&w, 1, WALK, "NodeStorage=auto\nNodeDevices=all\n");
	has_two_devices(&w);
	run_until(&w, AT_RUN);
	plan = noted(&w);
	restore(&w, true);
	sync_all(&w);
	each(c, bad)
	{
		other = with(plan, *c);
		told(&w, 0, other, "invalid");
		free(other);
	}
	other = with(plan, spread_good);
	told(&w, 0, other, "go");
	expect_ok(slu_db_value(w.db, &n, 0, &err,
			       "SELECT COUNT(*) FROM Buffer WHERE Plan ->> "
			       "'$.node[0].more[0].storage' = '/b/sluice'",
			       ""),
		  err);
	ck_assert_int_eq(n, 1);
	free(plan);
	free(other);
	world_free(&w);
}
END_TEST

TEST_MAIN("adopt", test_taken_over, test_split_taken_over, test_numbers,
	  test_not_asked, test_devices, test_spread)
