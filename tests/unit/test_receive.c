/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "sysmap/receive.h"
#include "sysmap/documents.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;
static struct slu_db *db;
static struct slu_receiver *r;

static void setup(void)
{
	db = slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	r = slu_receiver_new(db, &err);
}

static void teardown(void)
{
	expect_ok(slu_db_check(db, &err), err);
	slu_receiver_free(r);
	slu_db_close(db);
}

static int64_t value(const char *sql)
{
	int64_t out;

	expect_ok(slu_db_value(db, &out, -1, &err, sql, ""), err);
	return out;
}

#define count(table) value("SELECT count(*) FROM " table)

static struct slu_document document(const char *extractor, const char *text)
{
	return (struct slu_document){
		.extractor = extractor,
		.text = (char *)text,
		.len = strlen(text),
		.hash = slu_document_hash(extractor, text, strlen(text))};
}

static void put(const char *host, const char *extractor, const char *text,
		int64_t now)
{
	struct slu_document doc = document(extractor, text);
	struct slu_map map = {.document = &doc, .n = 1};

	expect_ok(slu_receive_map(r, host, &map, now, &err), err);
}

/* Send one hash; was it missing? */
static bool missing(const char *host, const char *extractor, const char *text,
		    int64_t now)
{
	struct slu_document doc = document(extractor, text);
	bool out = false;

	expect_ok(slu_receive_hashes(r, host, &doc.hash, 1, now, &out, &err),
		  err);
	return out;
}

static const char *has(const char *host, const char *extractor)
{
	static struct slu_buf text;

	err = (struct slu_err){0};
	if (slu_documents_read(db, host, extractor, &text, &err) == 0)
		return text.data;
	ck_assert_int_eq(err.kind, SLU_NOTFOUND);
	return NULL;
}

/* Each document is stored once, and only the first host sends it. */
START_TEST(test_once)
{
	setup();
	ck_assert(missing("n1", "disks", "[1]", 10));
	ck_assert_int_eq(count("Hosttable"), 0);
	put("n1", "disks", "[1]", 10);
	ck_assert(!missing("n1", "disks", "[1]", 20));
	ck_assert(!missing("n2", "disks", "[1]", 30)); /* linked by this */
	ck_assert_str_eq(has("n2", "disks"), "[1]");
	ck_assert(missing("n2", "partitions", "[1]", 30));
	ck_assert_int_eq(count("Datatable"), 1);
	ck_assert_int_eq(count("Host2Data"), 2);
	ck_assert_int_eq(count("Change"), 0);
	teardown();
}
END_TEST

/* What was there before is remembered, and what is dynamic is not. */
START_TEST(test_change)
{
	setup();
	put("n1", "disks", "[1]", 10);
	put("n1", "disks", "[2]", 20);
	put("n1", "disks", "[2]", 25);
	ck_assert(!missing("n1", "disks", "[1]", 30)); /* back again */
	ck_assert_str_eq(has("n1", "disks"), "[1]");
	ck_assert_int_eq(count("Host2Data"), 1);
	ck_assert_int_eq(count("Datatable"), 2);
	ck_assert_int_eq(value("SELECT group_concat(Since || '-' || Until) = "
			       "'10-20,20-30' FROM Change"),
			 1);
	ck_assert_int_eq(value("SELECT Since FROM Hostseen"), 30);

	put("n1", "mountusage", "[1]", 10);
	put("n2", "mountusage", "[1] ", 10); /* the same, as JSON sees it */
	put("n1", "mountusage", "[3]", 20);
	ck_assert_str_eq(has("n1", "mountusage"), "[3]");
	ck_assert_int_eq(count("Datatable"), 4);
	put("n2", "mountusage", "[3]", 20);
	ck_assert_int_eq(count("Datatable"), 3); /* nobody's: gone */
	ck_assert_int_eq(count("Datahash"), 3);
	ck_assert_int_eq(count("Change"), 2);
	ck_assert(missing("n3", "mountusage", "[1]", 30));
	teardown();
}
END_TEST

/* What a host had long ago goes; what is in use elsewhere, or was since, stays.
 */
START_TEST(test_prune)
{
	setup();
	put("n1", "disks", "[1]", 10);
	put("n1", "disks", "[2]", 20);
	put("n1", "disks", "[3]", 30);
	put("n2", "disks", "[2]", 30);
	put("n1", "disks", "[1]", 40);
	put("n1", "disks", "[4]", 50);
	ck_assert_int_eq(count("Change"), 4); /* 1, 2, 3, 1 */
	ck_assert_int_eq(slu_receiver_prune(r, 20, 9, &err), 0);
	ck_assert_int_eq(slu_receiver_prune(r, 41, 2, &err), 2);
	ck_assert_int_eq(count("Datatable"), 4); /* 1 was since, n2 has 2 */
	ck_assert_int_eq(slu_receiver_prune(r, 41, 2, &err), 1);
	ck_assert_int_eq(count("Datatable"), 3);
	ck_assert_int_eq(count("Datahash"), 3);
	ck_assert(missing("n3", "disks", "[3]", 60)); /* it is forgotten */
	put("n3", "disks", "[3]", 60);
	ck_assert_str_eq(has("n3", "disks"), "[3]");
	ck_assert_str_eq(has("n1", "disks"), "[4]");
	teardown();
}
END_TEST

/* A heartbeat without news writes nothing; the times are written on demand. */
START_TEST(test_heartbeat)
{
	struct slu_db *reader;
	int64_t before, after;

	setup();
	put("n1", "disks", "[1]", 10);
	put("n1", "hostid", "{}", 10);
	reader = slu_db_open(tmpfile_path("a.db"), SLU_DB_READ, &err);
	slu_db_value(reader, &before, 0, &err, "PRAGMA data_version", "");
	for (int i = 0; i < 100; i++)
		ck_assert(!missing("n1", "disks", "[1]", 100 + i));
	slu_db_value(reader, &after, 0, &err, "PRAGMA data_version", "");
	ck_assert_int_eq(before, after);
	slu_db_close(reader);
	ck_assert_int_eq(value("SELECT max(LastSeen) FROM Hostseen"), 10);
	expect_ok(slu_receiver_flush(r, 100, &err), err);
	ck_assert_int_eq(value("SELECT max(LastSeen) FROM Hostseen"), 199);
	ck_assert_int_eq(value("SELECT min(LastSeen) FROM Hostseen"), 10);
	teardown();
}
END_TEST

/* A few hosts at a time, each in its turn. */
START_TEST(test_flush_few)
{
	static const char *const hosts[] = {"n1", "n2", "n3", "n4", "n5"};

	setup();
	each(h, hosts) put(*h, "disks", "[1]", 10);
	each(h, hosts) ck_assert(!missing(*h, "disks", "[1]", 20));
	slu_receiver_forget(r); /* as others wrote */
	for (int done = 2; done <= 4; done += 2) {
		ck_assert_int_eq(slu_receiver_flush(r, 2, &err), 1);
		ck_assert_int_eq(value("SELECT count(*) FROM Hostseen WHERE "
				       "LastSeen = 20"),
				 done);
	}
	ck_assert_int_eq(slu_receiver_flush(r, 2, &err), 0);
	ck_assert_int_eq(value("SELECT min(LastSeen) FROM Hostseen"), 20);
	ck_assert(!missing("n1", "disks", "[1]", 30));
	ck_assert_int_eq(slu_receiver_flush(r, 2, &err), 0);
	ck_assert_int_eq(value("SELECT max(LastSeen) FROM Hostseen"), 30);
	teardown();
}
END_TEST

/* It is told when a host has another topology, however it came to it, and
 * the newest is found. */
START_TEST(test_topologies)
{
	struct slu_buf text = {0};
	struct slu_db *other;

	setup();
	expect_fail(slu_documents_newest(db, "topology", &text, &err), err,
		    SLU_NOTFOUND, "of any host");
	put("n1", "disks", "[]", 10);
	ck_assert_uint_eq(slu_receiver_topologies(r), 0);
	put("n1", "topology", "[1]", 20);
	ck_assert_uint_eq(slu_receiver_topologies(r), 1);
	ck_assert(!missing("n1", "topology", "[1]", 30));
	ck_assert_uint_eq(slu_receiver_newcomers(r), 1);
	ck_assert(!missing("n2", "disks", "[]", 30));
	ck_assert_uint_eq(slu_receiver_newcomers(r), 2);
	ck_assert_uint_eq(slu_receiver_topologies(r), 1);
	put("n2", "topology", "[2]", 40);
	expect_ok(slu_documents_newest(db, "topology", &text, &err), err);
	ck_assert_str_eq(text.data, "[2]");
	ck_assert(!missing("n3", "topology", "[1]", 50));
	ck_assert_uint_eq(slu_receiver_topologies(r), 3);
	expect_ok(slu_documents_newest(db, "topology", &text, &err), err);
	ck_assert_str_eq(text.data, "[1]");
	slu_buf_free(&text);
	/* What others wrote may have been one: seen at the next push. */
	other = slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	ck_assert_ptr_nonnull(other);
	expect_ok(slu_db_script(other, "UPDATE Hostseen SET Since = 55", &err),
		  err);
	slu_db_close(other);
	ck_assert(!missing("n2", "disks", "[]", 60));
	ck_assert_uint_eq(slu_receiver_topologies(r), 4);
	ck_assert(!missing("n2", "disks", "[]", 70));
	ck_assert_uint_eq(slu_receiver_topologies(r), 4);
	/* The newest goes with its host. */
	put("n2", "disks", "[1]", 80);
	ck_assert_int_gt(slu_receiver_prune(r, 90, 9, &err), 0);
	ck_assert_uint_eq(slu_receiver_topologies(r), 5);
	teardown();
}
END_TEST

/* Times that could not be written are written the next time. */
START_TEST(test_flush_fails)
{
	setup();
	put("n1", "disks", "[1]", 10);
	put("n1", "hostid", "{}", 10);
	ck_assert(!missing("n1", "disks", "[1]", 200));
	ck_assert(!missing("n1", "hostid", "{}", 200));
	expect_ok(slu_db_script(db,
				"CREATE TEMP TRIGGER Refuse BEFORE UPDATE ON "
				"Hostseen WHEN (SELECT count(*) FROM Hostseen "
				"WHERE LastSeen > 10) BEGIN "
				"SELECT RAISE(FAIL, 'no'); END",
				&err),
		  err);
	ck_assert_int_eq(slu_receiver_flush(r, 100, &err), -1);
	expect_ok(slu_db_script(db, "DROP TRIGGER Refuse", &err), err);
	expect_ok(slu_receiver_flush(r, 100, &err), err);
	ck_assert_int_eq(value("SELECT min(LastSeen) FROM Hostseen"), 200);
	teardown();
}
END_TEST

/* Each extractor has a row of its own for the same text. */
START_TEST(test_same_text)
{
	setup();
	put("n1", "disks", "[]", 10);
	put("n1", "partitions", "[]", 10);
	put("n1", "mountusage", "[]", 10);
	put("n2", "partitions", "[]", 10);
	ck_assert_str_eq(has("n1", "disks"), "[]");
	ck_assert_str_eq(has("n1", "partitions"), "[]");
	ck_assert_str_eq(has("n2", "partitions"), "[]");
	ck_assert_int_eq(count("Datatable"), 3);
	ck_assert(!missing("n1", "partitions", "[]", 20));
	ck_assert(!missing("n3", "mountusage", "[]", 20));
	teardown();
}
END_TEST

/* Another program writes the file behind our back: a restart, or the original
 * tool, which knows of no hashes. */
START_TEST(test_others)
{
	struct slu_db *other;

	setup();
	put("n1", "disks", "[1]", 10);
	ck_assert(!missing("n1", "disks", "[1]", 20));
	other = slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	expect_ok(slu_db_script(
			  other,
			  "INSERT INTO Datatable (EID, Data) VALUES (1, "
			  "'[9]'); UPDATE Host2Data SET DID = (SELECT DID FROM "
			  "Datatable WHERE Data = '[9]')",
			  &err),
		  err);
	slu_db_close(other);
	ck_assert(missing("n1", "disks", "[9]", 30));
	put("n1", "disks", "[9]", 30);
	ck_assert(!missing("n1", "disks", "[9]", 40));
	ck_assert_int_eq(count("Datatable"), 2);
	slu_receiver_free(r);
	r = slu_receiver_new(db, &err);
	ck_assert(!missing("n1", "disks", "[9]", 50));
	teardown();
}
END_TEST

/* A database whose hashes are of another function. */
START_TEST(test_rehash)
{
	setup();
	put("n1", "disks", "[1]", 10);
	put("n1", "disks", "[2]", 20);
	expect_ok(slu_db_script(db,
				"UPDATE Datahash SET Hash = 10 + DID; "
				"ALTER TABLE Change DROP COLUMN Bytes; "
				"ALTER TABLE History DROP COLUMN Suspended; "
				"PRAGMA user_version = 11",
				&err),
		  err);
	teardown();
	setup();
	ck_assert_int_eq(value("SELECT Bytes FROM Change"), 3);
	ck_assert(missing("n1", "disks", "[2]", 30));
	put("n1", "disks", "[2]", 30);
	ck_assert(!missing("n1", "disks", "[2]", 40));
	ck_assert(!missing("n2", "disks", "[1]", 40));
	ck_assert_int_eq(count("Datatable"), 2);
	ck_assert_int_eq(count("Change"), 1);
	teardown();
}
END_TEST

/* One bad document, and none of its push is stored; the same within a
 * transaction of the caller's. */
START_TEST(test_whole)
{
	struct slu_buf reply = {0};
	const char *bad = "{\"host\":\"n1\",\"documents\":"
			  "{\"disks\":\"[1]\",\"hostid\":\"{\"}}";

	setup();
	expect_fail(slu_receive_documents_body(r, bad, strlen(bad), 1, &reply,
					       &err),
		    err, SLU_INVALID, "hostid");
	ck_assert_int_eq(count("Datatable"), 0);
	expect_ok(slu_db_begin(db, &err), err);
	put("n1", "disks", "[1]", 10);
	ck_assert(!missing("n1", "disks", "[1]", 10));
	slu_db_rollback(db);
	slu_receiver_forget(r);
	ck_assert(missing("n1", "disks", "[1]", 10));
	slu_buf_free(&reply);
	teardown();
}
END_TEST

START_TEST(test_bodies)
{
	const char *push = "{\"host\":\"n1\",\"documents\":"
			   "{\"disks\":\"[{\\\"name\\\":\\\"sda\\\"}]\","
			   "\"hostid\":\"{\\\"a\\\": 1.50}\"}}";
	unsigned char hashes[24] = {0};
	struct slu_buf reply = {0};
	uint64_t hash;
	char *host;

	setup();
	host = slu_receive_host(push, strlen(push), &err);
	ck_assert_str_eq(host, "n1");
	free(host);
	expect_ok(slu_receive_documents_body(r, push, strlen(push), 5, &reply,
					     &err),
		  err);
	ck_assert_str_eq(reply.data, "{}");
	ck_assert_str_eq(has("n1", "hostid"), "{\"a\": 1.50}"); /* unchanged */
	hash = slu_document_hash("hostid", "{\"a\": 1.50}", 11);
	for (int i = 0; i < 8; i++)
		hashes[8 + i] = (unsigned char)(hash >> (8 * i));
	expect_ok(slu_receive_hashes_body(r, "n1", hashes, 24, 6, &reply, &err),
		  err);
	ck_assert_str_eq(reply.data, "{\"missing\":[0,2]}");
	expect_ok(slu_receive_hashes_body(r, "n1", hashes, 0, 6, &reply, &err),
		  err);
	ck_assert_str_eq(reply.data, "{\"missing\":[]}");
	slu_buf_free(&reply);
	teardown();
}
END_TEST

/* What this sluiced does not know, a newer sysmap may: the rest is taken. */
START_TEST(test_unknown)
{
	const char *push = "{\"host\":\"n1\",\"documents\":{\"disks\":\"[1]\","
			   "\"newer\":\"[2]\",\"a;b\":\"[3\",\"\":4,"
			   "\"filesystems\":\"[5]\"}}";
	struct slu_buf reply = {0};

	setup();
	expect_ok(slu_receive_documents_body(r, push, strlen(push), 5, &reply,
					     &err),
		  err);
	ck_assert_str_eq(has("n1", "disks"), "[1]");
	ck_assert_str_eq(has("n1", "filesystems"), "[5]"); /* a probe's */
	ck_assert_int_eq(count("Datatable"), 2);
	ck_assert_int_eq(count("Extractortable"), 2);
	ck_assert(missing("n1", "newer", "[2]", 6));
	slu_buf_free(&reply);
	teardown();
}
END_TEST

/* The past of one host and extractor has a quota: its oldest goes. */
START_TEST(test_quota)
{
	static char text[SLU_PAST_MAX / 4];

	setup();
	put("n2", "disks", "[0]", 1);
	put("n2", "disks", "[1]", 2);
	for (int i = 0; i < 8; i++) {
		memset(text, ' ', sizeof(text) - 1);
		text[0] = '[';
		text[1] = (char)('0' + i);
		text[sizeof(text) - 2] = ']';
		put("n1", "disks", text, 10 + i);
	}
	ck_assert_int_eq(count("Change"), 5); /* 3 to 6, and n2's */
	ck_assert_int_eq(count("Datatable"), 7);
	ck_assert_int_eq(count("Datahash"), 7);
	ck_assert_int_eq(value("SELECT min(Since) FROM Change WHERE HostID = "
			       "(SELECT HostID FROM Hosttable WHERE Hostname = "
			       "'n1')"),
			 13);
	text[1] = '2'; /* was forgotten */
	ck_assert(missing("n1", "disks", text, 20));
	text[1] = '3'; /* is its past's, and then the oldest */
	ck_assert(!missing("n1", "disks", text, 20));
	ck_assert_str_eq(has("n1", "disks"), text);
	teardown();
}
END_TEST

#define DEEP "[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]"

START_TEST(test_refused)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
		{"", "not JSON"},
		{"[]", "host"},
		{"{\"documents\":{}}", "host"},
		{"{\"host\":\"\",\"documents\":{}}", "no host name"},
		{"{\"host\":\"a b\",\"documents\":{}}", "no host name"},
		{"{\"host\":\"n1\"}", "documents: not an object"},
		{"{\"host\":\"n1\",\"documents\":[]}", "not an object"},
		{"{\"host\":\"n1\",\"documents\":{\"disks\":[1]}}",
		 "not a text"},
		{"{\"host\":\"n1\",\"documents\":{\"disks\":\"[1\"}}",
		 "disks: "},
		{"{\"host\":\"n1\",\"documents\":{\"disks\":\"[\\\"\xff"
		 "\\\"]\"}}",
		 "disks: not UTF-8"},
		{"{\"host\":\"n1\",\"documents\":{\"topology\":"
		 "\"[{\\\"switch\\\":\\\"a\\\"},{\\\"switch\\\":\\\"a\\\"}]\"}}",
		 "topology: switch a is there twice"},
		{"{\"host\":\"n1\",\"documents\":{\"topology\":\"{}\"}}",
		 "topology: topology: not an array"},
		{"{\"host\":\"n1\",\"documents\":{\"disks\":\"" DEEP "\"}}",
		 "disks: not JSON at byte 24: nesting"},
	};
	char hashes[8 * (SLU_RECEIVE_HASHES_MAX + 1)] = {0};
	struct slu_buf reply = {0};

	setup();
	each(c, cases)
	{
		expect_fail(slu_receive_documents_body(r, c->body,
						       strlen(c->body), 1,
						       &reply, &err),
			    err, SLU_INVALID, c->words);
	}
	expect_fail(
		slu_receive_hashes_body(r, "n1", hashes, 7, 1, &reply, &err),
		err, SLU_INVALID, "7 bytes");
	expect_fail(slu_receive_hashes_body(r, "n1", hashes, sizeof(hashes), 1,
					    &reply, &err),
		    err, SLU_INVALID, "at most");
	expect_fail(
		slu_receive_hashes_body(r, "../n1", hashes, 8, 1, &reply, &err),
		err, SLU_INVALID, "no host name");
	ck_assert_ptr_null(reply.data);
	ck_assert_int_eq(count("Hosttable"), 0);
	teardown();
}
END_TEST

TEST_MAIN("receive", test_once, test_change, test_prune, test_heartbeat,
	  test_flush_few, test_topologies, test_flush_fails, test_same_text,
	  test_others, test_rehash, test_whole, test_bodies, test_unknown,
	  test_quota, test_refused)
