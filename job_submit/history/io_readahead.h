/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_HISTORY_IO_READAHEAD_H
#define SLU_JOB_SUBMIT_HISTORY_IO_READAHEAD_H

/*
 * What runs have read and written, for who goes through many of them. Jobs that
 * end one after the other have numbers that are near to each other, so those
 * that others are likely to be asked for are read with one.
 */

#include "store/db.h"
#include "wire/control.h"

struct slu_io_readahead;

/* NULL: out of memory. */
struct slu_io_readahead *slu_io_readahead_new(void);
void slu_io_readahead_free(struct slu_io_readahead *ahead);

/* Before rows are asked for, while a statement is open that holds what they
 * see: what was read before somebody wrote is forgotten. */
void slu_io_readahead_renew(struct slu_io_readahead *ahead, struct slu_db *db);
/* Fill in what the run of row->job has read and written, all but its bandwidth.
 * The members are 0 before. Of one run alone: ahead is NULL. */
int slu_io_readahead_read(struct slu_io_readahead *ahead, struct slu_db *db,
			  struct slu_history_row *row, struct slu_err *err);

#endif
