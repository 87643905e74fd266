/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads long texts by row number with SQLite's incremental blob I/O. Moving a
 * blob handle to another row costs half as much as a statement, and the bytes
 * are copied directly from the database's page to the caller's buffer. SQLite
 * cannot use a handle again whose move has failed, so the next move opens
 * another one.
 */
#include "config.h"
#include "store/column_texts.h"

#include <stdlib.h>
#include "store/db_private.h"

struct slu_texts {
	struct slu_db *db;
	const char *table, *column;
	sqlite3_blob *blob;
};

struct slu_texts *slu_texts_new(struct slu_db *db, const char *table,
				const char *column, struct slu_err *err)
{
	struct slu_texts *t = malloc(sizeof(*t));

	if (t)
		*t = (struct slu_texts){db, table, column, NULL};
	else
		slu_err(err, SLU_NOMEM, "database: out of memory");
	return t;
}

void slu_texts_free(struct slu_texts *t)
{
	if (!t)
		return;
	sqlite3_blob_close(t->blob);
	free(t);
}

int slu_texts_at(struct slu_texts *t, int64_t row, size_t *len,
		 struct slu_err *err)
{
	int code;

	if (t->blob)
		code = sqlite3_blob_reopen(t->blob, row);
	else
		code = sqlite3_blob_open(t->db->sqlite, "main", t->table,
					 t->column, row, 0, &t->blob);
	if (code == SQLITE_OK) {
		*len = (size_t)sqlite3_blob_bytes(t->blob);
		return 1;
	}
	if (code != SQLITE_ERROR)
		slu_db_fail(t->db, err);
	sqlite3_blob_close(t->blob);
	t->blob = NULL;
	return code == SQLITE_ERROR ? 0 : -1;
}

int slu_texts_read(struct slu_texts *t, size_t from, void *to, size_t len,
		   struct slu_err *err)
{
	if (sqlite3_blob_read(t->blob, to, (int)len, (int)from) != SQLITE_OK)
		return slu_db_fail(t->db, err);
	return 0;
}
