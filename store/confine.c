/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restricts a database connection so that an untrusted user's SELECT can do no
 * harm. SQLite's authorizer is called for each action while a statement is
 * prepared, and refuses what is not on its list; a progress handler limits the
 * number of steps; tables that are not listed as visible are refused.
 */
#include "config.h"
#include "store/db.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "store/db_private.h"

#define TICK	   100000 /* steps between two checks of the budget */
#define LENGTH_MAX (64 << 20)

static bool listed(const char *const *names, const char *name)
{
	for (; name && *names; names++)
		if (strcasecmp(*names, name) == 0)
			return true;
	return false;
}

static bool may_call(const char *function)
{
	static const char *const refused[] = {"load_extension",
					      "fts3_tokenizer", NULL};

	return function && !listed(refused, function);
}

/* A table of which no column is read may be a name that the statement itself
 * defines. */
static bool may_read(const struct slu_db *db, const char *table,
		     const char *column, const char *database)
{
	static const char *const functions[] = {"json_each", "json_tree", NULL};

	if (database && strcmp(database, "temp") == 0)
		return true;
	if (column && !*column &&
	    !listed((const char *const *)db->hidden, table))
		return true;
	return listed(db->visible, table) || listed(functions, table);
}

static int authorize(void *arg, int action, const char *first,
		     const char *second, const char *database,
		     const char *inner)
{
	const struct slu_db *db = arg;
	bool good = false;

	(void)inner;
	if (action == SQLITE_SELECT || action == SQLITE_RECURSIVE ||
	    action == SQLITE_TRANSACTION)
		good = true;
	else if (action == SQLITE_FUNCTION)
		good = may_call(second);
	else if (action == SQLITE_READ)
		good = may_read(db, first, second, database);
	return good ? SQLITE_OK : SQLITE_DENY;
}

/* Not 0: stop, the budget is used up. */
static int tick(void *arg)
{
	struct slu_db *db = arg;

	db->steps -= TICK;
	return db->steps < 0;
}

static int list_hidden(struct slu_db *db, const char *const *visible,
		       struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err, "SELECT name FROM main.sqlite_schema", "");
	size_t n = 0;
	char **more;
	int ret;

	if (!rows)
		return -1;
	while ((ret = slu_db_step(rows, err)) == 1) {
		if (listed(visible, slu_db_text(rows, 0)))
			continue;
		more = realloc(db->hidden, (n + 2) * sizeof(*more));
		if (!more)
			break;
		db->hidden = more;
		more[n] = strdup(slu_db_text(rows, 0));
		more[n + 1] = NULL;
		if (!more[n++])
			break;
	}
	slu_db_done(rows);
	return ret == 1 ? slu_err(err, SLU_NOMEM, "database: no memory") : ret;
}

int slu_db_confine(struct slu_db *db, const char *const *tables,
		   struct slu_err *err)
{
	static const struct {
		int what, most;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, LENGTH_MAX},
		{SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
		{SQLITE_LIMIT_EXPR_DEPTH, 200},
		{SQLITE_LIMIT_COMPOUND_SELECT, 100},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	/* SQLite creates json_each and json_tree at their first use */
	if (slu_db_script(db, "SELECT 1 FROM json_each('[]'), json_tree('[]')",
			  err) ||
	    list_hidden(db, tables, err))
		return -1;
	db->visible = tables;
	if (sqlite3_set_authorizer(db->sqlite, authorize, db) != SQLITE_OK)
		return slu_db_fail(db, err);
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db->sqlite, limits[i].what, limits[i].most);
	sqlite3_hard_heap_limit64(SLU_DB_MEMORY_MAX);
	sqlite3_progress_handler(db->sqlite, TICK, tick, db);
	db->steps = SLU_DB_STEPS_MAX;
	return 0;
}
