/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_STORE_DB_H
#define SLU_TESTS_STORE_DB_H

/* Opens a database below the test's own directory. */

#include "store/db.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_err err;

static inline struct slu_db *open_db(const char *name, enum slu_db_mode mode)
{
	struct slu_db *db = slu_db_open(tmpfile_path(name), mode, &err);

	ck_assert_msg(db != NULL, "%s", err.text);
	return db;
}

static inline int64_t value(struct slu_db *db, const char *sql)
{
	int64_t out;

	expect_ok(slu_db_value(db, &out, -1, &err, sql, ""), err);
	return out;
}

#endif
