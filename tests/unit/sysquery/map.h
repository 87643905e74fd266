/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_MAP_H
#define SLU_TESTS_MAP_H

/* Creates a resource map in the test's own database, and asks questions about
 * it. */

#include "common/jsonx.h"
#include "sysmap/database/receive.h"
#include "sysquery/query.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

/* A host has this document from then on. */
static inline void map_put(const char *host, const char *extractor,
			   const char *text, int64_t now)
{
	struct slu_db *db =
		slu_db_open(tmpfile_path("map.db"), SLU_DB_WRITE, &err);
	struct slu_receiver *r = slu_receiver_new(db, &err);
	struct slu_document doc = {
		.extractor = extractor,
		.text = (char *)(uintptr_t)text,
		.len = strlen(text),
		.hash = slu_document_hash(extractor, text, strlen(text))};
	struct slu_map map = {.document = &doc, .n = 1};

	expect_ok(slu_receive_map(r, host, &map, now, &err), err);
	slu_receiver_free(r);
	slu_db_close(db);
}

/* Ask as sysquery -f does: 0 and the answer in *out, or -1 and err. */
static inline int map_ask(const char *question, const char *args,
			  struct slu_buf *out)
{
	struct json_object *obj = slu_json_parse(args, strlen(args), &err);
	struct slu_db *db =
		slu_db_open(tmpfile_path("map.db"), SLU_DB_READ, &err);
	int ret;

	ck_assert_msg(db && obj, "%s", err.text);
	slu_buf_reset(out);
	ret = slu_query_find(question)->answer(db, obj, out, &err);
	json_object_put(obj);
	slu_db_close(db);
	return ret;
}

struct map_case {
	const char *question, *args, *want;
};

#define map_check(cases)                                                 \
	do {                                                             \
		struct slu_buf out_ = {0};                               \
		each(c, cases)                                           \
		{                                                        \
			int ret_ = map_ask(c->question, c->args, &out_); \
			expect(ret_ == 0, "%s: %s", c->args, err.text);  \
			ck_assert_str_eq(out_.data, c->want);            \
		}                                                        \
		slu_buf_free(&out_);                                     \
	} while (0)

struct map_refused {
	const char *question, *args;
	enum slu_kind kind;
	const char *words;
};

#define map_check_refused(cases)                                               \
	do {                                                                   \
		struct slu_buf out_ = {0};                                     \
		each(c, cases)                                                 \
		{                                                              \
			expect_fail(map_ask(c->question, c->args, &out_), err, \
				    c->kind, c->words);                        \
		}                                                              \
		slu_buf_free(&out_);                                           \
	} while (0)

#endif
