/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests queries of documents on a database as the original tool leaves it: n2
 * before n1, an old document of n1 beside the new one, texts with blanks, a
 * host without documents.
 */
#include "config.h"
#include "sysquery/query.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <sqlite3.h>
#include "common/jsonx.h"
#include "sysmap/database/receive.h"

static struct slu_err err;

/* As the original tool leaves it: n2 before n1, an old document of n1 beside
 * the new, texts with blanks, and a host without documents. */
static const char original[] =
	"create table Hosttable (HostID integer primary key autoincrement,"
	" Hostname text unique);"
	"create table Extractortable (EID integer primary key autoincrement,"
	" Name text unique);"
	"create table Datatable (DID integer primary key autoincrement,"
	" EID integer, Data text unique);"
	"create table Host2Data (HostID integer, DID integer);"
	"insert into Hosttable (Hostname) values ('n2'),('n1'),('bare');"
	"insert into Extractortable (Name) values ('swap'),('disks');"
	"insert into Datatable (EID, Data) values (2,'[{\"name\": \"sda\"}]'),"
	" (1,'[]'), (2,'[{\"size\":1.50}]');"
	"insert into Host2Data values (1,1),(1,2),(2,1),(2,3),(2,2);";

static struct slu_db *open_original(void)
{
	struct slu_db *db;
	sqlite3 *sqlite;

	sqlite3_open(tmpfile_path("old.db"), &sqlite);
	ck_assert_int_eq(sqlite3_exec(sqlite, original, NULL, NULL, NULL), 0);
	sqlite3_close(sqlite);
	db = slu_db_open(tmpfile_path("old.db"), SLU_DB_READ, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	return db;
}

static int ask(struct slu_db *db, const char *question, const char *args,
	       struct slu_buf *out)
{
	struct json_object *obj = NULL;
	int ret;

	if (args) {
		obj = slu_json_parse(args, strlen(args), &err);
		ck_assert_msg(obj != NULL, "%s", err.text);
	}
	slu_buf_reset(out);
	ret = slu_query_find(question)->answer(db, obj, out, &err);
	json_object_put(obj);
	return ret;
}

#define N2  "\"n2\":{\"swap\":[],\"disks\":[{\"name\": \"sda\"}]}"
#define N2D "\"n2\":{\"disks\":[{\"name\": \"sda\"}]}"
#define N1                                                     \
	"\"n1\":{\"swap\":[],\"disks\":[{\"name\": \"sda\"}]," \
	"\"disks\":[{\"size\":1.50}]}"
#define BARE "\"bare\":{}"

START_TEST(test_original)
{
	static const struct {
		const char *question, *args, *want;
	} cases[] = {
		{"resources", NULL, "{" N2 "," N1 "," BARE "}"},
		{"resources", "{}", "{" N2 "," N1 "," BARE "}"},
		{"resources", "{\"hosts\":[\"n1\",\"n2\"]}", "{" N2 "," N1 "}"},
		{"resources", "{\"hosts\":\"n[1-9]\"}", "{" N2 "," N1 "}"},
		{"resources", "{\"hosts\":[\"n2\"],\"extractors\":[\"disks\"]}",
		 "{" N2D "}"},
		{"resources", "{\"hosts\":[\"n2\"],\"extractors\":[\"x\"]}",
		 "{\"n2\":{}}"},
		{"resources", "{\"hosts\":[\"unknown\"]}", "{}"},
		{"resources", "{\"hosts\":[],\"extractors\":[]}",
		 "{" N2 "," N1 "," BARE "}"},
		{"hosts", NULL,
		 "[{\"host\":\"n2\",\"documents\":2},"
		 "{\"host\":\"n1\",\"documents\":3},"
		 "{\"host\":\"bare\",\"documents\":0}]"},
		{"extractors", NULL,
		 "[{\"extractor\":\"swap\",\"documents\":1,\"hosts\":2},"
		 "{\"extractor\":\"disks\",\"documents\":2,\"hosts\":2}]"},
		{"summary", "{\"hosts\":[\"bare\"]}", "[{\"host\":\"bare\"}]"},
		{"summary", "{\"hosts\":[\"n2\"]}",
		 "[{\"host\":\"n2\",\"disks\":1,\"disk_bytes\":0}]"},
	};
	struct slu_db *db = open_original();
	struct slu_buf out = {0};

	each(c, cases)
	{
		expect_ok(ask(db, c->question, c->args, &out), err);
		ck_assert_str_eq(out.data, c->want);
	}
	slu_buf_free(&out);
	slu_db_close(db);
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		const char *args, *words;
	} cases[] = {
		{"{\"hosts\":7}", "hosts"},
		{"{\"hosts\":[7]}", "hosts[0]"},
		{"{\"hosts\":\"n[1-\"}", "n[1-"},
		{"{\"extractors\":\"disks\"}", "extractors"},
		{"{\"extractors\":[null]}", "extractors[0]"},
	};
	struct slu_db *db = open_original();
	struct slu_buf out = {0}, small = {.max = 8};

	each(c, cases)
	{
		expect_fail(ask(db, "resources", c->args, &out), err,
			    SLU_INVALID, c->words);
	}
	expect_fail(ask(db, "resources", NULL, &small), err, SLU_NOMEM,
		    "too long");
	ck_assert_ptr_null(slu_query_find("nonsense"));
	slu_buf_free(&out);
	slu_buf_free(&small);
	slu_db_close(db);
}
END_TEST

/* A host of ours, by everything it said. */
START_TEST(test_summary)
{
	static const char *const texts[][2] = {
		{"disks", "[{\"size\":2,\"size_bytes\":1024},{\"size\":4},"
			  "{\"size_bytes\":7,\"removable\":true}]"},
		{"memoryinfo", "{\"TotalMemory\":4096}"},
		{"cpuinfo", "{\"CoreCount\":8,\"CorePerSocket\":2,"
			    "\"SocketCount\":2}"},
		{"mountpoints", "[{\"mountpoint\":\"/s\",\"filesystem\":"
				"\"xfs\",\"size\":100,\"options\":\"rw\","
				"\"category\":\"local\"}]"},
		{"mountusage", "[{\"mountpoint\":\"/s\",\"available\":50}]"},
	};
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_buf out = {0};

	each(t, texts)
	{
		struct slu_document doc = {
			.extractor = (*t)[0],
			.text = (char *)(*t)[1],
			.len = strlen((*t)[1]),
			.hash = slu_document_hash((*t)[0], (*t)[1],
						  strlen((*t)[1]))};
		struct slu_map map = {.document = &doc, .n = 1};

		expect_ok(slu_receive_map(r, "n1", &map, 77, &err), err);
	}
	expect_ok(ask(db, "summary", NULL, &out), err);
	ck_assert_str_eq(out.data,
			 "[{\"host\":\"n1\",\"storage\":\"/s\","
			 "\"filesystem\":\"xfs\",\"size\":100,"
			 "\"available\":50,\"disks\":2,\"disk_bytes\":3072,"
			 "\"memory\":4096,\"cores\":4,\"cpus\":8}]");
	expect_ok(ask(db, "hosts", NULL, &out), err);
	ck_assert_str_eq(out.data, "[{\"host\":\"n1\",\"documents\":5,"
				   "\"since\":77,\"last_seen\":77}]");
	slu_buf_free(&out);
	slu_receiver_free(r);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("resources", test_original, test_refused, test_summary)
