/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_ROW_CHANGES_H
#define SLU_LIFECYCLE_ROW_CHANGES_H

/* Checks and ends a transaction that changes a buffer's rows, for persistence.c
 * and node_rows.c. */

#include "burst_buffer/lifecycle/record.h"

/* Commit if rc is 0, else roll back. */
int slu_rows_finish(struct slu_db *db, int rc, struct slu_err *err);
/* Checks that a statement has changed exactly one row (changed -1: it
 * failed). */
int slu_rows_one(long changed, const struct slu_bb *bb, struct slu_err *err);
/* Adds a line to the history of the buffer with this id. */
int slu_rows_history(struct slu_db *db, uint64_t id, enum slu_bb_state state,
		     const char *text, double now, struct slu_err *err);
/* Checks the same, adds a line of history (NULL: none) and ends the
 * transaction. */
int slu_rows_update(struct slu_db *db, const struct slu_bb *bb, long changed,
		    const char *text, double now, struct slu_err *err);

#endif
