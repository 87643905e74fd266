/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sluiced answers to the nodes of a buffer (a word such as "go" or "busy",
 * the plan, attributes of other nodes), and what it sends to slurmctld about it
 * (progress, late nodes, set-up time that is given back to the job).
 */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"

/* All nodes have arrived at a barrier, but the write to the database failed:
 * the barrier still opens when a node asks again. */
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

/* Nodes that finish one by one are reported to slurmctld at most once a second;
 * the last one at once. */
START_TEST(test_messages_about_many_nodes_are_delayed)
{
	struct world w;
	int told, i;

	world_new(&w, MAX_NODES, WALK, NULL);
	job_start(&w);
	for (i = 0; i < MAX_NODES; i++)
		ask_plan(&w, &w.node[i]);
	told = w.mirrors;
	for (i = 0; i < MAX_NODES - 2; i++)
		do_step(&w, &w.node[i], "report attach", true);
	ck_assert_int_eq(w.mirrors, told);
	ck_assert_double_eq_tol(slu_buffers_tick(w.b, w.now), 1, 1e-3);
	ck_assert_int_eq(w.mirrors, told);
	w.now += 1;
	slu_buffers_tick(w.b, w.now);
	ck_assert_str_eq(w.text, "sluice: setup, 78 of 80 nodes done");
	ck_assert_int_eq(w.mirrors, told + 1);
	do_step(&w, &w.node[i++], "report attach", true);
	do_step(&w, &w.node[i++], "report attach", true);
	ck_assert_str_eq(w.text, "sluice: setup, 80 of 80 nodes done");
	ck_assert_int_eq(w.mirrors, told + 2);
	w.now += 9;
	slu_buffers_tick(w.b, w.now);
	ck_assert_int_eq(w.mirrors, told + 2);
	world_free(&w);
}
END_TEST

/* The answer at a barrier is built once for all nodes, and again only after a
 * change. */
START_TEST(test_barrier_answer_is_cached)
{
	struct world w;
	struct actor *n1, *n2;

	world_new(&w, 3, WALK, NULL);
	n1 = &w.node[0];
	n2 = &w.node[1];
	job_start(&w);
	for (int i = 0; i < 3; i++) {
		ask_plan(&w, &w.node[i]);
		barrier(&w, &w.node[i], "servers", i == 1 ? "" : "24001");
	}
	ck_assert_str_eq(barrier(&w, n1, "servers", "").attrs,
			 "n1=24001 n3=24001 ");
	ck_assert_str_eq(barrier(&w, n2, "servers", NULL).attrs,
			 "n1=24001 n3=24001 ");
	for (int i = 0; i < 3; i++)
		barrier(&w, &w.node[i], "mounted", NULL);
	ck_assert_str_eq(barrier(&w, n1, "mounted", NULL).word, "go");
	ck_assert_str_eq(barrier(&w, n1, "mounted", NULL).attrs, "");
	do_step(&w, n2, "report attach", false);
	w.now += 31; /* no verdict comes */
	ck_assert_str_eq(barrier(&w, n1, "servers", "").word, "abort");
	ck_assert_str_eq(barrier(&w, n2, "mounted", NULL).word, "abort");
	world_free(&w);
}
END_TEST

static const char *state_of(struct world *w, uint32_t job_id, char out[16])
{
	struct slu_hello_daemon all;
	struct slu_err err;

	expect_ok(slu_buffers_hello(w->b, &all, &err), err);
	slu_copy(out, 16, "gone");
	for (size_t i = 0; i < all.n_buffers; i++)
		if (all.buffers[i].job_id == job_id)
			slu_copy(out, 16, all.buffers[i].state);
	slu_msg_clear(&slu_hello_daemon_desc, &all);
	return out;
}

/* Jobs whose ids fall into one hash bucket do not affect each other. */
START_TEST(test_jobs_of_one_hash_bucket)
{
	static const uint32_t ids[] = {JOB + 8192, JOB, JOB + 4096};
	struct slu_job jobs[2];
	struct slu_err err;
	struct world w;
	char out[16];

	world_new(&w, 1, WALK, NULL);
	each(id, ids)
	{
		w.job.job_id = *id;
		job_start(&w);
	}
	for (int i = 0; i < 2; i++) {
		jobs[i] = w.job;
		jobs[i].job_id = ids[i];
	}
	expect_ok(slu_buffers_sync(w.b, jobs, 2, w.now, &err), err);
	ck_assert_str_eq(state_of(&w, JOB, out), "SETUP");
	ck_assert_str_eq(state_of(&w, JOB + 8192, out), "SETUP");
	ck_assert_str_eq(state_of(&w, JOB + 4096, out), "gone");
	w.job.job_id = JOB;
	job_end(&w, "COMPLETED");
	ck_assert_str_eq(state_of(&w, JOB, out), "gone");
	ck_assert_str_eq(state_of(&w, JOB + 8192, out), "SETUP");
	world_restart(&w);
	ck_assert_str_eq(state_of(&w, JOB, out), "gone");
	ck_assert_str_eq(state_of(&w, JOB + 8192, out), "SETUP");
	world_free(&w);
}
END_TEST

/* Questions that do not fit: before the job has begun, from a node that is none
 * of the job's, without a plan, with a wrong barrier, step or buffer. */
START_TEST(test_strangers)
{
	struct world w;
	struct actor stranger = {.name = "n9"};

	world_new(&w, 2, WALK, NULL);
	ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "busy");
	ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word, "notfound");
	job_start(&w);
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
	ck_assert(!is_member(&w, JOB + 1, "n1"));
	world_free(&w);
}
END_TEST

/* A node that is none of the job's is refused ("denied"), not told that the job
 * has ended ("notfound"): that is only the answer for an earlier run. For a
 * later run, or if the run has ended, it is to ask again ("busy"). */
START_TEST(test_no_part)
{
	struct actor stranger = {.name = "n9"};
	struct world w;

	world_new(&w, 2, WALK, NULL);
	w.job.restarts = 1;
	job_start(&w);
	ck_assert_str_eq(ask_plan(&w, &stranger).word, "denied");
	w.job.restarts = 0;
	ck_assert_str_eq(ask_plan(&w, &stranger).word, "notfound");
	w.job.restarts = 2;
	ck_assert_str_eq(ask_plan(&w, &stranger).word, "busy");
	w.job.restarts = 1;
	job_end(&w, "CANCELLED");
	ck_assert_str_eq(ask_plan(&w, &stranger).word, "busy");
	world_free(&w);
}
END_TEST

/* From the node's inventory: -1: it has nothing to take down; else `over` of
 * its only plan, 1: its job is over. */
static int owed(struct world *w, const char *node)
{
	struct slu_buf text = {0};
	struct slu_node_inventory owed;
	struct slu_err err;
	int over = -1;

	expect_ok(slu_buffers_node_inventory(w->b, node, w->now, &text, &err),
		  err);
	expect_ok(slu_decode_text(&slu_node_inventory_desc, text.data, text.len,
				  &owed, &err),
		  err);
	ck_assert_uint_le(owed.n_plan, 1);
	if (owed.n_plan)
		over = owed.plan[0].over;
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	slu_buf_free(&text);
	return over;
}

/* The inventory has the plan for each node that has fetched it, until the node
 * reports that it is clean. */
START_TEST(test_inventory)
{
	struct world w;

	world_new(&w, 3, WALK, NULL);
	job_start(&w);
	ask_plan(&w, &w.node[0]);
	ask_plan(&w, &w.node[1]);
	ck_assert_int_eq(owed(&w, "n1"), 0);
	ck_assert_int_eq(owed(&w, "n3"), -1);
	ck_assert_int_eq(owed(&w, "n9"), -1);
	job_end(&w, "CANCELLED");
	ck_assert_int_eq(owed(&w, "n1"), 1);
	ck_assert_int_eq(owed(&w, "n3"), -1);
	do_step(&w, &w.node[1], "report down", true);
	ck_assert_int_eq(owed(&w, "n1"), 1);
	ck_assert_int_eq(owed(&w, "n2"), 0);
	do_step(&w, &w.node[1], "report clean", true);
	ck_assert_int_eq(owed(&w, "n2"), -1);
	world_free(&w);
}
END_TEST

/* Polls, and the attributes of the nodes that a barrier's answer carries. */
START_TEST(test_poll_and_barrier_answers)
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

/* While some nodes wait for others at a barrier, the late ones are named to
 * slurmctld, at most once a second. */
START_TEST(test_late_nodes_are_named)
{
	struct world w;

	world_new(&w, 3, WALK, NULL);
	job_start(&w);
	for (int i = 0; i < 3; i++)
		ask_plan(&w, &w.node[i]);
	ck_assert_str_eq(w.pending, "n[1-3]");
	barrier(&w, &w.node[0], "servers", "1");
	barrier(&w, &w.node[2], "servers", "3");
	ck_assert_str_eq(w.text, "sluice: setup, 0 of 3 nodes done");
	w.now += 1.1;
	slu_buffers_tick(w.b, w.now);
	ck_assert_str_eq(w.text,
			 "sluice: setup, 0 of 3 nodes done, waits for n2");
	ck_assert_str_eq(w.pending, "n2");
	/* also where as many are late at the next one, but others */
	barrier(&w, &w.node[1], "servers", "2");
	w.now += 0.01;
	barrier(&w, &w.node[1], "attached", "2");
	barrier(&w, &w.node[2], "attached", "3");
	w.now += 1.1;
	slu_buffers_tick(w.b, w.now);
	ck_assert_str_eq(w.text,
			 "sluice: setup, 0 of 3 nodes done, waits for n1");
	ck_assert_str_eq(w.pending, "n1");
	run_until(&w, AT_RUN);
	ck_assert_str_eq(w.text, "");
	ck_assert_str_eq(w.pending, "n[1-3]");
	job_end(&w, "COMPLETED");
	w.node[1].cut = true;
	for (int i = 0; i < 40; i++) {
		w.now += 0.1;
		step(&w, &w.node[0]);
		step(&w, &w.node[2]);
	}
	slu_buffers_tick(w.b, w.now);
	expect(strstr(w.text, "stage-out, ") && strstr(w.text, "waits for n2"),
	       "%s", w.text);
	ck_assert_str_eq(w.pending, "n2");
	world_free(&w);
}
END_TEST

/* The sum of what the nodes have copied is passed on to slurmctld, at most
 * every few seconds, until the phase is over. */
START_TEST(test_progress)
{
	struct world w;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	job_end(&w, "COMPLETED");
	do_step(&w, &w.node[0], "report down", true);
	do_step(&w, &w.node[1], "report down", true);
	w.node[0].copied = 1024; /* one of an older release, without files */
	poll_word(&w, &w.node[0], NULL);
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "1KiB of 4KiB copied");
	w.now += 6;
	w.node[0].copied = 0;
	w.node[0].files = 1; /* an empty one */
	poll_word(&w, &w.node[0], NULL);
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "1 of 20 files, 0B of 4KiB copied");
	w.now += 6;
	w.node[0].copied = 1024;
	w.node[0].files = 8;
	poll_word(&w, &w.node[0], NULL);
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "8 of 20 files, 1KiB of 4KiB copied");
	w.node[1].copied = 512;
	poll_word(&w, &w.node[1], NULL); /* too soon to report */
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "8 of 20 files, 1KiB of 4KiB copied");
	w.now += 6;
	w.node[1].copied = 1024;
	w.node[1].files = 2;
	poll_word(&w, &w.node[1], NULL);
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "10 of 20 files, 2KiB of 4KiB copied");
	w.now += 6;
	w.node[1].copied = 8192; /* some of it again */
	w.node[1].files = 30;
	poll_word(&w, &w.node[1], NULL);
	ck_assert_str_eq(w.text, "sluice: stage-out, 0 of 2 nodes done, "
				 "38 files, 9KiB copied");
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	ck_assert_ptr_null(strstr(w.text, "copied"));
	world_free(&w);
}
END_TEST

/* The set-up time is added to the job's time limit: the time so far while it
 * lasts, the exact time at its end. sluiced sends it all; slurmctld bounds it.
 */
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
	sync_all(&w); /* sent again, and no more */
	ck_assert_int_eq(w.give_back, i);
	world_free(&w);

	world_new(&w, 2, WALK, "SetupTimeout=9999\n");
	w.now += 1500;
	job_start(&w);
	ck_assert_int_eq(w.give_back, 1500); /* slurmctld caps it */
	world_free(&w);
}
END_TEST

/* No plan can be made: the job is held with the reason, and its nodes wait for
 * this verdict, then are refused. */
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
		ck_assert_str_eq(ask_plan(&w, &w.node[0]).word, "notfound");
		world_free(&w);
	}
}
END_TEST

/* n1 has a disk of so many bytes. */
static void give_disk(struct world *w, const char *size)
{
	struct slu_err err;
	char *sql = slu_asprintf(
		"INSERT INTO Hosttable VALUES (1, 'n1');"
		"INSERT INTO Extractortable VALUES (1, 'mountpoints');"
		"INSERT INTO Datatable VALUES (1, 1, '[{\"device\":"
		"\"/dev/sdb\",\"mountpoint\":\"/s\",\"filesystem\":"
		"\"ext4\",\"size\":%s,\"options\":\"rw\"}]');"
		"INSERT INTO Host2Data VALUES (1, 1)",
		size);

	expect_ok(slu_db_script(w->db, sql, &err), err);
	free(sql);
}

/* If other jobs use the space, a job is requeued any number of times, never
 * held. */
START_TEST(test_full_of_others)
{
	struct world w;

	world_new(&w, 1, WALK, "NodeStorage=auto\n");
	give_disk(&w, "7000000000");
	job_start(&w);
	ck_assert_int_eq(w.verdicts, 0);
	w.job.job_id = JOB + 1;
	for (int run = 0; run < 6; run++) {
		w.job.restarts = (uint32_t)run;
		w.job.start += 200;
		w.now += 200;
		w.job.state = (char *)"RUNNING";
		job_start(&w);
		ck_assert_int_eq(w.verdicts, run + 1);
		ck_assert_int_eq(w.what, SLU_REQUEUE);
		expect(strstr(w.reason, "other jobs, or data of failed "
					"stage-outs, hold 4"),
		       "%s", w.reason);
		verdict_done(&w);
		job_end(&w, "PENDING");
	}
	world_free(&w);
}
END_TEST

/* A disk that is too small does not hold the job: it is requeued, as other
 * nodes may have the space. */
START_TEST(test_full_disk_is_not_permanent)
{
	struct world w;

	world_new(&w, 1, WALK, "NodeStorage=auto\n");
	give_disk(&w, "1000000");
	job_start(&w);
	ck_assert_int_eq(w.what, SLU_REQUEUE);
	expect(strstr(w.reason,
		      "n1 has only 976.6KiB for /s/sluice, each node must "
		      "give 4GiB"),
	       "%s", w.reason);
	world_free(&w);
}
END_TEST

TEST_MAIN("buffers answers", test_gate_not_stored, test_strangers, test_no_part,
	  test_inventory, test_poll_and_barrier_answers,
	  test_late_nodes_are_named, test_messages_about_many_nodes_are_delayed,
	  test_barrier_answer_is_cached, test_jobs_of_one_hash_bucket,
	  test_progress, test_give_back, test_no_plan,
	  test_full_disk_is_not_permanent, test_full_of_others)
