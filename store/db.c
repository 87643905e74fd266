/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wraps SQLite in a few calls. Statements are prepared once and cached by the
 * address of their SQL text (its content is compared too, so a reused buffer
 * cannot run the wrong one). A statement that is being stepped is not shared: a
 * second user of the same text gets another one. Transactions nest by counting:
 * only the outermost begin and commit reach SQLite, and a rollback of an inner
 * one dooms the whole until the outermost caller has rolled back too.
 */

#include "config.h"
#include "store/db.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "store/db_private.h"

struct slu_rows {
	struct slu_db *db;
	struct slu_statement *kept; /* NULL: stmt is finalized when done */
	sqlite3_stmt *stmt;
};

static enum slu_kind kind_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_INTERRUPT:
		return SLU_BUSY;
	case SQLITE_NOMEM:
	case SQLITE_TOOBIG:
		return SLU_NOMEM;
	case SQLITE_CONSTRAINT:
		return SLU_INVALID;
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_READONLY:
		return SLU_DENIED;
	case SQLITE_ERROR:
	case SQLITE_MISUSE:
	case SQLITE_RANGE:
		return SLU_INTERNAL;
	default:
		return SLU_IO;
	}
}

bool slu_db_unusable(const struct slu_db *db)
{
	switch (sqlite3_errcode(db->sqlite) & 0xff) {
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_READONLY:
		return true;
	default:
		return false;
	}
}

int slu_db_fail(struct slu_db *db, struct slu_err *err)
{
	return slu_err(err, kind_of(sqlite3_errcode(db->sqlite)),
		       "database: %s", sqlite3_errmsg(db->sqlite));
}

int slu_db_script(struct slu_db *db, const char *sql, struct slu_err *err)
{
	if (sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL) != SQLITE_OK)
		return slu_db_fail(db, err);
	return 0;
}

/* Statements */

static sqlite3_stmt *prepare(struct slu_db *db, const char *sql, bool keep,
			     struct slu_err *err)
{
	unsigned int flags = keep ? SQLITE_PREPARE_PERSISTENT : 0;
	sqlite3_stmt *stmt = NULL;
	const char *rest = "";

	if (sqlite3_prepare_v3(db->sqlite, sql, -1, flags, &stmt, &rest) !=
	    SQLITE_OK) {
		slu_db_fail(db, err);
	} else if (!stmt) {
		slu_err(err, SLU_INVALID, "database: empty statement");
	} else if (rest[strspn(rest, " \t\r\n;")]) {
		slu_err(err, SLU_INVALID,
			"database: more than one statement: %.40s", rest);
		sqlite3_finalize(stmt);
		stmt = NULL;
	}
	return stmt;
}

static struct slu_statement *find(struct slu_db *db, const char *sql)
{
	for (size_t i = 0; i < db->n_kept; i++)
		if (db->kept[i].sql == sql)
			return &db->kept[i];
	return NULL;
}

/* Fill in rows->stmt and, when the statement is a kept one, rows->kept. */
static int take(struct slu_db *db, const char *sql, struct slu_rows *rows,
		struct slu_err *err)
{
	struct slu_statement *s = find(db, sql);

	*rows = (struct slu_rows){.db = db};
	if (s && !s->busy && strcmp(sqlite3_sql(s->stmt), sql) == 0) {
		rows->stmt = s->stmt;
	} else {
		bool keep = !s && db->n_kept < SLU_STATEMENTS_MAX;

		rows->stmt = prepare(db, sql, keep, err);
		if (!rows->stmt)
			return -1;
		if (!keep)
			return 0;
		s = &db->kept[db->n_kept++];
		*s = (struct slu_statement){.sql = sql, .stmt = rows->stmt};
	}
	s->busy = true;
	rows->kept = s;
	return 0;
}

static void give_back(struct slu_rows *rows)
{
	if (!rows->kept) {
		sqlite3_finalize(rows->stmt);
		return;
	}
	sqlite3_reset(rows->stmt);
	sqlite3_clear_bindings(rows->stmt);
	rows->kept->busy = false;
}

/* `lifetime` is SQLITE_STATIC where the statement ends before the call does,
 * else SQLITE_TRANSIENT. */
static int bind(struct slu_rows *rows, struct slu_err *err, const char *fmt,
		va_list ap, sqlite3_destructor_type lifetime)
{
	sqlite3_stmt *stmt = rows->stmt;
	int n = sqlite3_bind_parameter_count(stmt);
	const char *text;
	int code = SQLITE_OK;

	if (strlen(fmt) != (size_t)n)
		return slu_err(err, SLU_INTERNAL,
			       "database: \"%s\" binds not %d values: %s", fmt,
			       n, sqlite3_sql(stmt));
	for (int i = 1; i <= n && code == SQLITE_OK; i++) {
		switch (fmt[i - 1]) {
		case 'i':
			code = sqlite3_bind_int(stmt, i, va_arg(ap, int));
			break;
		case 'I':
			code = sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
			break;
		case 'd':
			code = sqlite3_bind_double(stmt, i, va_arg(ap, double));
			break;
		case 's':
			text = va_arg(ap, const char *);
			code = sqlite3_bind_text(stmt, i, text, -1, lifetime);
			break;
		case 'S':
			text = va_arg(ap, const char *);
			code = sqlite3_bind_text64(stmt, i, text,
						   va_arg(ap, size_t), lifetime,
						   SQLITE_UTF8);
			break;
		default:
			return slu_err(err, SLU_INTERNAL,
				       "database: unknown letter in \"%s\"",
				       fmt);
		}
	}
	return code == SQLITE_OK ? 0 : slu_db_fail(rows->db, err);
}

static int ready(struct slu_db *db, struct slu_err *err)
{
	if (!db->doomed)
		return 0;
	return slu_err(err, SLU_INTERNAL,
		       "database: the transaction was rolled back");
}

static int start(struct slu_db *db, struct slu_rows *rows, struct slu_err *err,
		 const char *sql, const char *fmt, va_list ap,
		 sqlite3_destructor_type lifetime)
{
	if (ready(db, err) || take(db, sql, rows, err))
		return -1;
	if (bind(rows, err, fmt, ap, lifetime)) {
		give_back(rows);
		return -1;
	}
	return 0;
}

long slu_db_exec(struct slu_db *db, struct slu_err *err, const char *sql,
		 const char *fmt, ...)
{
	struct slu_rows rows;
	va_list ap;
	int code;
	long ret;

	va_start(ap, fmt);
	ret = start(db, &rows, err, sql, fmt, ap, SQLITE_STATIC);
	va_end(ap);
	if (ret)
		return -1;
	while ((code = sqlite3_step(rows.stmt)) == SQLITE_ROW)
		;
	ret = code == SQLITE_DONE ? sqlite3_changes(db->sqlite)
				  : slu_db_fail(db, err);
	give_back(&rows);
	return ret;
}

int64_t slu_db_last_id(struct slu_db *db)
{
	return sqlite3_last_insert_rowid(db->sqlite);
}

struct slu_rows *slu_db_query(struct slu_db *db, struct slu_err *err,
			      const char *sql, const char *fmt, ...)
{
	struct slu_rows *rows = malloc(sizeof(*rows));
	va_list ap;
	int ret;

	if (!rows) {
		slu_err(err, SLU_NOMEM, "database: out of memory");
		return NULL;
	}
	va_start(ap, fmt);
	ret = start(db, rows, err, sql, fmt, ap, SQLITE_TRANSIENT);
	va_end(ap);
	if (ret) {
		free(rows);
		return NULL;
	}
	return rows;
}

int slu_db_step(struct slu_rows *rows, struct slu_err *err)
{
	switch (sqlite3_step(rows->stmt)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	default:
		return slu_db_fail(rows->db, err);
	}
}

void slu_db_done(struct slu_rows *rows)
{
	if (!rows)
		return;
	give_back(rows);
	free(rows);
}

enum slu_db_type slu_db_type(struct slu_rows *rows, int column)
{
	switch (sqlite3_column_type(rows->stmt, column)) {
	case SQLITE_NULL:
		return SLU_DB_NULL;
	case SQLITE_INTEGER:
		return SLU_DB_INTEGER;
	case SQLITE_FLOAT:
		return SLU_DB_REAL;
	default:
		return SLU_DB_TEXT;
	}
}

int64_t slu_db_int(struct slu_rows *rows, int column)
{
	return sqlite3_column_int64(rows->stmt, column);
}

double slu_db_double(struct slu_rows *rows, int column)
{
	return sqlite3_column_double(rows->stmt, column);
}

const char *slu_db_text(struct slu_rows *rows, int column)
{
	return (const char *)sqlite3_column_text(rows->stmt, column);
}

size_t slu_db_bytes(struct slu_rows *rows, int column)
{
	return (size_t)sqlite3_column_bytes(rows->stmt, column);
}

int slu_db_columns(struct slu_rows *rows)
{
	return sqlite3_column_count(rows->stmt);
}

const char *slu_db_column_name(struct slu_rows *rows, int column)
{
	return sqlite3_column_name(rows->stmt, column);
}

int slu_db_value(struct slu_db *db, int64_t *out, int64_t fallback,
		 struct slu_err *err, const char *sql, const char *fmt, ...)
{
	struct slu_rows rows;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = start(db, &rows, err, sql, fmt, ap, SQLITE_STATIC);
	va_end(ap);
	if (ret)
		return -1;
	ret = slu_db_step(&rows, err);
	if (ret >= 0)
		*out = ret ? slu_db_int(&rows, 0) : fallback;
	give_back(&rows);
	return ret < 0 ? -1 : 0;
}

/* Transactions */

/* How many begins surround an item that is undone by itself. */
static int base(const struct slu_db *db)
{
	return db->group && db->depth > 1 ? 1 : 0;
}

int slu_db_begin(struct slu_db *db, struct slu_err *err)
{
	if (ready(db, err))
		return -1;
	if (db->depth == 0 &&
	    slu_db_script(db,
			  sqlite3_db_readonly(db->sqlite, "main")
				  ? "BEGIN"
				  : "BEGIN IMMEDIATE",
			  err))
		return -1;
	if (db->depth == 1 && db->group &&
	    slu_db_script(db, "SAVEPOINT item", err))
		return -1;
	db->depth++;
	return 0;
}

int slu_db_begin_group(struct slu_db *db, struct slu_err *err)
{
	if (db->depth)
		return slu_err(err, SLU_INTERNAL,
			       "database: a group within a transaction");
	if (slu_db_begin(db, err))
		return -1;
	db->group = true;
	return 0;
}

int slu_db_commit(struct slu_db *db, struct slu_err *err)
{
	if (ready(db, err))
		return -1;
	if (db->depth == 0)
		return slu_err(err, SLU_INTERNAL,
			       "database: commit without a transaction");
	/* if these fail the caller rolls back */
	if (db->depth == 1 && slu_db_script(db, "COMMIT", err))
		return -1;
	if (db->depth == 2 && db->group &&
	    slu_db_script(db, "RELEASE item", err))
		return -1;
	if (--db->depth == 0)
		db->group = false;
	return 0;
}

/* If even the item cannot be undone, nothing of the group may be kept: doomed
 * stays set. */
static bool undo_item(struct slu_db *db)
{
	return slu_db_script(db, "ROLLBACK TO item; RELEASE item", NULL) == 0;
}

void slu_db_rollback(struct slu_db *db)
{
	int within = base(db);

	if (db->depth == 0)
		return;
	db->rollbacks++;
	db->depth--;
	if (within == 0) {
		if (!db->doomed || db->group)
			slu_db_script(db, "ROLLBACK", NULL);
		db->doomed = db->depth > 0;
		db->group = db->group && db->depth > 0;
	} else {
		db->doomed = db->depth > 1 || !undo_item(db);
	}
}

uint64_t slu_db_rollbacks(const struct slu_db *db)
{
	return db->rollbacks;
}

/* A number that changes with every change that this connection could see: the
 * sum of counters that only grow. One counts commits of all connections, one
 * changes of this one, one rollbacks. */
uint64_t slu_db_stamp(struct slu_db *db)
{
	unsigned int version = 0;

	sqlite3_file_control(db->sqlite, "main", SQLITE_FCNTL_DATA_VERSION,
			     &version);
	return (uint64_t)sqlite3_total_changes(db->sqlite) + db->rollbacks +
	       version;
}

int slu_db_try_write(struct slu_db *db, struct slu_err *err)
{
	char pragma[48];
	int64_t schema;

	if (slu_db_value(db, &schema, 0, err, "PRAGMA user_version", "") ||
	    slu_db_begin(db, err))
		return -1;
	snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d",
		 (int)schema);
	if (slu_db_script(db, pragma, err) == 0 && slu_db_commit(db, err) == 0)
		return 0;
	slu_db_rollback(db);
	return -1;
}

int slu_db_check(struct slu_db *db, struct slu_err *err)
{
	struct slu_rows *rows =
		slu_db_query(db, err, "PRAGMA integrity_check(1)", "");
	int ret;

	if (!rows)
		return -1;
	ret = slu_db_step(rows, err);
	if (ret == 1 && strcmp(slu_db_text(rows, 0), "ok") != 0)
		ret = slu_err(err, SLU_IO, "database: %s",
			      slu_db_text(rows, 0));
	slu_db_done(rows);
	return ret == 1 ? 0 : -1;
}

bool slu_db_has(struct slu_db *db, const char *table)
{
	int64_t n = 0;

	return slu_db_value(db, &n, 0, NULL,
			    "SELECT 1 FROM sqlite_schema "
			    "WHERE type IN ('table', 'view') AND name = ?",
			    "s", table) == 0 &&
	       n == 1;
}
