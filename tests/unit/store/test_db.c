/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the SQLite layer: bound values, statements, nested groups,
 * transactions, busy databases, and a process killed in a transaction. */
#include "config.h"
#include "store/db_private.h"
#include "tests/unit/store/store_db.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/clock.h"

START_TEST(test_bound_values_come_back)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	struct slu_rows *rows;

	ck_assert_int_eq(
		slu_db_exec(db, &err, "CREATE TABLE t (a, b, c, d, e, f)", ""),
		0);
	ck_assert_int_eq(slu_db_exec(db, &err,
				     "INSERT INTO t VALUES (?,?,?,?,?,?)",
				     "iIdssS", -7, INT64_MAX, 0.5, "it's",
				     (char *)NULL, "cut here", (size_t)3),
			 1);
	ck_assert_int_eq(slu_db_last_id(db), 1);
	rows = slu_db_query(db, &err, "SELECT * FROM t WHERE d = ?", "s",
			    "it's");
	ck_assert_int_eq(slu_db_step(rows, &err), 1);
	ck_assert_int_eq(slu_db_columns(rows), 6);
	ck_assert_str_eq(slu_db_column_name(rows, 2), "c");
	ck_assert_int_eq(slu_db_int(rows, 0), -7);
	ck_assert_int_eq(slu_db_int(rows, 1), INT64_MAX);
	ck_assert(slu_db_double(rows, 2) == 0.5);
	ck_assert_str_eq(slu_db_text(rows, 3), "it's");
	ck_assert_ptr_null(slu_db_text(rows, 4));
	ck_assert_str_eq(slu_db_text(rows, 5), "cut");
	ck_assert_uint_eq(slu_db_bytes(rows, 5), 3);
	ck_assert_int_eq(slu_db_step(rows, &err), 0);
	slu_db_done(rows);
	slu_db_close(db);
}
END_TEST

/* In a group each is undone by itself, and all are there together or not. */
START_TEST(test_group)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);

	slu_db_exec(db, &err, "CREATE TABLE t (a UNIQUE)", "");
	expect_ok(slu_db_begin_group(db, &err), err);
	expect_fail(slu_db_begin_group(db, &err), err, SLU_INTERNAL, "group");
	slu_db_exec(db, &err, "INSERT INTO t VALUES (1)", ""); /* alone */
	expect_ok(slu_db_begin(db, &err), err);
	slu_db_exec(db, &err, "INSERT INTO t VALUES (2)", "");
	expect_ok(slu_db_commit(db, &err), err);
	expect_ok(slu_db_begin(db, &err), err);
	slu_db_exec(db, &err, "INSERT INTO t VALUES (3)", "");
	expect_ok(slu_db_begin(db, &err), err);
	slu_db_exec(db, &err, "INSERT INTO t VALUES (4)", "");
	slu_db_rollback(db);
	expect_fail(slu_db_commit(db, &err), err, SLU_INTERNAL, "rolled back");
	slu_db_rollback(db);
	expect_ok(slu_db_begin(db, &err), err);
	slu_db_exec(db, &err, "INSERT INTO t VALUES (5)", "");
	expect_ok(slu_db_commit(db, &err), err);
	expect_ok(slu_db_commit(db, &err), err);
	ck_assert_int_eq(value(db, "SELECT group_concat(a, '') FROM t"), 125);
	expect_ok(slu_db_begin_group(db, &err), err);
	expect_ok(slu_db_begin(db, &err), err);
	slu_db_exec(db, &err, "INSERT INTO t VALUES (6)", "");
	expect_ok(slu_db_commit(db, &err), err);
	slu_db_rollback(db);
	ck_assert_int_eq(value(db, "SELECT group_concat(a, '') FROM t"), 125);
	slu_db_close(db);
}
END_TEST

/* SQLite undoes everything by itself: the rest of the group fails, and so does
 * its commit. */
START_TEST(test_lost_group)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);

	slu_db_exec(db, &err, "CREATE TABLE t (a)", "");
	slu_db_exec(db, &err,
		    "CREATE TRIGGER no BEFORE INSERT ON t WHEN NEW.a = 7"
		    " BEGIN SELECT RAISE(ROLLBACK, 'not seven'); END",
		    "");
	expect_ok(slu_db_begin_group(db, &err), err);
	expect_ok(slu_db_begin(db, &err), err);
	slu_db_exec(db, &err, "INSERT INTO t VALUES (1)", "");
	expect_ok(slu_db_commit(db, &err), err);
	expect_ok(slu_db_begin(db, &err), err);
	ck_assert_int_eq(slu_db_exec(db, &err, "INSERT INTO t VALUES (7)", ""),
			 -1);
	slu_db_rollback(db);
	expect_fail(slu_db_begin(db, &err), err, SLU_INTERNAL, "rolled back");
	expect_fail(slu_db_commit(db, &err), err, SLU_INTERNAL, "rolled back");
	slu_db_rollback(db);
	ck_assert_int_eq(value(db, "SELECT COUNT(*) FROM t"), 0);
	slu_db_exec(db, &err, "INSERT INTO t VALUES (2)", "");
	ck_assert_int_eq(value(db, "SELECT COUNT(*) FROM t"), 1);
	slu_db_close(db);
}
END_TEST

START_TEST(test_wrong_bindings_are_refused)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	static const struct {
		const char *sql, *fmt, *words;
		enum slu_kind kind;
	} cases[] = {
		{"SELECT ?", "", "binds not 1 values", SLU_INTERNAL},
		{"SELECT 1", "i", "binds not 0 values", SLU_INTERNAL},
		{"SELECT ?", "x", "unknown letter", SLU_INTERNAL},
		{"SELECT", "", "incomplete input", SLU_INTERNAL},
		{"SELECT * FROM nowhere", "", "no such table", SLU_INTERNAL},
		{" -- nothing", "", "empty statement", SLU_INVALID},
		{"INSERT INTO Datahash VALUES (1, NULL)", "", "NOT NULL",
		 SLU_INVALID},
	};

	each(c, cases)
	{
		expect_fail(slu_db_exec(db, &err, c->sql, c->fmt, 1), err,
			    c->kind, c->words);
	}
	slu_db_close(db);
}
END_TEST

/* The same text, nested in itself, and a text buffer used again. */
START_TEST(test_statements)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	const char *sql = "SELECT column1 FROM (VALUES (1), (2), (3))";
	struct slu_rows *out, *in;
	char buffer[32];
	int64_t sum = 0;

	out = slu_db_query(db, &err, sql, "");
	while (slu_db_step(out, &err) == 1) {
		in = slu_db_query(db, &err, sql, "");
		while (slu_db_step(in, &err) == 1)
			sum += slu_db_int(out, 0) * slu_db_int(in, 0);
		slu_db_done(in);
	}
	slu_db_done(out);
	ck_assert_int_eq(sum, 36);
	for (int i = 0; i < 1000; i++) {
		snprintf(buffer, sizeof(buffer), "SELECT %d", i);
		ck_assert_int_eq(value(db, buffer), i);
	}
	slu_db_done(NULL);
	slu_db_close(db);
}
END_TEST

START_TEST(test_value)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	int64_t out = 5;

	ck_assert_int_eq(value(db, "SELECT 17 UNION SELECT 18"), 17);
	ck_assert_int_eq(value(db, "SELECT 17 WHERE 0"), -1);
	expect_fail(slu_db_value(db, &out, 0, &err, "SELECT nope", ""), err,
		    SLU_INTERNAL, "nope");
	ck_assert_int_eq(out, 5);
	slu_db_close(db);
}
END_TEST

START_TEST(test_transactions)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	const char *add = "INSERT INTO Hosttable (Hostname) VALUES (?)";
	const char *count = "SELECT count(*) FROM Hosttable";

	/* nested: the inner commit is not the end */
	expect_ok(slu_db_begin(db, &err), err);
	expect_ok(slu_db_begin(db, &err), err);
	ck_assert_int_eq(slu_db_exec(db, &err, add, "s", "a"), 1);
	expect_ok(slu_db_commit(db, &err), err);
	slu_db_rollback(db);
	ck_assert_int_eq(value(db, count), 0);

	/* an inner rollback undoes all and dooms the rest */
	expect_ok(slu_db_begin(db, &err), err);
	ck_assert_int_eq(slu_db_exec(db, &err, add, "s", "a"), 1);
	expect_ok(slu_db_begin(db, &err), err);
	slu_db_rollback(db);
	expect_fail(slu_db_exec(db, &err, add, "s", "b"), err, SLU_INTERNAL,
		    "rolled back");
	expect_fail(slu_db_begin(db, &err), err, SLU_INTERNAL, "rolled back");
	expect_fail(slu_db_commit(db, &err), err, SLU_INTERNAL, "rolled back");
	slu_db_rollback(db);
	ck_assert_int_eq(value(db, count), 0);

	expect_ok(slu_db_begin(db, &err), err);
	ck_assert_int_eq(slu_db_exec(db, &err, add, "s", "a"), 1);
	expect_ok(slu_db_commit(db, &err), err);
	ck_assert_int_eq(value(db, count), 1);
	expect_fail(slu_db_commit(db, &err), err, SLU_INTERNAL,
		    "without a transaction");
	slu_db_rollback(db); /* harmless outside */
	ck_assert_int_eq(value(db, count), 1);
	slu_db_close(db);
}
END_TEST

/* A transaction that was not committed is gone after a kill. */
START_TEST(test_killed)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	const char *path = tmpfile_path("a.db");
	pid_t pid;

	slu_db_close(db);
	pid = fork();
	if (pid == 0) {
		db = slu_db_open(path, SLU_DB_WRITE, NULL);
		slu_db_script(db, "INSERT INTO Hosttable VALUES (1, 'in')",
			      NULL);
		slu_db_begin(db, NULL);
		slu_db_script(db, "INSERT INTO Hosttable VALUES (2, 'out')",
			      NULL);
		raise(SIGKILL);
	}
	waitpid(pid, NULL, 0);
	db = open_db("a.db", SLU_DB_WRITE);
	ck_assert_int_eq(value(db, "SELECT sum(HostID) FROM Hosttable"), 1);
	expect_ok(slu_db_check(db, &err), err);
	slu_db_close(db);
}
END_TEST

START_TEST(test_busy_database)
{
	struct slu_db *a = open_db("a.db", SLU_DB_WRITE);
	struct slu_db *b = open_db("a.db", SLU_DB_WRITE);

	expect_ok(slu_db_begin(a, &err), err);
	expect_ok(slu_db_script(b, "PRAGMA busy_timeout = 1", &err), err);
	expect_fail(slu_db_begin(b, &err), err, SLU_BUSY, "locked");
	expect_ok(slu_db_commit(a, &err), err);
	expect_ok(slu_db_begin(b, &err), err);
	slu_db_rollback(b);
	slu_db_close(a);
	slu_db_close(b);
	slu_db_close(NULL);
}
END_TEST

/* Who has waited in vain is for a while told so at once; what was kept from the
 * one who waits does not matter to another. */
START_TEST(test_busy_again)
{
	struct slu_db *a = open_db("a.db", SLU_DB_WRITE);
	struct slu_db *b = open_db("a.db", SLU_DB_WRITE);
	double begun, first;

	b->busy.timeout = 0.5;
	expect_ok(slu_db_begin(a, &err), err);
	begun = slu_now_mono();
	expect_fail(slu_db_begin(b, &err), err, SLU_BUSY, "locked");
	first = slu_now_mono() - begun;
	ck_assert_double_ge(first, 0.5);
	ck_assert_double_ge(b->busy.until, slu_now_mono() + 4 * first);
	for (int i = 0; i < 3; i++) {
		b->busy.timeout = 1e9; /* then this would wait for ever */
		expect_fail(slu_db_begin(b, &err), err, SLU_BUSY, "locked");
	}
	expect_ok(slu_db_commit(a, &err), err);
	expect_ok(slu_db_begin(b, &err), err);
	slu_db_rollback(b);
	slu_db_close(a);
	slu_db_close(b);
}
END_TEST

/* Another number after every write, and only then. */
START_TEST(test_stamp_changes_with_each_write)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE),
		      *other = open_db("a.db", SLU_DB_WRITE);
	uint64_t last = 0;

	ck_assert_int_eq(slu_db_exec(db, &err, "CREATE TABLE t (a)", ""), 0);
	for (int i = 0; i < 12; i++) {
		struct slu_rows *rows;
		uint64_t stamp;
		bool written = true;

		if (i % 4 == 0)
			slu_db_exec(db, &err, "INSERT INTO t VALUES (1)", "");
		else if (i % 4 == 1)
			slu_db_exec(other, &err, "DELETE FROM t", "");
		else
			written = false;
		rows = slu_db_query(db, &err, "SELECT COUNT(*) FROM t", "");
		ck_assert_int_eq(slu_db_step(rows, &err), 1);
		stamp = slu_db_stamp(db);
		ck_assert_int_eq(stamp != last, written);
		last = stamp;
		slu_db_done(rows);
	}
	ck_assert_int_eq(slu_db_begin(db, &err), 0);
	slu_db_exec(db, &err, "INSERT INTO t VALUES (1)", "");
	ck_assert_uint_ne(slu_db_stamp(db), last);
	last = slu_db_stamp(db);
	slu_db_rollback(db);
	ck_assert_uint_ne(slu_db_stamp(db), last);
	slu_db_close(other);
	slu_db_close(db);
}
END_TEST

/* As on a full disk: files may not grow. */
static int write_without_room(struct slu_db *db)
{
	const struct rlimit none = {0, 0};

	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &none) == 0 &&
	       slu_db_try_write(db, &err) < 0 && err.text[0];
}

START_TEST(test_try_write)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	int64_t before, after;
	pid_t pid;
	int status;

	slu_db_value(db, &before, 0, &err, "PRAGMA user_version", "");
	expect_ok(slu_db_try_write(db, &err), err);
	slu_db_value(db, &after, 0, &err, "PRAGMA user_version", "");
	ck_assert_int_eq(before, after);
	slu_db_close(db);
	pid = fork();
	if (pid == 0)
		_exit(write_without_room(open_db("a.db", SLU_DB_WRITE)) ? 0
									: 1);
	ck_assert(waitpid(pid, &status, 0) == pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

TEST_MAIN("db", test_stamp_changes_with_each_write, test_try_write,
	  test_bound_values_come_back, test_group, test_lost_group,
	  test_wrong_bindings_are_refused, test_statements, test_value,
	  test_transactions, test_killed, test_busy_database, test_busy_again)
