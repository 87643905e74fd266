/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deletes buffers that ended long ago from the database. In batches, since a
 * buffer of a large job has many rows and sluiced must not block on them.
 */
#include "config.h"
#include <string.h>
#include "burst_buffer/lifecycle/record.h"
#include "common/str.h"

/* Buffers whose nodes have to clean up or be resumed stay until SLU_BB_FORGET
 * has passed. */
static const char old_sql[] =
	"SELECT BID FROM Buffer WHERE State = 6 AND Since < ?"
	" AND (Since < ? OR NOT EXISTS (SELECT 1 FROM BufferNode AS n"
	" WHERE n.BID = Buffer.BID AND (n.State = 6 OR n.Orders <> 0)))"
	" ORDER BY Since LIMIT ?";

static int find_old(struct slu_db *db, double before, size_t max,
		    struct slu_buf *ids, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(db, err, old_sql, "ddi", before,
					     before - SLU_BB_FORGET, (int)max);
	int64_t id;
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0) {
		id = slu_db_int(rows, 0);
		slu_buf_add(ids, &id, sizeof(id));
	}
	slu_db_done(rows);
	if (rc == 0 && ids->failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	return rc;
}

/* BufferGate is not listed: its rows are deleted when the buffer is done. */
static int delete (struct slu_db *db, int64_t id, struct slu_err *err)
{
	static const char *const sql[] = {
		"DELETE FROM BufferPhase WHERE BID = ?",
		"DELETE FROM BufferHistory WHERE BID = ?",
		"DELETE FROM BufferNode WHERE BID = ?",
		"DELETE FROM Buffer WHERE BID = ?",
	};

	for (size_t i = 0; i < sizeof(sql) / sizeof(sql[0]); i++)
		if (slu_db_exec(db, err, sql[i], "I", id) < 0)
			return -1;
	return 0;
}

static int delete_all(struct slu_db *db, const struct slu_buf *ids,
		      struct slu_err *err)
{
	int64_t id;

	for (size_t at = 0; at < ids->len; at += sizeof(id)) {
		memcpy(&id, ids->data + at, sizeof(id));
		if (delete (db, id, err) < 0)
			return -1;
	}
	return slu_db_commit(db, err);
}

long slu_buffers_prune(struct slu_db *db, double before, size_t max,
		       struct slu_err *err)
{
	struct slu_buf ids = {0};
	long n = -1;

	if (find_old(db, before, max, &ids, err) == 0 &&
	    slu_db_begin(db, err) == 0) {
		if (delete_all(db, &ids, err) == 0)
			n = (long)(ids.len / sizeof(int64_t));
		else
			slu_db_rollback(db);
	}
	slu_buf_free(&ids);
	return n;
}
