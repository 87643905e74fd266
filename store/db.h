/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORE_DB_H
#define SLU_STORE_DB_H

/*
 * The interface to SQLite, which only store/ uses. Callers pass SQL text with ?
 * parameters; this opens and migrates the database, prepares statements (each
 * text once, cached), binds parameters by a format string and runs them. An
 * object belongs to one thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

struct slu_db;

enum slu_db_mode {
	SLU_DB_READ,  /* must exist; nothing is written, old schemas are fine */
	SLU_DB_WRITE, /* made and migrated; WAL, synchronous=FULL */
	SLU_DB_LOAD,  /* the same, but for a new file: it keeps a rollback
			 journal and each transaction in memory, so that a bulk
			 load is written once; the next opener turns on WAL
		       */
};

/* Open. SLU_DENIED when a newer program wrote it (its schema is unknown to
 * us), SLU_IO when it is no database. */
struct slu_db *slu_db_open(const char *path, enum slu_db_mode mode,
			   struct slu_err *err);
void slu_db_close(struct slu_db *db);
/* Has the last statement failed because this process may no longer read or
 * write the file? Elsewhere SLU_DENIED means that the caller may not. */
bool slu_db_unusable(const struct slu_db *db);
/* PRAGMA integrity_check; fails with its first line. */
int slu_db_check(struct slu_db *db, struct slu_err *err);
/* Can it be written now, down to the disk? Rewrites what is there already. */
int slu_db_try_write(struct slu_db *db, struct slu_err *err);
/* True when the table exists (old databases lack ours). */
bool slu_db_has(struct slu_db *db, const char *table);

/* Transactions; a reader sees one state for its whole transaction. Nested
 * begins are counted, the outermost commits. After a failure inside one call
 * slu_db_rollback, which undoes all of it. */
int slu_db_begin(struct slu_db *db, struct slu_err *err);
/*
 * A group of transactions that are flushed to disk together: those begun inside
 * it can be rolled back one by one, and slu_db_commit of the group makes all of
 * them durable. If that fails, or slu_db_rollback ends the group, all are lost,
 * although their commits have succeeded.
 */
int slu_db_begin_group(struct slu_db *db, struct slu_err *err);
int slu_db_commit(struct slu_db *db, struct slu_err *err);
void slu_db_rollback(struct slu_db *db);
/* Number of rollbacks so far: callers that cache what they wrote drop the cache
 * when it has changed. */
uint64_t slu_db_rollbacks(const struct slu_db *db);

/* Changes whenever the database may have been written, by this or another
 * process. Call it within a transaction, or while a statement is open: it
 * counts only the changes of others that these can see. */
uint64_t slu_db_stamp(struct slu_db *db);

/*
 * Run a statement without rows. `fmt` has a letter per ? in order: i (int),
 * I (int64_t), d (double), s (const char *, NULL is SQL NULL), S (const char *
 * and size_t). Returns the number of rows changed, or -1.
 */
long slu_db_exec(struct slu_db *db, struct slu_err *err, const char *sql,
		 const char *fmt, ...);
int64_t slu_db_last_id(struct slu_db *db);
/* Run several statements, without parameters, rows dropped. */
int slu_db_script(struct slu_db *db, const char *sql, struct slu_err *err);

/*
 * Rows: slu_db_query, then slu_db_step until it returns 0 (1: a row; -1:
 * error), then slu_db_done (always). Column texts are borrowed until the next
 * step.
 */
struct slu_rows;
struct slu_rows *slu_db_query(struct slu_db *db, struct slu_err *err,
			      const char *sql, const char *fmt, ...);
int slu_db_step(struct slu_rows *rows, struct slu_err *err);
void slu_db_done(struct slu_rows *rows);
enum slu_db_type { SLU_DB_NULL, SLU_DB_INTEGER, SLU_DB_REAL, SLU_DB_TEXT };
enum slu_db_type slu_db_type(struct slu_rows *rows, int column);
int64_t slu_db_int(struct slu_rows *rows, int column);
double slu_db_double(struct slu_rows *rows, int column);
const char *slu_db_text(struct slu_rows *rows, int column); /* NULL for NULL */
size_t slu_db_bytes(struct slu_rows *rows, int column);
int slu_db_columns(struct slu_rows *rows);
const char *slu_db_column_name(struct slu_rows *rows,
			       int column); /* its name */

/*
 * For statements that strangers wrote: from now on this connection only runs
 * SELECTs (and begins and ends transactions), which see these tables (a
 * NULL-ended list that stays), temporary ones and json_each, json_tree. Each
 * may take SLU_DB_STEPS_MAX steps of SQLite's machine (then SLU_BUSY; a minute
 * or two), values of 64 MiB, and all of the process's SQLite SLU_DB_MEMORY_MAX
 * bytes (then SLU_NOMEM). A statement that is not allowed is SLU_DENIED; more
 * than one statement in a text is SLU_INVALID always.
 */
#define SLU_DB_STEPS_MAX  4000000000ll
#define SLU_DB_MEMORY_MAX (1ll << 30)
int slu_db_confine(struct slu_db *db, const char *const *tables,
		   struct slu_err *err);

/* First column of the first row, or `fallback` when there is none. */
int slu_db_value(struct slu_db *db, int64_t *out, int64_t fallback,
		 struct slu_err *err, const char *sql, const char *fmt, ...);

#endif
