/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the batching of database writes: many items in one transaction, of
 * which a bad one fails alone. */
#include "sluiced/ingestion/write_batch.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

/* Each item adds a row to a table of its own; a bad one fails after that. */
struct thing {
	struct slu_item item;
	int number;
	bool bad;
	int done, failed;
	enum slu_kind why;
};

static int store(struct slu_item *item, struct slu_db *db, struct slu_err *err)
{
	struct thing *t = (struct thing *)item;

	if (slu_db_exec(db, err, "INSERT INTO T (N) VALUES (?)", "i",
			t->number) < 0)
		return -1;
	if (t->bad)
		return slu_err(err, SLU_INVALID, "%d is bad", t->number);
	return 0;
}

static void done(struct slu_item *item, const struct slu_err *err)
{
	struct thing *t = (struct thing *)item;

	t->done++;
	t->failed += err != NULL;
	if (err)
		t->why = err->kind;
}

static struct slu_db *open_db(void)
{
	struct slu_err err;
	struct slu_db *db =
		slu_db_open(tmpfile_path("x.db"), SLU_DB_WRITE, &err);

	ck_assert_ptr_nonnull(db);
	ck_assert_int_ge(slu_db_exec(db, &err, "CREATE TABLE T (N)", ""), 0);
	return db;
}

static int64_t rows(struct slu_db *db)
{
	int64_t n = -1;

	slu_db_value(db, &n, -1, NULL, "SELECT count(*) FROM T", "");
	return n;
}

static void store_things(int n, int bad)
{
	struct thing *things = calloc((size_t)n, sizeof(*things));
	struct slu_loop *loop = slu_loop_new(NULL);
	struct slu_db *db = open_db();
	struct slu_write_batch batch;

	slu_write_batch_init(&batch, loop, db);
	for (int i = 0; i < n; i++) {
		things[i] = (struct thing){
			.item = {.store = store, .done = done},
			.number = i,
			.bad = i == bad,
		};
		slu_write_batch_add(&batch, &things[i].item);
	}
	ck_assert_int_eq(rows(db), 0);
	for (int i = 0; i < 10; i++)
		slu_loop_turn(loop, 0.01, NULL);
	ck_assert_int_eq(rows(db), n - (bad >= 0));
	for (int i = 0; i < n; i++) {
		expect(things[i].done == 1, "item %d", i);
		expect(things[i].failed == (i == bad), "item %d", i);
	}
	slu_db_close(db);
	slu_loop_free(loop);
	free(things);
}

START_TEST(test_one_item)
{
	store_things(1, -1);
}
END_TEST

START_TEST(test_thousand_items)
{
	store_things(1000, -1);
}
END_TEST

START_TEST(test_bad_one_alone_fails)
{
	store_things(300, 17);
}
END_TEST

START_TEST(test_flush)
{
	struct slu_loop *loop = slu_loop_new(NULL);
	struct slu_db *db = open_db();
	struct thing t = {.item = {.store = store, .done = done}};
	struct slu_write_batch batch;

	slu_write_batch_init(&batch, loop, db);
	slu_write_batch_flush(&batch);
	slu_write_batch_add(&batch, &t.item);
	slu_write_batch_flush(&batch);
	ck_assert_int_eq(t.done, 1);
	ck_assert_int_eq(rows(db), 1);
	slu_db_close(db);
	slu_loop_free(loop);
}
END_TEST

/* While another process writes, all items fail after one wait, not after one
 * wait each. */
START_TEST(test_locked)
{
	enum { N = 200 };
	struct slu_loop *loop = slu_loop_new(NULL);
	struct slu_db *db = open_db(), *other;
	static struct thing things[N];
	struct slu_write_batch batch;
	struct slu_err err;
	double began;

	other = slu_db_open(tmpfile_path("x.db"), SLU_DB_WRITE, &err);
	ck_assert_ptr_nonnull(other);
	expect_ok(slu_db_script(db, "PRAGMA busy_timeout = 100", &err), err);
	expect_ok(slu_db_begin(other, &err), err);
	slu_write_batch_init(&batch, loop, db);
	for (int i = 0; i < N; i++) {
		things[i] = (struct thing){.item = {.store = store,
						    .done = done,
						    .retry_busy = i % 2},
					   .number = i};
		slu_write_batch_add(&batch, &things[i].item);
	}
	began = slu_now_mono();
	slu_loop_turn(loop, 0, NULL);
	ck_assert_double_lt(slu_now_mono() - began, N * 0.1 / 2);
	for (int i = 0; i < N; i++)
		ck_assert(i % 2 ? !things[i].done
				: things[i].failed == 1 &&
					  things[i].why == SLU_IO);
	slu_db_rollback(other);
	slu_write_batch_add(&batch, &things[0].item);
	slu_write_batch_flush(&batch);
	ck_assert_int_eq(rows(db), N / 2 + 1);
	/* At the end nobody can wait. */
	expect_ok(slu_db_begin(other, &err), err);
	slu_write_batch_add(&batch, &things[1].item);
	slu_write_batch_flush(&batch);
	ck_assert(things[1].done == 2 && things[1].failed == 1);
	slu_db_rollback(other);
	slu_db_close(other);
	slu_db_close(db);
	slu_loop_free(loop);
}
END_TEST

TEST_MAIN("sluiced_batch", test_one_item, test_thousand_items,
	  test_bad_one_alone_fails, test_flush, test_locked)
