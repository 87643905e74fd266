/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "store/private.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/clock.h"

static struct slu_err err;

static struct slu_db *open_db(const char *name, enum slu_db_mode mode)
{
	struct slu_db *db = slu_db_open(tmpfile_path(name), mode, &err);

	ck_assert_msg(db != NULL, "%s", err.text);
	return db;
}

static int64_t value(struct slu_db *db, const char *sql)
{
	int64_t out;

	expect_ok(slu_db_value(db, &out, -1, &err, sql, ""), err);
	return out;
}

START_TEST(test_binds)
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
	ck_assert_str_eq(slu_db_column(rows, 2), "c");
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

START_TEST(test_misuse)
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

START_TEST(test_open_fails)
{
	static const struct {
		const char *name;
		enum slu_db_mode mode;
		enum slu_kind kind;
		const char *words;
	} cases[] = {
		{"missing.db", SLU_DB_READ, SLU_NOTFOUND, "no such file"},
		{"no/dir.db", SLU_DB_WRITE, SLU_IO, "unable to open"},
		{"text.db", SLU_DB_READ, SLU_IO, "not a database"},
		{"text.db", SLU_DB_WRITE, SLU_IO, "not a database"},
	};
	FILE *f = fopen(tmpfile_path("text.db"), "w");

	for (int i = 0; i < 100; i++)
		fputs("This is a letter, not a database.\n", f);
	fclose(f);
	each(c, cases)
	{
		err = (struct slu_err){0};
		ck_assert_ptr_null(
			slu_db_open(tmpfile_path(c->name), c->mode, &err));
		expect_err(err, c->kind, c->words);
		expect_err(err, c->kind, tmpfile_path(c->name));
	}
}
END_TEST

START_TEST(test_read_only)
{
	struct slu_db *w = open_db("a.db", SLU_DB_WRITE);
	struct slu_db *r = open_db("a.db", SLU_DB_READ);

	ck_assert(slu_db_has(r, "Datahash"));
	ck_assert(!slu_db_has(r, "Nonsense"));
	expect_fail(slu_db_script(r, "DELETE FROM Hosttable", &err), err,
		    SLU_DENIED, "readonly");
	expect_ok(
		slu_db_script(w, "INSERT INTO Hosttable VALUES (1, 'a')", &err),
		err);
	ck_assert_int_eq(value(r, "SELECT count(*) FROM Hosttable"), 1);
	slu_db_close(r);
	slu_db_close(w);
}
END_TEST

/* Another user, who may not write beside the file, reads it all the same. */
START_TEST(test_unwritable_directory)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	const char *path = tmpfile_path("a.db");
	int status;
	pid_t pid;

	slu_db_close(db);
	if (!have_root())
		return;
	chmod(tmpdir(), 0755);
	chmod(path, 0644);
	pid = fork();
	if (pid == 0) {
		if (setuid(65534))
			_exit(1);
		db = slu_db_open(path, SLU_DB_READ, &err);
		if (!db)
			fprintf(stderr, "%s\n", err.text);
		_exit(db && slu_db_has(db, "Hosttable") ? 0 : 2);
	}
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(test_busy)
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

	b->busy.patience = 0.5;
	expect_ok(slu_db_begin(a, &err), err);
	begun = slu_now_mono();
	expect_fail(slu_db_begin(b, &err), err, SLU_BUSY, "locked");
	first = slu_now_mono() - begun;
	ck_assert_double_ge(first, 0.5);
	ck_assert_double_ge(b->busy.until, slu_now_mono() + 4 * first);
	for (int i = 0; i < 3; i++) {
		b->busy.patience = 1e9; /* then this would wait for ever */
		expect_fail(slu_db_begin(b, &err), err, SLU_BUSY, "locked");
	}
	expect_ok(slu_db_commit(a, &err), err);
	expect_ok(slu_db_begin(b, &err), err);
	slu_db_rollback(b);
	slu_db_close(a);
	slu_db_close(b);
}
END_TEST

/* A page overwritten with rubbish is found. */
START_TEST(test_check)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	char rubbish[16384];
	FILE *f;

	expect_ok(slu_db_check(db, &err), err);
	slu_db_close(db);
	memset(rubbish, 'x', sizeof(rubbish));
	f = fopen(tmpfile_path("a.db"), "r+");
	fseek(f, sizeof(rubbish), SEEK_SET);
	fwrite(rubbish, sizeof(rubbish), 1, f);
	fclose(f);
	db = slu_db_open(tmpfile_path("a.db"), SLU_DB_READ, &err);
	if (db) {
		ck_assert_int_eq(slu_db_check(db, &err), -1);
		ck_assert_int_eq(err.kind, SLU_IO);
	}
	slu_db_close(db);
}
END_TEST

/* A damaged file is not the caller's fault. */
START_TEST(test_damaged)
{
	struct slu_db *db = open_db("a.db", SLU_DB_WRITE);
	static char rubbish[1 << 20];
	int64_t n;
	FILE *f;

	expect_ok(slu_db_script(db,
				"CREATE TABLE Big AS WITH RECURSIVE c(x) AS "
				"(SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE "
				"x < 1000) SELECT x, hex(zeroblob(500)) FROM c",
				&err),
		  err);
	slu_db_close(db);
	f = fopen(tmpfile_path("a.db"), "r+");
	fseek(f, 16384, SEEK_SET);
	fwrite(rubbish, sizeof(rubbish), 1, f);
	fclose(f);
	db = slu_db_open(tmpfile_path("a.db"), SLU_DB_READ, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	expect_fail(slu_db_value(db, &n, 0, &err, "SELECT sum(x) FROM Big", ""),
		    err, SLU_IO, "malformed");
	slu_db_close(db);
}
END_TEST

/* A new file that is loaded gets its WAL at the end. */
START_TEST(test_load)
{
	static const enum slu_db_mode modes[] = {SLU_DB_LOAD, SLU_DB_WRITE,
						 SLU_DB_LOAD};
	static const char *const journals[] = {"delete", "wal", "wal"};
	struct slu_rows *rows;
	struct slu_err err;
	struct slu_db *db;

	for (int i = 0; i < 3; i++) {
		db = slu_db_open(tmpfile_path("load.db"), modes[i], &err);
		ck_assert_msg(db != NULL, "%s", err.text);
		rows = slu_db_query(db, &err, "PRAGMA journal_mode", "");
		ck_assert_int_eq(slu_db_step(rows, &err), 1);
		ck_assert_str_eq(slu_db_text(rows, 0), journals[i]);
		slu_db_done(rows);
		slu_db_close(db);
	}
}
END_TEST

/* Somebody who reads such a file does not keep the next one from writing. */
START_TEST(test_load_read)
{
	struct slu_db *first, *reader, *second;
	struct slu_err err;
	int64_t n;

	first = slu_db_open(tmpfile_path("load.db"), SLU_DB_LOAD, &err);
	ck_assert_msg(first != NULL, "%s", err.text);
	slu_db_close(first);
	reader = slu_db_open(tmpfile_path("load.db"), SLU_DB_READ, &err);
	ck_assert_msg(reader != NULL, "%s", err.text);
	expect_ok(slu_db_begin(reader, &err), err);
	expect_ok(slu_db_value(reader, &n, 0, &err,
			       "SELECT count(*) FROM Hosttable", ""),
		  err);
	second = slu_db_open(tmpfile_path("load.db"), SLU_DB_LOAD, &err);
	ck_assert_msg(second != NULL, "%s", err.text);
	expect_ok(slu_db_begin(second, &err), err);
	expect_ok(slu_db_commit(second, &err), err);
	slu_db_close(second);
	slu_db_rollback(reader);
	slu_db_close(reader);
}
END_TEST

/* Several that make the same file at once wait for one another. */
START_TEST(test_load_crowd)
{
	pid_t pid[6];
	struct slu_err err;
	struct slu_db *db;
	int status, go[2];
	char c;

	ck_assert_int_eq(pipe(go), 0);
	for (int i = 0; i < 6; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(2);
		db = slu_db_open(tmpfile_path("load.db"), SLU_DB_LOAD, &err);
		if (!db)
			fprintf(stderr, "%s\n", err.text);
		slu_db_close(db);
		_exit(db ? 0 : 1);
	}
	close(go[0]);
	close(go[1]); /* now */
	for (int i = 0; i < 6; i++) {
		ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
		ck_assert_int_eq(status, 0);
	}
}
END_TEST

TEST_MAIN("db", test_binds, test_load, test_load_read, test_load_crowd,
	  test_group, test_lost_group, test_misuse, test_statements, test_value,
	  test_transactions, test_killed, test_open_fails, test_read_only,
	  test_unwritable_directory, test_busy, test_busy_again, test_check,
	  test_damaged)
