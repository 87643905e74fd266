/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests opening databases that are new, damaged, read-only or not accessible.
 */
#include "config.h"
#include "tests/unit/store/store_db.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Another user, who may not write next to the file, can still read it. */
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

/* A page overwritten with rubbish is found. */
START_TEST(test_damaged_page_is_found)
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

/* A process that reads such a file does not block the next writer. */
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

TEST_MAIN("db open", test_load, test_load_read, test_load_crowd,
	  test_open_fails, test_read_only, test_unwritable_directory,
	  test_damaged_page_is_found, test_damaged)
