/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORE_DB_PRIVATE_H
#define SLU_STORE_DB_PRIVATE_H

/*
 * Private to store/: the database object, and functions that its files share.
 */

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_STATEMENTS_MAX 256

struct slu_statement {
	const char *sql; /* as the caller named it */
	sqlite3_stmt *stmt;
	bool busy;
};

/* busy.c: how long SQLite waits while another process writes. */
struct slu_db_busy {
	double timeout; /* s */
	double since;	/* when it began to wait, slu_now_mono() */
	double until;	/* then it may wait as long again */
};

struct slu_db {
	sqlite3 *sqlite;
	struct slu_db_busy busy;
	struct slu_statement kept[SLU_STATEMENTS_MAX];
	size_t n_kept;
	uint64_t rollbacks;
	int depth;   /* begins not yet committed */
	bool doomed; /* a nested one was rolled back; only rollbacks are left */
	bool group;  /* the outermost begin is slu_db_begin_group() */
	bool loaded; /* new, and not yet in WAL mode */
	const char *const *visible; /* tables; NULL: not confined */
	char **hidden;		    /* all other tables, owned */
	int64_t steps;		    /* steps that are left */
};

void slu_busy_arm(struct slu_db_busy *b, sqlite3 *sqlite);

/* Report SQLite's error; returns -1. */
int slu_db_fail(struct slu_db *db, struct slu_err *err);

#endif
