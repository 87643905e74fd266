/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the receiver of pushed maps: each document is stored once, and only the
 * first host sends it. */
#include "config.h"
#include <malloc.h>
#include <pthread.h>
#include <unistd.h>
#include "tests/unit/sysmap/receiver.h"

/* Each document is stored once, and only the first host sends it. */
START_TEST(test_document_is_stored_once)
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
START_TEST(test_changes_are_remembered)
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

static size_t memory(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* What changes by the minute takes no more memory after months of it. */
START_TEST(test_dynamic_for_long)
{
	size_t before = 0;
	char text[32];

	setup();
	expect_ok(slu_db_begin(db, &err), err);
	for (int i = 0; i < 30000; i++) {
		if (i == 1000)
			before = memory();
		snprintf(text, sizeof(text), "[%d]", i);
		put("n1", "mountusage", text, i);
	}
	ck_assert_uint_lt(memory(), before + (256 << 10));
	expect_ok(slu_db_commit(db, &err), err);
	ck_assert_int_eq(count("Datahash"), 1);
	ck_assert(!missing("n2", "mountusage", "[29999]", 30000));
	ck_assert(missing("n2", "mountusage", "[29998]", 30000));
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

/* A change of any host's topology is reported, however it came, and the newest
 * is found. */
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

/* Another program writes the file: a restart, or the original tool, which has
 * no hashes. */
START_TEST(test_other_writers_of_the_database)
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

static void *commit_soon(void *other)
{
	struct slu_err why;

	usleep(300000); /* whoever comes now has looked, and waits */
	return slu_db_commit(other, &why) ? other : NULL;
}

/* Two that are begun at once for one host, by hand or by cron: the second
 * follows what the first has written. */
START_TEST(test_at_once)
{
	static const char *const second[] = {"[2]", "[3]"};
	struct slu_receiver *r2;
	struct slu_db *other;
	pthread_t thread;
	void *failed;

	setup();
	other = slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	r2 = slu_receiver_new(other, &err);
	each(text, second)
	{
		struct slu_document doc = document("disks", "[2]");
		struct slu_map map = {.document = &doc, .n = 1};

		put("n1", "disks", "[1]", 10);
		expect_ok(slu_db_begin(other, &err), err);
		expect_ok(slu_receive_map(r2, "n1", &map, 20, &err), err);
		pthread_create(&thread, NULL, commit_soon, other);
		put("n1", "disks", *text, 20);
		pthread_join(thread, &failed);
		ck_assert_ptr_null(failed);
		ck_assert_str_eq(has("n1", "disks"), *text);
		ck_assert_int_eq(count("Host2Data"), 1);
	}
	slu_receiver_free(r2);
	slu_db_close(other);
	teardown();
}
END_TEST

/* A database with hashes of another function. */
START_TEST(test_rehash)
{
	setup();
	put("n1", "disks", "[1]", 10);
	put("n1", "disks", "[2]", 20);
	expect_ok(slu_db_script(
			  db,
			  "UPDATE Datahash SET Hash = 10 + DID; "
			  "ALTER TABLE Change DROP COLUMN Bytes; "
			  "ALTER TABLE History DROP COLUMN Suspended; "
			  "ALTER TABLE Buffer DROP COLUMN Aged; "
			  "ALTER TABLE Buffer DROP COLUMN Without; "
			  "ALTER TABLE BufferNode DROP COLUMN UsedMost; "
			  "ALTER TABLE History DROP COLUMN IonTimes; "
			  "ALTER TABLE History DROP COLUMN IonPredicted; "
			  "ALTER TABLE History DROP COLUMN IonStatic; "
			  "ALTER TABLE History DROP COLUMN IonAlone; "
			  "ALTER TABLE History DROP COLUMN IonError; "
			  "ALTER TABLE History DROP COLUMN Waited; "
			  "ALTER TABLE BufferNode DROP COLUMN Keeping; "
			  "ALTER TABLE BufferPhase DROP COLUMN CacheHits; "
			  "ALTER TABLE BufferPhase DROP COLUMN CacheMisses; "
			  "ALTER TABLE BufferPhase DROP COLUMN CacheBytes; "
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

/* The past of one host and extractor has a quota: its oldest goes. */
START_TEST(test_quota)
{
	static char text[SLU_WORKLOAD_MAX / 4];

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

TEST_MAIN("receive", test_document_is_stored_once, test_changes_are_remembered,
	  test_dynamic_for_long, test_prune, test_heartbeat, test_flush_few,
	  test_topologies, test_flush_fails, test_same_text,
	  test_other_writers_of_the_database, test_at_once, test_rehash,
	  test_quota)
