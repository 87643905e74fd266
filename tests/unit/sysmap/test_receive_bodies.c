/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parsing of the bodies of pushes, valid and invalid ones. */
#include "config.h"
#include "tests/unit/sysmap/receiver.h"

/* One bad document, and none of its push is stored; the same within a
 * transaction of the caller's. */
START_TEST(test_bad_document_refuses_the_push)
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

/* A member of the body that this sluiced does not know may come from a newer
 * sysmap: it is ignored, and the rest is stored. */
START_TEST(test_unknown_members_are_accepted)
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

TEST_MAIN("receive bodies", test_bad_document_refuses_the_push, test_bodies,
	  test_unknown_members_are_accepted, test_refused)
