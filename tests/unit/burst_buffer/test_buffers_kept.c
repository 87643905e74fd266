/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests what remains after buffers have ended: their rows in the database
 * (deleted by age, quarantined if damaged, reported as JSON), counters of their
 * phases, and the data of failed stage-outs, which uses space until it expires
 * or is discarded.
 */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "burst_buffer/lifecycle/reconcile/node_usage.h"

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

/* The rows of a buffer are deleted if it ended long ago and no node has
 * anything left of it; after 30 days such nodes do not matter any more. */
START_TEST(test_prune)
{
	static const struct {
		const char *sql; /* changes the ended buffer's rows */
		double age;	 /* seconds for which rows are kept */
		long n;		 /* expected: buffers that are deleted */
		double days;	 /* days between its end and this */
	} cases[] = {
		{"SELECT 1", 1, 1, 0},
		{"SELECT 1", 3600, 0, 0},
		{"UPDATE Buffer SET State = 5", 1, 0, 0},
		{"UPDATE BufferNode SET State = 6 WHERE Position = 1", 1, 0, 0},
		{"UPDATE BufferNode SET Orders = 1 WHERE Position = 1", 1, 0,
		 0},
		{"UPDATE BufferNode SET State = 6 WHERE Position = 1", 1, 0,
		 29},
		{"UPDATE BufferNode SET State = 6 WHERE Position = 1", 1, 1,
		 30},
		{"UPDATE BufferNode SET Orders = 2 WHERE Position = 1", 1, 1,
		 30},
		{"UPDATE Buffer SET State = 5", 1, 0, 99},
	};
	struct slu_err err;
	struct world w;

	each(c, cases)
	{
		world_new(&w, 2, WALK, NULL);
		run_all(&w);
		ck_assert_int_gt(count_rows(&w), 10);
		expect_ok(slu_db_script(w.db, c->sql, &err), err);
		w.now += 100 + c->days * 86400;
		ck_assert_int_eq(
			slu_buffers_prune(w.db, w.now - c->age, 8, &err), c->n);
		ck_assert(c->n ? count_rows(&w) == 0 : count_rows(&w) > 10);
		world_free(&w);
	}
}
END_TEST

/* A node that still has to clean up but never comes back is forgotten after 30
 * days, without a restart of sluiced. */
START_TEST(test_forget)
{
	static const char *const owed[] = {
		"UPDATE BufferNode SET State = 6 WHERE Position = 1",
		"UPDATE BufferNode SET Orders = 2 WHERE Position = 1",
	};
	struct slu_err err;
	struct world w;

	each(sql, owed)
	{
		world_new(&w, 2, WALK, NULL);
		run_all(&w);
		expect_ok(slu_db_script(w.db, *sql, &err), err);
		world_restart(&w);
		w.now += 29 * 86400;
		slu_buffers_tick(w.b, w.now);
		ck_assert_str_ne(poll_word(&w, &w.node[0], NULL).word,
				 "notfound");
		w.now += 2 * 86400;
		slu_buffers_tick(w.b, w.now);
		ck_assert_str_eq(poll_word(&w, &w.node[0], NULL).word,
				 "notfound");
		world_free(&w);
	}
}
END_TEST

/* Buffers whose rows cannot be read are quarantined at start; the others are
 * loaded. */
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
		ck_assert(!is_member(&w, JOB, "n1"));
		ck_assert(is_member(&w, JOB + 1, "n1"));
		world_restart(&w); /* quarantined rows are not read again */
		ck_assert_int_eq(w.errors, 1);
		world_free(&w);
	}
}
END_TEST

/* Bytes of n1's storage that all buffers use; *own: the part of it that ended
 * jobs of this user still use. */
static uint64_t promised_of(const struct world *w, uint32_t uid, uint64_t *own)
{
	/* n1 once for each of its devices: the buffer is on one of them */
	struct slu_plan_node node[] = {
		{.name = (char *)"n0", .storage = (char *)"/local"},
		{.name = (char *)"n1", .storage = (char *)"/a"},
		{.name = (char *)"n1", .storage = (char *)"/local"},
		{.name = (char *)"n1", .storage = (char *)"/z"}};
	const struct slu_plan plan = {.node = node, .n_node = 4, .uid = uid};
	uint64_t size[4] = {0}, owns[4] = {0};
	struct slu_err err;

	expect_ok(slu_bb_node_usage(w->b, &plan, size, owns, &err), err);
	ck_assert_uint_eq(size[0] + size[1] + size[3], 0);
	*own = owns[2];
	return size[2];
}

static uint64_t promised(const struct world *w)
{
	uint64_t own;

	return promised_of(w, w->job.uid, &own);
}

/* Bytes of the pool that kept data uses; expects all of it to be the user's. */
static uint64_t pool_keeps(const struct world *w)
{
	struct slu_buf by = {0};
	uint64_t size = slu_buffers_kept(w->b, "nodes", &by);
	const struct slu_pool_kept *user = (void *)by.data;

	ck_assert_uint_eq(by.len, size ? sizeof(*user) : 0);
	expect(!size || (user->uid == 1000 && user->size == size), "%u",
	       size ? user->uid : 0);
	slu_buf_free(&by);
	return size;
}

/* The data of a failed stage-out uses as much space as the buffer did, in the
 * pool and on its nodes, for KeepFailed hours. */
START_TEST(test_room)
{
	static const struct {
		const char *conf;
		bool fails;
		int hours; /* expected time for which it is kept */
	} cases[] = {
		{"KeepFailed=2", true, 2},
		{"KeepFailed=0", true, 0},
		{"KeepFailed=2", false, 0},
	};

	each(c, cases)
	{
		struct world w;
		uint64_t size, own;

		world_new(&w, 2, WALK, c->conf);
		run_until(&w, AT_RUN);
		size = promised_of(&w, w.job.uid, &own);
		ck_assert_uint_eq(own, 0); /* the job still runs */
		ck_assert_uint_gt(size, 2ul << 30);
		ck_assert_uint_eq(pool_keeps(&w), 0);
		w.node[0].fail_down = c->fails ? 3 : -1;
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		for (int half = 0; half < 8; half++) {
			bool is = half < 2 * c->hours;

			expect(promised(&w) == (is ? size : 0), "%s: %d",
			       c->conf, half);
			promised_of(&w, w.job.uid, &own);
			ck_assert_uint_eq(own, is ? size : 0);
			promised_of(&w, w.job.uid + 1, &own);
			ck_assert_uint_eq(own, 0);
			ck_assert_uint_eq(pool_keeps(&w), is ? 2 * size : 0);
			w.now += 1800;
			slu_buffers_tick(w.b, w.now);
			if (half % 2)
				world_restart(&w);
		}
		world_free(&w);
	}
}
END_TEST

/* If a node reports the size of the data that it keeps, that counts instead of
 * its share, in the pool and on the node, and also after a restart of sluiced;
 * not if it is larger than the share. */
START_TEST(test_takes)
{
	static const struct {
		uint64_t told[2];
		bool counts[2];
	} cases[] = {
		{{10 << 20, 20 << 20}, {true, true}},
		{{10 << 20, 0}, {true, false}},
		{{UINT64_C(1) << 40, 0}, {false, false}},
	};

	each(c, cases)
	{
		uint64_t size, takes[2];
		struct world w;

		world_new(&w, 2, WALK, "KeepFailed=2");
		run_until(&w, AT_RUN);
		size = promised(&w);
		w.node[0].fail_down = 3;
		for (int i = 0; i < 2; i++) {
			w.node[i].keeps = c->told[i];
			takes[i] = c->counts[i] ? c->told[i] : size;
		}
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		for (int again = 0; again < 2; again++) {
			ck_assert_uint_eq(promised(&w), takes[0]);
			ck_assert_uint_eq(pool_keeps(&w), takes[0] + takes[1]);
			world_restart(&w);
		}
		w.now += 3 * 3600;
		slu_buffers_tick(w.b, w.now);
		ck_assert_uint_eq(promised(&w), 0);
		world_free(&w);
	}
}
END_TEST

static bool is_to_discard(struct world *w, const char *node)
{
	struct slu_buf text = {0};
	struct slu_node_inventory owed;
	struct slu_err err;
	char name[32];
	bool is;

	snprintf(name, sizeof(name), "%u.%llu", JOB,
		 (unsigned long long)w->node[0].buffer);
	expect_ok(slu_buffers_node_inventory(w->b, node, w->now, &text, &err),
		  err);
	expect_ok(slu_decode_text(&slu_node_inventory_desc, text.data, text.len,
				  &owed, &err),
		  err);
	is = slu_has_word(owed.discard ? owed.discard : "", name);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	slu_buf_free(&text);
	return is;
}

/* The owner, and no other user, can discard kept data. Each node gets that as
 * an order until it reports that the data is gone, also after a restart of
 * sluiced; until then the data counts as used space. */
START_TEST(test_discard)
{
	struct slu_discard ask = {.job_id = JOB, .dry_run = true};
	struct slu_discarded is;
	struct slu_err err;
	struct world w;

	world_new(&w, 2, WALK, "KeepFailed=48");
	run_until(&w, AT_RUN);
	expect_fail(
		slu_buffers_discard(w.b, &ask, 1000, false, w.now, &is, &err),
		err, SLU_NOTFOUND, "nothing is kept of job 17");
	w.node[0].fail_down = 3;
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	expect_fail(
		slu_buffers_discard(w.b, &ask, 1001, false, w.now, &is, &err),
		err, SLU_DENIED, "job 17 is not yours");
	expect_ok(slu_buffers_discard(w.b, &ask, 1000, false, w.now, &is, &err),
		  err);
	ck_assert_str_eq(is.hosts, "n[1-2]");
	ck_assert_uint_eq(is.bytes, pool_keeps(&w));
	slu_msg_clear(&slu_discarded_desc, &is);
	ck_assert(!is_to_discard(&w, "n1"));
	ask.dry_run = false;
	for (int again = 0; again < 2; again++) {
		expect_ok(slu_buffers_discard(w.b, &ask, 1000, false, w.now,
					      &is, &err),
			  err);
		slu_msg_clear(&slu_discarded_desc, &is);
	}
	ck_assert(pool_keeps(&w) > 0); /* until it is gone */
	world_restart(&w);
	ck_assert(is_to_discard(&w, "n1") && is_to_discard(&w, "n2"));
	ck_assert(!is_to_discard(&w, "n3"));
	w.now += 400;
	ck_assert(slu_buffers_keeps(w.b, "n1", "", w.now));
	ck_assert(!is_to_discard(&w, "n1") && is_to_discard(&w, "n2"));
	ck_assert(slu_buffers_keeps(w.b, "n2", "", w.now));
	ck_assert(!is_to_discard(&w, "n2"));
	ck_assert_uint_eq(pool_keeps(&w), 0);
	expect_fail(slu_buffers_discard(w.b, &ask, 0, true, w.now, &is, &err),
		    err, SLU_NOTFOUND, "nothing is kept");
	world_free(&w);
}
END_TEST

/* Kept data that a node no longer lists uses no space there any more. A list
 * that was made before the data was kept does not count. */
START_TEST(test_removed)
{
	static const struct {
		const char *node, *kept;
		double wait;
		bool news, is; /* expected: the list is news; n1 keeps data */
		uint64_t n;    /* expected: nodes that keep data */
	} cases[] = {
		{"n1", "", 0, false, true, 2},
		{"n1", "", 400, true, false, 1},
		{"n1", "", 0, false, false, 1},
		{"n3", "", 0, false, false, 1},
		{"n2", "17.1 NAME 3.4", 0, false, false, 1},
		{"n2", "NAME1 1NAME", 0, true, false, 0},
		{"n1", "NAME", 0, true, true, 1},
		{"n2", "3.4 NAME", 0, true, true, 2},
	};
	struct world w;
	uint64_t size;

	world_new(&w, 2, WALK, "KeepFailed=2");
	run_until(&w, AT_RUN);
	size = promised(&w);
	w.node[0].fail_down = 3;
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	each(c, cases)
	{
		char name[32], *kept = strdup(c->kept), *more;

		snprintf(name, sizeof(name), "%u.%llu", JOB,
			 (unsigned long long)w.node[0].buffer);
		for (char *at; (at = strstr(kept, "NAME")); kept = more) {
			*at = '\0';
			more = slu_asprintf("%s%s%s", kept, name, at + 4);
			free(kept);
		}
		w.now += c->wait;
		expect(slu_buffers_keeps(w.b, c->node, kept, w.now) == c->news,
		       "%s: %s", c->node, kept);
		expect(promised(&w) == (c->is ? size : 0), "%s: %s", c->node,
		       kept);
		ck_assert_uint_eq(pool_keeps(&w), c->n * size);
		free(kept);
	}
	world_free(&w);
}
END_TEST

/* A list counts at once if an earlier one of that node had the data. */
START_TEST(test_removed_soon)
{
	struct world w;
	char name[32];
	uint64_t size;

	world_new(&w, 2, WALK, "KeepFailed=2");
	run_until(&w, AT_RUN);
	size = promised(&w);
	w.node[0].fail_down = 3;
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	snprintf(name, sizeof(name), "%u.%llu", JOB,
		 (unsigned long long)w.node[0].buffer);
	ck_assert(!slu_buffers_keeps(w.b, "n1", name, w.now));
	ck_assert_uint_eq(pool_keeps(&w), 2 * size);
	ck_assert(slu_buffers_keeps(w.b, "n1", "", w.now));
	ck_assert_uint_eq(pool_keeps(&w), size);
	ck_assert(!slu_buffers_keeps(w.b, "n2", "", w.now));
	ck_assert_uint_eq(pool_keeps(&w), size);
	world_free(&w);
}
END_TEST

/* What was removed does not count again after a restart of sluiced, unless its
 * node lists it again; what was listed before is believed to be removed. */
START_TEST(test_removed_for_good)
{
	struct world w;
	char name[32];
	uint64_t size;

	world_new(&w, 2, WALK, "KeepFailed=2");
	run_until(&w, AT_RUN);
	size = promised(&w);
	w.node[0].fail_down = 3;
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	snprintf(name, sizeof(name), "%u.%llu", JOB,
		 (unsigned long long)w.node[0].buffer);
	ck_assert(!slu_buffers_keeps(w.b, "n1", name, w.now));
	ck_assert(!slu_buffers_keeps(w.b, "n2", name, w.now));
	ck_assert(slu_buffers_keeps(w.b, "n1", "", w.now));
	world_restart(&w);
	ck_assert_uint_eq(pool_keeps(&w), size);
	ck_assert_uint_eq(promised(&w), 0);
	ck_assert(slu_buffers_keeps(w.b, "n2", "", w.now));
	ck_assert(slu_buffers_keeps(w.b, "n1", name, w.now));
	world_restart(&w);
	ck_assert_uint_eq(pool_keeps(&w), size);
	ck_assert_uint_eq(promised(&w), size);
	world_free(&w);
}
END_TEST

TEST_MAIN("buffers kept", test_prune, test_room, test_forget, test_quarantine,
	  test_takes, test_discard, test_removed, test_removed_soon,
	  test_removed_for_good)
