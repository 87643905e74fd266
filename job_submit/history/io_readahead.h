/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_HISTORY_IO_READAHEAD_H
#define SLU_JOB_SUBMIT_HISTORY_IO_READAHEAD_H

/*
 * Reads the I/O volumes of runs, for callers that process many runs. Jobs that
 * end one after the other have similar numbers, so the neighbours of a job are
 * read together with it.
 */

#include "common/str.h"
#include "store/db.h"
#include "wire/control.h"

struct slu_io_readahead;

/* NULL: out of memory. */
struct slu_io_readahead *slu_io_readahead_new(void);
void slu_io_readahead_free(struct slu_io_readahead *ahead);

/* Call it before reading rows, while an open statement keeps the transaction:
 * drops cached rows from before the last write. */
void slu_io_readahead_renew(struct slu_io_readahead *ahead, struct slu_db *db);
/* Fills in the I/O of the run of row->job, except its bandwidth; the members
 * are 0 before. ahead is NULL for a single run. row->by_fs is the text in
 * by_fs, which the caller frees. */
int slu_io_readahead_read(struct slu_io_readahead *ahead, struct slu_db *db,
			  struct slu_history_row *row, struct slu_buf *by_fs,
			  struct slu_err *err);
/* The same for a single run, and only what Lustre's servers have counted. */
int slu_io_readahead_served(struct slu_db *db, struct slu_history_row *row,
			    struct slu_buf *by_fs, struct slu_err *err);

#endif
