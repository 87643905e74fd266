/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests nodes whose disks are too full for their share, as they report at the
 * barrier "room" (room_shares.h): the other nodes take the share, or the job is
 * requeued without the full nodes.
 */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include "sysmap/database/receive.h"

#define GIB  (UINT64_C(1) << 30)
#define FULL "104857600 /s: needs 3GiB, only 1GiB is free: files of bob"

static const char conf[] = "NodeStorage=/s\n"
			   "FileSystem=whole Driver=glusterfs\n"
			   "FileSystem=tmp Driver=scratch";
static const char whole[] = "jobfs type=whole capacity=8GiB";
static const char one_each[] = "jobfs type=tmp capacity=8GiB";

/* Expects the plan's shares ("2 2 0c": GiB of each node, rounded up, and c for
 * a node that is only a client), and the number of nodes that must report their
 * free space; 0: none. */
static void gives(struct world *w, const char *want, uint32_t givers)
{
	const struct slu_node_ask ask = {.job_id = w->job.job_id,
					 .node = w->node[0].name,
					 .restarts = w->job.restarts};
	struct slu_text *text = NULL;
	struct slu_buf got = {0};
	struct slu_plan plan;
	struct slu_err err;
	char *secret;

	expect_ok(slu_buffers_plan(w->b, &ask, w->now, &text, &secret, &err),
		  err);
	expect_ok(slu_decode_text(&slu_plan_desc, text->data, text->len, &plan,
				  &err),
		  err);
	for (size_t i = 0; i < plan.n_node; i++)
		slu_buf_printf(
			&got, "%s%llu%s", i ? " " : "",
			(unsigned long long)((plan.node[i].capacity + GIB - 1) /
					     GIB),
			plan.node[i].client ? "c" : "");
	ck_assert_str_eq(got.data, want);
	ck_assert_uint_eq(plan.givers, givers);
	slu_msg_clear(&slu_plan_desc, &plan);
	slu_text_unref(text);
	slu_buf_free(&got);
	free(secret);
}

static void fetch_all(struct world *w)
{
	for (int i = 0; i < w->n_node; i++)
		ck_assert_str_eq(ask_plan(w, &w->node[i]).word, "go");
}

/* Node i reports 99 GiB free, or that it is full if its bit in `full` is set.
 */
static struct heard tell(struct world *w, int i, unsigned full)
{
	return barrier(w, &w->node[i], "room",
		       full >> i & 1 ? FULL : "106300440576");
}

static void tell_all(struct world *w, unsigned full, const char *word)
{
	for (int i = 0; i < w->n_node - 1; i++)
		ck_assert_str_eq(tell(w, i, full).word, "busy");
	for (int i = w->n_node - 1; i >= 0; i--)
		ck_assert_str_eq(tell(w, i, full).word, word);
}

/* The other nodes take a full node's share over, and the new plan does not ask
 * for the free space again; also if sluiced is restarted before or after. */
START_TEST(test_others_take_a_full_nodes_share)
{
	for (int crash = 0; crash < 3; crash++) {
		struct world w;

		world_new(&w, 4, whole, conf);
		job_start(&w);
		fetch_all(&w);
		gives(&w, "2 2 2 2", 4);
		if (crash == 1)
			world_restart(&w);
		tell_all(&w, 1 << 1, "plan");
		if (crash == 2)
			world_restart(&w);
		gives(&w, "3 0c 3 3", 0);
		ck_assert_str_eq(tell(&w, 1, 1 << 1).word, "plan");
		ck_assert_int_eq(w.verdicts, 0);
		world_free(&w);
	}
}
END_TEST

START_TEST(test_shares_stay_with_enough_room)
{
	struct world w;

	world_new(&w, 3, whole, conf);
	job_start(&w);
	fetch_all(&w);
	tell_all(&w, 0, "go");
	gives(&w, "3 3 3", 3);
	world_free(&w);
}
END_TEST

/* With nodes=2 of 4, a node that gave nothing takes the full one's place. */
START_TEST(test_another)
{
	struct world w;

	world_new(&w, 4, "jobfs type=whole capacity=8GiB nodes=2", conf);
	job_start(&w);
	fetch_all(&w);
	gives(&w, "4 4 0c 0c", 2);
	tell_all(&w, 1 << 0, "plan");
	gives(&w, "0c 4 4 0c", 0);
	world_free(&w);
}
END_TEST

/* Where each node needs storage of its own, no other can take its share: the
 * job is requeued without all full nodes at once, and a restarted sluiced says
 * the same. */
START_TEST(test_without)
{
	struct world w;

	world_new(&w, 4, one_each, conf);
	job_start(&w);
	fetch_all(&w);
	for (int i = 0; i < 4; i++)
		ck_assert_str_eq(tell(&w, i, 1 << 1 | 1 << 3).word, "busy");
	ck_assert_int_eq(w.what, SLU_REQUEUE);
	ck_assert_str_eq(w.without, "n[2,4]");
	expect(strstr(w.reason,
		      "setup failed: n2: /s: needs 3GiB, only 1GiB is "
		      "free: files of bob; too little room on "
		      "n[2,4]"),
	       "%s", w.reason);
	w.without[0] = '\0';
	world_restart(&w);
	sync_all(&w);
	ck_assert_str_eq(w.without, "n[2,4]");
	world_free(&w);
}
END_TEST

/* A node that lacks space only when it makes its storage: the job is requeued
 * without it, at most eight times, which do not count against the two requeues
 * for other reasons; then it is held. */
START_TEST(test_requeued_without_full_nodes)
{
	struct slu_report r = {.step = (char *)"failed",
			       .text = (char *)"/s: only 1GiB is free",
			       .no_room = true};
	struct world w;

	world_new(&w, 2, one_each, conf);
	for (int run = 0; run < 11; run++) {
		w.job.restarts = (uint32_t)run;
		w.job.state = (char *)"RUNNING";
		w.job.completing = false;
		w.job.start += 200;
		w.now += 200;
		for (int i = 0; i < 2; i++)
			w.node[i].buffer = 0;
		job_start(&w);
		fetch_all(&w);
		r.no_room = run != 4 && run != 6;
		report(&w, &w.node[1], r);
		ck_assert_int_eq(w.verdicts, run + 1);
		expect(strstr(w.reason, "n2: /s: only 1GiB is free"), "%s",
		       w.reason);
		ck_assert_int_eq(w.what, run < 10 ? SLU_REQUEUE : SLU_HOLD);
		ck_assert_str_eq(w.without, r.no_room && run < 10 ? "n2" : "");
		verdict_done(&w);
		job_end(&w, "PENDING");
	}
	world_free(&w);
}
END_TEST

/* With OnSetupFailure=hold, fail or cancel a full node does not requeue. */
START_TEST(test_policy)
{
	static const struct {
		const char *policy;
		enum slu_on_failure what;
	} cases[] = {
		{"hold", SLU_HOLD}, {"fail", SLU_FAIL}, {"cancel", SLU_CANCEL}};

	each(c, cases)
	{
		char lines[300];
		struct world w;

		snprintf(lines, sizeof(lines), "%s\nOnSetupFailure=%s\n", conf,
			 c->policy);
		world_new(&w, 2, one_each, lines);
		job_start(&w);
		fetch_all(&w);
		for (int i = 0; i < 2; i++)
			tell(&w, i, 1);
		ck_assert_int_eq(w.what, c->what);
		ck_assert_str_eq(w.without, "");
		world_free(&w);
	}
}
END_TEST

/* A node with an older sluice-node skips the barrier "room". The others do not
 * wait for it there, and shares stay as they are, since its share could not be
 * changed. */
START_TEST(test_older_peer)
{
	for (int full = 0; full < 2; full++) {
		struct world w;

		world_new(&w, 3, whole, conf);
		job_start(&w);
		fetch_all(&w);
		ck_assert_str_eq(tell(&w, 0, 0).word, "busy");
		ck_assert_str_eq(tell(&w, 1, full ? 2 : 0).word, "busy");
		ck_assert_str_eq(
			barrier(&w, &w.node[2], "servers", "port").word,
			"busy");
		ck_assert_str_eq(tell(&w, 0, 0).word, full ? "busy" : "go");
		ck_assert_int_eq(w.verdicts, full);
		ck_assert_str_eq(w.without, full ? "n2" : "");
		world_free(&w);
	}
}
END_TEST

/* The resource map already says that a node's disk is too small: the job is
 * requeued without it when its run starts. */
START_TEST(test_too_small)
{
	static const char text[] =
		"[{\"device\":\"/dev/sdb\",\"mountpoint\":\"/s\","
		"\"filesystem\":\"ext4\",\"size\":1000000,\"options\":\"rw\"}]";
	struct slu_document doc = {.extractor = "mountpoints",
				   .text = (char *)(uintptr_t)text,
				   .len = strlen(text)};
	struct slu_map map = {.document = &doc, .n = 1};
	struct slu_receiver *r;
	struct slu_err err;
	struct world w;

	world_new(&w, 3, one_each, conf);
	doc.hash = slu_document_hash(doc.extractor, text, doc.len);
	r = slu_receiver_new(w.db, &err);
	expect_ok(slu_receive_map(r, "n1", &map, 1, &err), err);
	expect_ok(slu_receive_map(r, "n3", &map, 1, &err), err);
	slu_receiver_free(r);
	job_start(&w);
	ck_assert_int_eq(w.what, SLU_REQUEUE);
	ck_assert_str_eq(w.without, "n[1,3]");
	expect(strstr(w.reason, "n1 has only 976.6KiB for /s"), "%s", w.reason);
	world_free(&w);
}
END_TEST

TEST_MAIN("buffers room", test_others_take_a_full_nodes_share,
	  test_shares_stay_with_enough_room, test_another, test_without,
	  test_requeued_without_full_nodes, test_policy, test_older_peer,
	  test_too_small)
