/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_RECEIVER_H
#define SLU_TESTS_RECEIVER_H

/* Creates a receiver of maps with its own database, and sends documents to it,
 * for tests. */

#include "sysmap/database/map_documents.h"
#include "sysmap/database/receive.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;
static struct slu_db *db;
static struct slu_receiver *r;

static inline void setup(void)
{
	db = slu_db_open(tmpfile_path("a.db"), SLU_DB_WRITE, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	r = slu_receiver_new(db, &err);
}

static inline void teardown(void)
{
	expect_ok(slu_db_check(db, &err), err);
	slu_receiver_free(r);
	slu_db_close(db);
}

static inline int64_t value(const char *sql)
{
	int64_t out;

	expect_ok(slu_db_value(db, &out, -1, &err, sql, ""), err);
	return out;
}

#define count(table) value("SELECT count(*) FROM " table)

static inline struct slu_document document(const char *extractor,
					   const char *text)
{
	return (struct slu_document){
		.extractor = extractor,
		.text = (char *)text,
		.len = strlen(text),
		.hash = slu_document_hash(extractor, text, strlen(text))};
}

static inline void put(const char *host, const char *extractor,
		       const char *text, int64_t now)
{
	struct slu_document doc = document(extractor, text);
	struct slu_map map = {.document = &doc, .n = 1};

	expect_ok(slu_receive_map(r, host, &map, now, &err), err);
}

/* Send one hash; was it missing? */
static inline bool missing(const char *host, const char *extractor,
			   const char *text, int64_t now)
{
	struct slu_document doc = document(extractor, text);
	bool out = false;

	expect_ok(slu_receive_hashes(r, host, &doc.hash, 1, now, &out, &err),
		  err);
	return out;
}

static inline const char *has(const char *host, const char *extractor)
{
	static struct slu_buf text;

	err = (struct slu_err){0};
	if (slu_documents_read(db, host, extractor, &text, &err) == 0)
		return text.data;
	ck_assert_int_eq(err.kind, SLU_NOTFOUND);
	return NULL;
}

#endif
