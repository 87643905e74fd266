/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_HISTORY_ROWS_H
#define SLU_TESTS_HISTORY_ROWS_H

/* Creates a database with a history of jobs, and adds jobs and their I/O, for
 * tests. */

#include "job_submit/history/job_history.h"
#include "tests/unit/harness.h"

/* Creates an empty database in tmpdir(). */
struct slu_db *new_db(void);

/* A job of one node, and what a node counted of its I/O. */
void add(struct slu_db *db, uint32_t id, uint32_t uid, int64_t start,
	 int64_t end);

/* Rows as callbacks take them: into a struct slu_buf, into a row. */
int print_id(void *arg, const struct slu_history_row *row, struct slu_err *err);
int add_io(struct slu_db *db, uint32_t job_id, int64_t start, const char *node,
	   double read_bytes, double written_bytes, struct slu_err *err);
int keep_io(void *arg, const struct slu_history_row *row, struct slu_err *err);

/* The rows of all jobs' I/O. */
int64_t rows_of_io(struct slu_db *db);

#endif
