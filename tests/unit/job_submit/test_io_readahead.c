/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the read-ahead of runs' I/O from the history: the same answers as a
 * query for each run, also when rows are stored meanwhile. */
#include "config.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include "job_submit/history/io_readahead.h"
#include "wire/rows.h"

#define IDS  300
#define FAR  (64 * 4096) /* numbers that have the same place */
#define RUNS 2

static uint32_t id_of(uint64_t n)
{
	return (uint32_t)(n % IDS + n / IDS * FAR);
}

static void say(struct slu_db *db, uint32_t id, int64_t start, const char *node,
		uint32_t source, double bytes)
{
	struct slu_err err;

	ck_assert_int_ge(slu_db_exec(db, &err,
				     "INSERT OR REPLACE INTO JobIo VALUES"
				     " (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				     "IIsddddddI", (int64_t)id, start, node,
				     bytes, bytes + 1, bytes + 2, bytes + 3,
				     bytes + 4, bytes + 5, (int64_t)source),
			 0);
}

/* Some runs of some jobs, by some of these. */
static void say_much(struct slu_db *db, uint64_t *seed)
{
	static const char *const node[] = {
		"*",  "accounting", "n1",     "n2",
		"n3", "program 1",  "server", "server a scratch"};
	struct slu_err err;

	expect_ok(slu_db_begin(db, &err), err);
	for (int i = 0; i < 2000; i++) {
		uint64_t n = slu_random(seed, 8);

		say(db, id_of(slu_random(seed, 2 * IDS)),
		    10 * (int64_t)slu_random(seed, RUNS), node[n],
		    n == 0   ? 3
		    : n == 1 ? 6
		    : n < 5  ? 1 + (uint32_t)slu_random(seed, 3)
		    : n == 5 ? 5
			     : 4,
		    (double)slu_random(seed, 1u << 30));
	}
	expect_ok(slu_db_commit(db, &err), err);
}

static void check(struct slu_db *db, struct slu_io_readahead *ahead,
		  uint32_t id, int64_t start, uint32_t nodes)
{
	struct slu_history_row got = {.job = {.job_id = id,
					      .start = start,
					      .node_cnt = nodes}},
			       want = got;
	struct slu_err err;

	struct slu_buf by_fs[2] = {{0}, {0}};

	expect_ok(slu_io_readahead_read(ahead, db, &got, &by_fs[0], &err), err);
	expect_ok(slu_io_readahead_read(NULL, db, &want, &by_fs[1], &err), err);
	ck_assert(slu_eq(got.by_fs, want.by_fs));
	got.by_fs = want.by_fs = NULL;
	slu_buf_free(&by_fs[0]);
	slu_buf_free(&by_fs[1]);
	expect(memcmp(&got, &want, sizeof(got)) == 0,
	       "%u of %d: %g, not %g of %u", id, (int)start, got.read_bytes,
	       want.read_bytes, want.io_source);
}

/* One after the other, and at random. */
START_TEST(test_same_answer_as_a_query)
{
	struct slu_db *db = new_db();
	struct slu_io_readahead *ahead = slu_io_readahead_new();
	uint64_t seed = 7;

	say_much(db, &seed);
	for (uint64_t n = 0; n < 2 * IDS; n++)
		for (uint32_t i = 0; i < 2 * RUNS; i++)
			check(db, ahead, id_of(n), i % RUNS * 10, 1 + i / RUNS);
	for (int i = 0; i < 2000; i++)
		check(db, ahead, id_of(slu_random(&seed, 2 * IDS)),
		      10 * (int64_t)slu_random(&seed, RUNS + 1),
		      1 + (uint32_t)slu_random(&seed, 2));
	check(db, ahead, UINT32_MAX, 0, 1);
	check(db, ahead, UINT32_MAX, 0, 1);
	slu_io_readahead_free(ahead);
	slu_io_readahead_free(NULL);
	slu_db_close(db);
}
END_TEST

static int keep_read(void *arg, const struct slu_history_row *row,
		     struct slu_err *err)
{
	(void)err;
	*(double *)arg = row->read_bytes;
	return 0;
}

/* What is said between two pages is heard, whoever stores it. */
START_TEST(test_meanwhile)
{
	const struct slu_history_query all = {.uid = SLU_NO_ID};
	struct slu_db *db = new_db(), *other = new_db();
	struct slu_history_cursor c;
	struct slu_err err;
	double bytes;

	for (uint32_t id = 1; id < 60; id++)
		add(db, id, 7, 100, 200 + id);
	expect_ok(slu_history_begin(db, &all, &c, &err), err);
	for (uint32_t id = 1; id < 60; id++) {
		if (id % 3)
			say(id % 3 == 1 ? db : other, id, 100, "accounting", 6,
			    id);
		ck_assert_int_eq(
			slu_history_page(db, &c, 1, keep_read, &bytes, &err),
			1);
		ck_assert_double_eq(bytes, id % 3 ? id : 0);
	}
	slu_history_end(&c);
	slu_history_end(&c);
	slu_db_close(other);
	slu_db_close(db);
}
END_TEST

/* Of many nodes, as a whole and of a block. */
START_TEST(test_nodes)
{
	struct slu_db *db = new_db();
	struct slu_io_readahead *ahead = slu_io_readahead_new();
	struct slu_buf by_fs = {0};
	struct slu_err err;

	for (uint32_t i = 0; i < 1000; i++) {
		char node[8];

		snprintf(node, sizeof(node), "n%u", i);
		say(db, 5, 10, node, 1 + i % 2, i);
	}
	for (int i = 0; i < 3; i++) {
		struct slu_history_row row = {
			.job = {.job_id = 5, .start = 10, .node_cnt = 1000}};

		expect_ok(slu_io_readahead_read(ahead, db, &row, &by_fs, &err),
			  err);
		ck_assert_ptr_null(row.by_fs);
		ck_assert_uint_eq(row.io_source, 1);
		ck_assert_double_eq(row.read_bytes, 499 * 500);
		ck_assert_double_eq(row.calls, 999 * 500 + 2000);
	}
	slu_io_readahead_free(ahead);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("io_readahead", test_same_answer_as_a_query, test_meanwhile,
	  test_nodes)
