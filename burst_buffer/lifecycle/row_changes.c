/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks and ends a database transaction that changes a buffer's rows, and adds
 * its line to the buffer's history. */
#include "config.h"
#include "burst_buffer/lifecycle/row_changes.h"

int slu_rows_finish(struct slu_db *db, int rc, struct slu_err *err)
{
	if (rc == 0 && slu_db_commit(db, err) == 0)
		return 0;
	slu_db_rollback(db);
	return -1;
}

int slu_rows_one(long changed, const struct slu_bb *bb, struct slu_err *err)
{
	if (changed < 0)
		return -1;
	if (changed != 1)
		return slu_err(err, SLU_INTERNAL,
			       "buffer %llu is not %s in the database",
			       (unsigned long long)bb->id,
			       slu_bb_name((int)bb->state));
	return 0;
}

int slu_rows_history(struct slu_db *db, uint64_t id, enum slu_bb_state state,
		     const char *text, double now, struct slu_err *err)
{
	return slu_db_exec(db, err,
			   "INSERT INTO BufferHistory (BID, Time, State, Text)"
			   " VALUES (?, ?, ?, ?)",
			   "Idis", (int64_t)id, now, (int)state, text) == 1
		       ? 0
		       : -1;
}

int slu_rows_update(struct slu_db *db, const struct slu_bb *bb, long changed,
		    const char *text, double now, struct slu_err *err)
{
	int rc = slu_rows_one(changed, bb, err);

	if (rc == 0 && text)
		rc = slu_rows_history(db, bb->id, bb->state, text, now, err);
	return slu_rows_finish(db, rc, err);
}
