/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the sending side of a push against the receiving one; slu_http_post()
 * is replaced by what sluiced does with the body. */
#include "config.h"
#include "sysmap/push.h"
#include "sysmap/database/receive.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;
static struct slu_receiver *receiver;
static const char *answer; /* instead of the receiver's; "" is no answer */
static int posts;

int slu_http_post(struct slu_http *http, const char *path, const void *body,
		  size_t len, double deadline, struct slu_buf *reply,
		  struct slu_err *e)
{
	(void)http, (void)deadline;
	posts++;
	if (answer && !*answer)
		return slu_err(e, SLU_TIMEOUT, "nobody answers");
	if (answer) {
		slu_buf_reset(reply);
		slu_buf_puts(reply, answer);
		return 0;
	}
	if (strcmp(path, "/v1/sysmap/hashes?host=n1") == 0)
		return slu_receive_hashes_body(receiver, "n1", body, len, 1,
					       reply, e);
	ck_assert_str_eq(path, "/v1/sysmap/documents");
	return slu_receive_documents_body(receiver, body, len, 1, reply, e);
}

static struct slu_map make_map(struct slu_document doc[2])
{
	static char *const texts[] = {"[{\"a\":\"\\u00e4\\/\\\"\"}]", "{}"};
	static const char *const names[] = {"disks", "hostid"};

	for (int i = 0; i < 2; i++)
		doc[i] = (struct slu_document){
			.extractor = names[i],
			.text = texts[i],
			.len = strlen(texts[i]),
			.hash = slu_document_hash(names[i], texts[i],
						  strlen(texts[i]))};
	return (struct slu_map){.document = doc, .n = 2};
}

START_TEST(test_push)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	struct slu_document doc[2];
	struct slu_map map = make_map(doc);
	struct slu_pushed pushed;

	receiver = slu_receiver_new(db, &err);
	expect_ok(slu_push(NULL, "n1", &map, 1, &pushed, &err), err);
	ck_assert_int_eq(posts, 2);
	ck_assert_uint_eq(pushed.documents, 2);
	expect_ok(slu_push(NULL, "n1", &map, 1, &pushed, &err), err);
	ck_assert_int_eq(posts, 3); /* a heartbeat: 8 bytes each */
	ck_assert_uint_eq(pushed.documents, 0);
	ck_assert_uint_eq(pushed.bytes, 16);
	doc[0].text = "[]";
	doc[0].len = 2;
	doc[0].hash = slu_document_hash("disks", "[]", 2);
	expect_ok(slu_push(NULL, "n1", &map, 1, &pushed, &err), err);
	ck_assert_uint_eq(pushed.documents, 1);
	slu_receiver_free(receiver);
	slu_db_close(db);
}
END_TEST

START_TEST(test_answers)
{
	static const struct {
		const char *answer;
		enum slu_kind kind;
		const char *words;
	} cases[] = {
		{"", SLU_TIMEOUT, "nobody answers"},
		{"hello", SLU_INVALID, "JSON"},
		{"{}", SLU_IO, "missing"},
		{"{\"missing\":3}", SLU_IO, "missing"},
	};
	struct slu_document doc[2];
	struct slu_map map = make_map(doc);
	struct slu_pushed pushed;

	each(c, cases)
	{
		answer = c->answer;
		expect_fail(slu_push(NULL, "n1", &map, 1, &pushed, &err), err,
			    c->kind, c->words);
	}
	expect_fail(slu_push(NULL, "n1&x", &map, 1, &pushed, &err), err,
		    SLU_INVALID, "no host name");
	answer = "{\"missing\":[0,9,-1,\"x\"]}"; /* odd, and harmless */
	expect_ok(slu_push(NULL, "n1", &map, 1, &pushed, &err), err);
}
END_TEST

TEST_MAIN("push", test_push, test_answers)
