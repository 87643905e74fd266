/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests persistent buffers in sluiced: requested by pending jobs, created and
 * destroyed by their own nodes, used by other jobs. Each case also runs with a
 * restart of sluiced between any two steps.
 */
#include "tests/unit/burst_buffer/persistent_world.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/lifecycle/reconcile/node_usage.h"
#include "burst_buffer/storage/image.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"

#define STRANGER 5001

START_TEST(test_transitions)
{
	struct slu_hello_daemon hello;

	setup();
	make(7, CREATE " lifetime=5d");
	ck_assert_uint_ge(last.job_id, SLU_PERSIST_FIRST);
	ck_assert_str_eq(last.name, "camp");
	ck_assert_uint_eq(last.size, 2ull << 30);
	ck_assert_int_eq(last.expires, (int64_t)1e9 + 5 * 86400);
	ck_assert(!last.leaving);
	expect(strstr(last.text, "expires 2001-09-1"), "%s", last.text);
	/* no job of slurmctld's is its, and it lives on */
	expect_ok(slu_buffers_sync(b, NULL, 0, now, &err), err);
	ck_assert_str_eq(last.state, "RUNNING");
	expect_ok(slu_buffers_hello(b, &hello, &err), err);
	ck_assert_uint_eq(hello.n_buffers, 1);
	slu_msg_clear(&slu_hello_daemon_desc, &hello);
	waits(8, OWNER, "persistent_destroy name=camp");
	unmake();
	waits(8, OWNER, "persistent_destroy name=camp"); /* nothing is there */
	ck_assert_str_eq(held, "");
	teardown();
}
END_TEST

/* What is made after another has been destroyed is made then. */
START_TEST(test_in_turn)
{
	static const char request[] =
		"persistent_destroy name=camp; persistent_create name=next "
		"type=glu capacity=1GiB; persistent_destroy name=none; "
		"persistent_create name=more type=glu capacity=1GiB";

	setup();
	make(7, CREATE);
	waits(8, OWNER, request);
	ck_assert_str_eq(last.name, "camp");
	again();
	waits(8, OWNER, request);
	ck_assert_str_eq(last.name, "camp");
	unmake();
	waits(8, OWNER, request); /* and these at once */
	ck_assert_str_eq(last.name, "more");
	ck_assert_str_eq(held, "");
	teardown();
}
END_TEST

START_TEST(test_expires)
{
	setup();
	make(7, CREATE " lifetime=5d");
	look();
	pass(5 * 86400 - 1);
	ck_assert_str_eq(last.state, "RUNNING");
	pass(2);
	unmake();
	teardown();
}
END_TEST

/* sluiced's clock is years ahead, since before it was started or while it
 * runs, on this machine or on another; the time itself has not passed. */
START_TEST(test_expires_by_no_clock)
{
	setup();
	make(7, CREATE " lifetime=5d");
	look();
	pass(86400);
	now += 3 * 365 * 86400.0;
	look();
	ck_assert_str_eq(last.state, "RUNNING");
	again();
	look();
	ck_assert_str_eq(last.state, "RUNNING");
	/* no kernel says anything */
	again();
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "RUNNING");
	/* another one does, which runs for longer than that */
	up = (struct slu_uptime){.boot = "second", .seconds = 1000000};
	again();
	look();
	ck_assert_str_eq(last.state, "RUNNING");
	pass(2 * 86400);
	again();
	pass(2 * 86400 - 601);
	ck_assert_str_eq(last.state, "RUNNING");
	pass(1300); /* all but what was not yet noted has been seen */
	unmake();
	teardown();
}
END_TEST

/* Nor too early by a clock that is behind: the owner may still have time. */
START_TEST(test_expires_by_both)
{
	setup();
	make(7, CREATE " lifetime=5d");
	look();
	now -= 86400;
	pass(5 * 86400 + 60);
	ck_assert_str_eq(last.state, "RUNNING");
	pass(86400);
	unmake();
	teardown();
}
END_TEST

/* One that an older sluiced has made begins to age now. */
START_TEST(test_expires_unaged)
{
	setup();
	make(7, CREATE " lifetime=5d");
	look();
	expect_ok(slu_db_script(db, "UPDATE Buffer SET Aged = NULL", &err),
		  err);
	again();
	pass(5 * 86400 + 60);
	ck_assert_str_eq(last.state, "RUNNING");
	pass(5 * 86400);
	unmake();
	teardown();
}
END_TEST

START_TEST(test_used)
{
	static const char use[] = "persistent name=camp; stage_in source=/a "
				  "destination=$BB_camp/a";
	struct slu_node_ask ask = {.job_id = 20, .node = (char *)"n1"};
	struct slu_text *text = NULL;
	struct slu_plan plan;
	char *secret, *own;

	setup();
	make(7, CREATE);
	begin_job(20, OWNER, use);
	ck_assert_str_eq(held, "");
	again();
	expect_ok(slu_buffers_plan(b, &ask, now, &text, &secret, &err), err);
	expect_ok(slu_decode_text(&slu_plan_desc, text->data, text->len, &plan,
				  &err),
		  err);
	ck_assert_uint_eq(plan.use, last.buffer);
	ck_assert_str_eq(plan.driver, "glusterfs");
	ck_assert_uint_eq(plan.n_node, 2);
	ck_assert(plan.node[0].client && plan.node[1].client);
	ck_assert_uint_eq(plan.capacity, 0);
	ck_assert_uint_eq(plan.n_server, 2);
	ck_assert_str_eq(plan.server[1].name, "s2");
	ck_assert_uint_eq(plan.n_attr, 2);
	ck_assert_str_eq(plan.attr[1].value, "port2");
	slu_msg_clear(&slu_plan_desc, &plan);
	slu_text_unref(text);
	report(20, "n2", "storage", true);
	/* its servers know one secret */
	ask = (struct slu_node_ask){.job_id = last.job_id,
				    .node = (char *)"s1"};
	expect_ok(slu_buffers_plan(b, &ask, now, &text, &own, &err), err);
	ck_assert_str_eq(own, secret);
	free(own);
	free(secret);
	slu_text_unref(text);

	waits(8, OWNER, "persistent_destroy name=camp");
	again();
	ck_assert_str_eq(last.state, "RUNNING");
	ck_assert(last.leaving);
	expect(strstr(last.text, "1 job uses it, is to be destroyed"), "%s",
	       last.text);
	begin_job(21, OWNER, use); /* no job comes any more */
	expect(strstr(held, "camp is being destroyed"), "%s", held);
	ck_assert_int_eq(verdict, SLU_REQUEUE);
	end_job(21, OWNER, use);
	end_job(20, OWNER, use);
	report(20, "n1", "clean", true);
	ck_assert_str_eq(last.state, "RUNNING");
	report(20, "n2", "clean", true);
	unmake();
	teardown();
}
END_TEST

/* A device with a part of it fails: the runs that use it end as OnServerLoss
 * says, each of them, and it lives on. */
START_TEST(test_device_fails)
{
	static const char use[] = "persistent name=camp";
	uint32_t camp;

	setup();
	make(7, CREATE);
	camp = last.job_id;
	for (uint32_t user = 20; user < 22; user++) {
		begin_job(user, OWNER, use);
		report(user, "n1", "ready", true);
		report(user, "n2", "ready", true);
		ck_assert_str_eq(report(camp, "s2", "server_lost", false),
				 "go");
		expect(strstr(held, "s2: no luck"), "%s", held);
		ck_assert_uint_eq(held_job, user);
		ck_assert_int_eq(verdict, SLU_FAIL);
		again();
		report(camp, "s2", "server_lost", false);
		end_job(user, OWNER, use);
		report(user, "n1", "clean", true);
		report(user, "n2", "clean", true);
	}
	ck_assert_str_eq(last.state, "RUNNING");
	teardown();
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		uint32_t uid;
		const char *request, *words;
	} cases[] = {
		{STRANGER, "persistent_destroy name=camp", "belongs to ann"},
		{OWNER,
		 "persistent_create name=y type=dir capacity=1G "
		 "group=nosuchgroup",
		 "there is no group nosuchgroup"},
		{OWNER,
		 "persistent_create name=y type=dir capacity=1G group=tty",
		 "you are not of group tty"},
		{OWNER, "persistent_create name=y type=tmp capacity=1G",
		 "tmp lives and ends with a job; glu, dir can outlive it"},
		{OWNER,
		 "persistent_create name=y type=dir capacity=1G lifetime=11d",
		 "PersistentLifetime"},
		{OWNER, "persistent name=camp coherence=strict",
		 "the persistent buffer camp is shared, not strict"},
	};

	setup();
	make(7, CREATE " coherence=shared");
	each(c, cases)
	{
		held[0] = '\0';
		waits(30, c->uid, c->request);
		expect(strstr(held, c->words), "%s: %s", c->request, held);
		ck_assert_uint_eq(held_job, 30);
		ck_assert_int_eq(verdict, SLU_HOLD);
	}
	held[0] = '\0';
	waits(31, STRANGER, CREATE); /* the name is taken: it waits */
	ck_assert_uint_eq(last.creator, 7);
	ck_assert_str_eq(held, "");
	begin_job(32, STRANGER, "persistent name=camp");
	expect(strstr(held, "belongs to ann"), "%s", held);
	teardown();
}
END_TEST

/* What its users see of each other's writes is decided when it is made, and
 * shown; a job that needs more never runs with less. */
START_TEST(test_coherence)
{
	static const struct {
		const char *request, *gives, *too_much;
	} cases[] = {
		{CREATE, "strict", NULL},
		{CREATE " coherence=shared", "shared", "strict"},
		{CREATE " coherence=private", "private", "shared"},
		{"persistent_create name=camp type=dir capacity=1G", "strict",
		 NULL},
		{"persistent_create name=camp capacity=1G coherence=strict",
		 "strict", NULL},
	};
	char text[80];
	struct slu_plan plan;

	each(c, cases)
	{
		setup();
		make(7, c->request);
		ck_assert_str_eq(last.coherence, c->gives);
		snprintf(text, sizeof(text),
			 "persistent name=camp coherence=%s", c->gives);
		begin_job(20, OWNER, text);
		ck_assert_str_eq(held, "");
		get_plan(20, "n1", &plan);
		ck_assert_str_eq(slu_coherence_names[slu_plan_coherence(&plan)],
				 c->gives);
		slu_msg_clear(&slu_plan_desc, &plan);
		snprintf(text, sizeof(text),
			 "persistent name=camp coherence=%s",
			 c->too_much ? c->too_much : "private");
		begin_job(21, OWNER, text);
		expect(!c->too_much == !held[0], "%s: %s", c->request, held);
		expect(!*held || strstr(held, "camp is "), "%s", held);
		teardown();
	}
}
END_TEST

START_TEST(test_cannot_be_made)
{
	uint32_t id;

	setup();
	waits(7, OWNER, CREATE);
	id = last.job_id;
	report(id, "s1", "storage", false);
	expect(strstr(held, "s1: no luck"), "%s", held);
	ck_assert_uint_eq(held_job, 7);
	expect_ok(slu_buffers_verdict_done(b, 7, true, NULL, now, &err), err);
	again();
	ck_assert_str_eq(last.state, "TEARDOWN");
	report(id, "s1", "clean", true);
	/* s2 does not serve */
	now += 60;
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "DONE");
	waits(7, OWNER, CREATE); /* released, it tries again */
	ck_assert_str_eq(last.state, "SETUP");
	ck_assert_uint_ne(last.job_id, id);
	teardown();
}
END_TEST

/* A job that waits to destroy one does not take the next of its name. */
START_TEST(test_destroy_older)
{
	static const char request[] = "persistent_destroy name=camp";
	struct slu_job j = job(8, OWNER, request);

	setup();
	j.eligible = (int64_t)now - 1;
	make(7, CREATE);
	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
	ck_assert(!last.leaving);
	j.eligible = (int64_t)now;
	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
	unmake();
	teardown();
}
END_TEST

/* Directories of one file system have the same room, as images take it. */
START_TEST(test_one_file_system)
{
	static const char *const mounts[] = {
		/* one in the other; another mount of it; another one */
		"(1, 1, '[{\"device\":\"/dev/sda\",\"mountpoint\":\"/\"}]')",
		"(1, 1, '[{\"device\":\"/dev/sda\",\"mountpoint\":\"/local\"},"
		"{\"device\":\"/dev/sda\",\"mountpoint\":\"/other\"}]')",
		"(1, 1, '[{\"device\":\"tmpfs\",\"mountpoint\":\"/local\"},"
		"{\"device\":\"tmpfs\",\"mountpoint\":\"/other\"}]')",
		"(1, 1, '[{\"device\":\"/dev/sda\",\"mountpoint\":\"/local\"}]')",
	};
	static const bool same[] = {true, true, false, false};
	struct slu_plan_node node[] = {{.name = (char *)"s1"},
				       {.name = (char *)"s2"}};
	struct slu_plan plan = {.node = node, .n_node = 2};
	uint64_t promised[2], own[2] = {0};
	size_t i = 0;

	setup();
	make(7, CREATE);
	expect_ok(slu_db_script(db,
				"INSERT INTO Hosttable VALUES (1, 's1');"
				"INSERT INTO Extractortable VALUES (1, "
				"'mountpoints');",
				&err),
		  err);
	each(m, mounts)
	{
		char *sql = slu_asprintf(
			"DELETE FROM Host2Data; DELETE FROM Datatable;"
			"INSERT INTO Datatable VALUES "
			"%s; INSERT INTO Host2Data VALUES (1, 1)",
			*m);

		expect_ok(slu_db_script(db, sql, &err), err);
		free(sql);
		node[0].storage = node[1].storage = (char *)"/other/bb";
		promised[0] = promised[1] = 0;
		expect_ok(slu_bb_node_usage(b, &plan, promised, own, &err),
			  err);
		expect(promised[0] ==
			       (same[i] ? slu_image_size(UINT64_C(1) << 30)
					: 0),
		       "%s: %llu", *m, (unsigned long long)promised[0]);
		ck_assert_uint_eq(promised[1], 0); /* no map */
		node[1].client = true;
		node[1].storage = (char *)"/local";
		node[0].storage = (char *)"/local";
		promised[0] = 0;
		expect_ok(slu_bb_node_usage(b, &plan, promised, own, &err),
			  err);
		ck_assert_uint_eq(promised[0],
				  slu_image_size(UINT64_C(1) << 30));
		ck_assert_uint_eq(promised[1], 0);
		node[1].client = false;
		i++;
	}
	teardown();
}
END_TEST

TEST_MAIN("persistent", test_one_file_system, test_transitions, test_in_turn,
	  test_expires, test_expires_by_no_clock, test_expires_by_both,
	  test_expires_unaged, test_used, test_device_fails, test_refused,
	  test_coherence, test_cannot_be_made, test_destroy_older)
