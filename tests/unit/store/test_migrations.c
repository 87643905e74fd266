/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the creation and upgrade of the database, also of one that the original
 * tool created. */
#include "config.h"
#include "store/migrations.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <sqlite3.h>

static struct slu_err err;

/* What the original tool's scripts make (INTERFACES, section 4). */
static const char original[] =
	"create table Hosttable (HostID integer primary key autoincrement,"
	" Hostname text unique);"
	"create table Extractortable (EID integer primary key autoincrement,"
	" Name text unique);"
	"create table Datatable (DID integer primary key autoincrement,"
	" EID integer, Data text unique);"
	"create table Host2Data (HostID integer, DID integer);";
static const char original_row[] =
	"insert or ignore into Hosttable (Hostname) values ('n1');"
	"insert or ignore into Extractortable (name) values ('disks');"
	"insert or ignore into Datatable (EID, Data) values ((select EID from "
	"Extractortable where Name = 'disks'), '[{\"name\":\"sda\"}]');"
	"insert into Host2Data (HostID, DID) select (select HostID from "
	"Hosttable where Hostname = 'n1'), (select DID from Datatable where "
	"Data = '[{\"name\":\"sda\"}]') where not exists (select 1 from "
	"Host2Data where HostID = (select HostID from Hosttable where "
	"Hostname = 'n1') AND DID = (select DID from Datatable where "
	"Data = '[{\"name\":\"sda\"}]'));";

static void script(const char *path, const char *sql)
{
	sqlite3 *sqlite;
	char *text = NULL;

	ck_assert_int_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
	sqlite3_exec(sqlite, sql, NULL, NULL, &text);
	ck_assert_msg(!text, "%s: %s", sql, text);
	sqlite3_close(sqlite);
}

static int64_t value(struct slu_db *db, const char *sql)
{
	int64_t out;

	expect_ok(slu_db_value(db, &out, -1, &err, sql, ""), err);
	return out;
}

static const char *const ours[] = {"Datahash", "Hostseen", "Change", "History",
				   "Assignment"};

START_TEST(test_new_database)
{
	const char *path = tmpfile_path("a.db");
	struct slu_db *db = slu_db_open(path, SLU_DB_WRITE, &err);

	ck_assert_msg(db != NULL, "%s", err.text);
	ck_assert_int_eq(value(db, "PRAGMA user_version"), slu_schema_version);
	ck_assert_int_eq(value(db, "PRAGMA synchronous"), 2);
	each(t, ours) expect(slu_db_has(db, *t), "%s", *t);
	slu_db_close(db);
	script(path, original_row); /* the original tool writes into ours */
	script(path, original_row);
	db = slu_db_open(path, SLU_DB_WRITE, &err); /* again: nothing to do */
	ck_assert_int_eq(value(db, "SELECT count(*) FROM Host2Data"), 1);
	ck_assert_int_eq(value(db, "SELECT count(*) FROM Datatable"), 1);
	slu_db_close(db);
}
END_TEST

#define TEXTS_OF(name)                                                 \
	"SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND " \
	"name LIKE 'sqlite_autoindex_" name "%'"

/* A text is stored once: by nobody's unique index, whoever made the table and
 * whoever writes. Numbers that were given are not given again. */
START_TEST(test_texts_once)
{
	const char *path = tmpfile_path("a.db");
	struct slu_db *db;

	script(path, original);
	script(path, original_row);
	script(path, "insert into Datatable (EID, Data) values (1, '[7]'), "
		     "(1, NULL), (1, '[8]'); delete from Datatable where "
		     "Data = '[8]'");
	db = slu_db_open(path, SLU_DB_READ, &err);
	ck_assert_int_eq(value(db, TEXTS_OF("Datatable")), 1);
	slu_db_close(db);
	db = slu_db_open(path, SLU_DB_WRITE, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	ck_assert_int_eq(value(db, TEXTS_OF("Datatable")), 0);
	slu_db_close(db);
	script(path, "insert or ignore into Datatable (EID, Data) values "
		     "(2, '[7]'), (1, '[9]'), (2, '[9]'), (1, NULL)");
	script(path, original_row);
	db = slu_db_open(path, SLU_DB_READ, &err);
	ck_assert_int_eq(value(db, "SELECT count(*) FROM Datatable"), 5);
	ck_assert_int_eq(value(db, "SELECT DID FROM Datatable WHERE Data = "
				   "'[7]' AND EID = 1"),
			 2);
	ck_assert_int_eq(value(db, "SELECT DID FROM Datatable WHERE Data = "
				   "'[9]' AND EID = 1"),
			 5);
	slu_db_close(db);
}
END_TEST

START_TEST(test_original)
{
	const char *path = tmpfile_path("a.db");
	struct slu_db *db;

	script(path, original);
	script(path, original_row);
	db = slu_db_open(path, SLU_DB_READ, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	each(t, ours) expect(!slu_db_has(db, *t), "%s", *t);
	ck_assert_int_eq(value(db, "SELECT count(*) FROM Host2Data"), 1);
	slu_db_close(db);
	db = slu_db_open(path, SLU_DB_WRITE, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	each(t, ours) expect(slu_db_has(db, *t), "%s", *t);
	ck_assert_int_eq(value(db, "SELECT count(*) FROM Host2Data"), 1);
	slu_db_close(db);
}
END_TEST

START_TEST(test_newer_database_is_refused)
{
	const char *path = tmpfile_path("a.db");
	enum slu_db_mode modes[] = {SLU_DB_READ, SLU_DB_WRITE};

	script(path, "PRAGMA user_version = 9999; CREATE TABLE x (y)");
	each(mode, modes)
	{
		err = (struct slu_err){0};
		ck_assert_ptr_null(slu_db_open(path, *mode, &err));
		expect_err(err, SLU_DENIED, "schema 9999");
	}
}
END_TEST

/* A step that fails leaves the database as it was. */
START_TEST(test_all_or_nothing)
{
	const char *path = tmpfile_path("a.db");
	struct slu_db *db;

	script(path, "CREATE TABLE Assignment (clash)");
	ck_assert_ptr_null(slu_db_open(path, SLU_DB_WRITE, &err));
	expect_err(err, SLU_INTERNAL, "Assignment already exists");
	db = slu_db_open(path, SLU_DB_READ, &err);
	ck_assert_int_eq(value(db, "PRAGMA user_version"), 0);
	ck_assert(!slu_db_has(db, "Hosttable"));
	slu_db_close(db);
}
END_TEST

/* What earlier programs called a start that failed keeps no data. */
START_TEST(test_failed_start)
{
	const char *path = tmpfile_path("a.db");
	struct slu_db *db;

	slu_db_close(slu_db_open(path, SLU_DB_WRITE, &err));
	script(path,
	       "INSERT INTO Buffer (JobID, Restarts, Uid, Nodes, State,"
	       " Created, Since, Plan, FailedIn) VALUES"
	       " (7, 0, 1, 1, 6, 1, 1, '{}', 3), (8, 0, 1, 1, 6, 1, 1, '{}', 4);"
	       "PRAGMA user_version = 22");
	db = slu_db_open(path, SLU_DB_WRITE, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	ck_assert_int_eq(value(db, "SELECT sum(FailedIn) FROM Buffer"), 1 + 4);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("migrations", test_new_database, test_texts_once, test_original,
	  test_newer_database_is_refused, test_all_or_nothing,
	  test_failed_start)
