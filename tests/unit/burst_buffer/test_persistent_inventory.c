/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests what nodes are told of persistent buffers when they ask for what they
 * must take down, and what becomes of buffers whose data could not be saved.
 */
#include "tests/unit/burst_buffer/persistent_world.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/lifecycle/reconcile/node_usage.h"
#include "burst_buffer/storage/image.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"

START_TEST(test_unsaved)
{
	static const char out[] = "persistent name=camp; stage_out "
				  "source=$BB_camp/a destination=/a";
	static const char *const nodes[] = {"n1", "n2"};

	setup();
	make(7, CREATE " lifetime=1h");
	begin_job(20, OWNER, out);
	each(n, nodes) report(20, *n, "ready", true);
	end_job(20, OWNER, out);
	ck_assert_str_eq(report(20, "n1", "down", true), "go");
	report(20, "n1", "out.0.share", false);
	expect(strstr(held, "the data stays in the persistent buffer camp"),
	       "%s", held);
	again();
	each(n, nodes) report(20, *n, "clean", true);
	expect(strstr(last.text, "not staged out (stage-out of job 20: n1: no"),
	       "%s", last.text);
	waits(8, OWNER, "persistent_destroy name=camp");
	expect(strstr(held, "force=yes destroys it"), "%s", held);
	ck_assert_uint_eq(held_job, 8);
	look();
	pass(7200); /* its time is over, and it stays */
	again();
	ck_assert_str_eq(last.state, "RUNNING");
	waits(9, OWNER, "persistent_destroy name=camp force=yes");
	if (strcmp(last.state, "RUNNING") == 0) {
		/* until its user has gone for good */
		expect_ok(
			slu_buffers_verdict_done(b, 20, true, NULL, now, &err),
			err);
		slu_buffers_tick(b, now);
	}
	unmake();
	teardown();
}
END_TEST

/* What its last user could not stage out is not lost by a destroy that was
 * asked for before, nor by what another job stages out. */
START_TEST(test_unsaved_later)
{
	static const char out[] = "persistent name=camp; stage_out "
				  "source=$BB_camp/a destination=/a";
	static const char *const nodes[] = {"n1", "n2"};

	setup();
	make(7, CREATE);
	begin_job(20, OWNER, out);
	begin_job(21, OWNER, out);
	each(n, nodes) report(20, *n, "ready", true);
	each(n, nodes) report(21, *n, "ready", true);
	waits(8, OWNER, "persistent_destroy name=camp");
	ck_assert(last.leaving);
	end_job(20, OWNER, out);
	report(20, "n1", "down", true);
	report(20, "n1", "out.0.share", false);
	expect_ok(slu_buffers_verdict_done(b, 20, true, NULL, now, &err), err);
	each(n, nodes) report(20, *n, "clean", true);
	end_job(21, OWNER, out);
	each(n, nodes)
	{
		report(21, *n, "down", true);
		report(21, *n, "out.0.share", true);
	}
	each(n, nodes) report(21, *n, "clean", true);
	now += 3600;
	slu_buffers_tick(b, now);
	again();
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "RUNNING");
	ck_assert(!last.leaving);
	expect(strstr(last.text, "not staged out (stage-out of job 20"), "%s",
	       last.text);
	waits(8, OWNER, "persistent_destroy name=camp");
	expect(strstr(held, "force=yes destroys it"), "%s", held);
	waits(9, OWNER, "persistent_destroy name=camp force=yes");
	unmake();
	teardown();
}
END_TEST

/* What a node of a destroyed one still holds is not given away again. */
START_TEST(test_still_held)
{
	uint64_t promised[2] = {0}, own[2] = {0};

	setup();
	make(7, CREATE);
	waits(8, OWNER, "persistent_destroy name=camp");
	report(last.job_id, "s1", "clean", true);
	now += 100;
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "DONE");
	again();
	expect_ok(slu_bb_node_usage(b, &b->first->plan, promised, own, &err),
		  err);
	ck_assert_uint_eq(promised[0], 0);
	ck_assert_uint_gt(promised[1], 0);
	report(last.job_id, "s2", "clean", true);
	promised[1] = 0;
	expect_ok(slu_bb_node_usage(b, &b->first->plan, promised, own, &err),
		  err);
	ck_assert_uint_eq(promised[1], 0);
	teardown();
}
END_TEST

static char users[64]; /* as is_over() was told */

static bool unready; /* the same */

static bool is_over(const char *node)
{
	struct slu_buf text = {0};
	struct slu_node_inventory owed;
	bool over;

	expect_ok(slu_buffers_node_inventory(b, node, now, &text, &err), err);
	expect_ok(slu_decode_text(&slu_node_inventory_desc, text.data, text.len,
				  &owed, &err),
		  err);
	ck_assert_uint_eq(owed.n_plan, 1);
	ck_assert_uint_eq(owed.plan[0].job_id, last.job_id);
	over = owed.plan[0].over;
	unready = owed.plan[0].unready;
	slu_copy(users, sizeof(users), owed.plan[0].users);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	slu_buf_free(&text);
	return over;
}

/* The inventory contains whether it has ended, so that no node has to poll. */
START_TEST(test_inventory)
{
	setup();
	make(7, CREATE);
	ck_assert(!is_over("s1") && !is_over("s2"));
	again();
	ck_assert(!is_over("s1"));
	waits(8, OWNER, "persistent_destroy name=camp");
	ck_assert(is_over("s1") && is_over("s2"));
	report(last.job_id, "s1", "clean", true);
	ck_assert(is_over("s2"));
	unmake();
	teardown();
}
END_TEST

/* A database from the time when it was made: its nodes get that it is not known
 * to be ready, and repeat the set-up. */
START_TEST(test_inventory_older)
{
	static const char *const nodes[] = {"s1", "s2"};

	setup();
	make(7, CREATE);
	each(n, nodes) ck_assert(!is_over(*n) && !unready);
	expect_ok(
		slu_db_script(db,
			      "UPDATE Buffer SET State = 1, Ready = NULL;"
			      "UPDATE BufferNode SET State = 1;"
			      "DELETE FROM BufferGate; DELETE FROM BufferPhase",
			      &err),
		err);
	again();
	each(n, nodes) ck_assert(!is_over(*n) && unready);
	make(7, CREATE);
	each(n, nodes) ck_assert(!is_over(*n) && !unready);
	begin_job(20, OWNER, "persistent name=camp");
	ck_assert_str_eq(held, "");
	teardown();
}
END_TEST

/* The inventory names its users, so that what other jobs left there is
 * removed. */
START_TEST(test_inventory_users)
{
	static const char use[] = "persistent name=camp";
	struct slu_plan plan;
	char want[64];

	setup();
	make(7, CREATE);
	is_over("s1");
	ck_assert_str_eq(users, "");
	begin_job(8, OWNER, use);
	get_plan(8, "n1", &plan);
	snprintf(want, sizeof(want), "8.%llu", (unsigned long long)plan.buffer);
	slu_msg_clear(&slu_plan_desc, &plan);
	for (int i = 0; i < 2; i++) {
		is_over("s1");
		ck_assert_str_eq(users, want);
		again();
	}
	end_job(8, OWNER, use);
	is_over("s1");
	ck_assert_str_eq(users, want); /* its nodes are not clean */
	report(8, "n1", "clean", true);
	is_over("s1");
	ck_assert_str_eq(users, "");
	teardown();
}
END_TEST

TEST_MAIN("persistent inventory", test_still_held, test_inventory,
	  test_inventory_older, test_inventory_users, test_unsaved,
	  test_unsaved_later)
