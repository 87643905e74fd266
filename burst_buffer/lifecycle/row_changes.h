/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_ROW_CHANGES_H
#define SLU_LIFECYCLE_ROW_CHANGES_H

/* What changes of a buffer's rows have in common, for persistence.c and
 * node_rows.c. */

#include "burst_buffer/lifecycle/record.h"

/* Commit if rc is 0, else undo. */
int slu_rows_finish(struct slu_db *db, int rc, struct slu_err *err);
/* A statement that must change exactly one row has changed so many (-1: it
 * failed). */
int slu_rows_one(long changed, const struct slu_bb *bb, struct slu_err *err);
/* A line of the history of the buffer with this id. */
int slu_rows_history(struct slu_db *db, uint64_t id, enum slu_bb_state state,
		     const char *text, double now, struct slu_err *err);
/* One row was to be changed, with a line of history (NULL: none), in a
 * transaction, which ends. */
int slu_rows_update(struct slu_db *db, const struct slu_bb *bb, long changed,
		    const char *text, double now, struct slu_err *err);

#endif
