/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery dump: the rows of all tables, or of some, {"TABLE":[ROW,...],...}.
 * sysquery check-integrity: does SQLite find the file sound? Both see what
 * users may not, so they need the file itself.
 */
#include "config.h"
#include "sysquery/ask.h"

#include <string.h>
#include "common/jsonx.h"
#include "sysquery/rows.h"

static struct slu_db *open_file(const struct slu_ask *ask, struct slu_err *err)
{
	if (ask->file)
		return slu_db_open(ask->file, SLU_DB_READ, err);
	slu_err(err, SLU_INVALID, "%s needs -f DB", ask->command);
	return NULL;
}

static bool wanted(const struct slu_ask *ask, const char *table)
{
	for (size_t i = 0; i < ask->n_operands; i++)
		if (strcasecmp(ask->operand[i], table) == 0)
			return true;
	return ask->n_operands == 0;
}

/* Names of the tables that are wanted, as rows {name}. */
static struct json_object *tables(struct slu_db *db, struct slu_err *err)
{
	return slu_query_rows(
		slu_db_query(db, err,
			     "SELECT name FROM sqlite_schema WHERE type = "
			     "'table' AND name NOT LIKE 'sqlite_%' "
			     "ORDER BY name",
			     ""),
		0, err);
}

static struct json_object *rows_of(struct slu_db *db, const char *table,
				   struct slu_err *err)
{
	char *sql = slu_asprintf("SELECT * FROM \"%s\"", table);
	struct json_object *rows = NULL;

	if (!sql)
		slu_err(err, SLU_NOMEM, "out of memory");
	else if (strchr(table, '"'))
		slu_err(err, SLU_INVALID, "table %s", table);
	else
		rows = slu_query_rows(slu_db_query(db, err, sql, ""), 0, err);
	free(sql);
	return rows;
}

/* Is each that was named among those that were found? */
static int check_names(const struct slu_ask *ask, struct json_object *all,
		       struct slu_err *err)
{
	bool found;

	for (size_t i = 0; i < ask->n_operands; i++) {
		found = false;
		json_object_object_foreach(all, name, rows)
		{
			(void)rows;
			found |= strcasecmp(name, ask->operand[i]) == 0;
		}
		if (!found)
			return slu_err(err, SLU_NOTFOUND,
				       "there is no table \"%.64s\"",
				       ask->operand[i]);
	}
	return 0;
}

static struct json_object *dump(const struct slu_ask *ask, struct slu_db *db,
				struct slu_err *err)
{
	struct json_object *names = tables(db, err), *rows;
	struct json_object *all = json_object_new_object();
	const char *name;
	int ret = names ? 0 : -1;

	for (size_t i = 0; ret == 0 && i < json_object_array_length(names);
	     i++) {
		ret = slu_json_str(json_object_array_get_idx(names, i), "name",
				   &name, err);
		if (ret || !wanted(ask, name))
			continue;
		rows = rows_of(db, name, err);
		if (rows)
			json_object_object_add(all, name, rows);
		ret = rows ? 0 : -1;
	}
	json_object_put(names);
	if (ret == 0)
		ret = check_names(ask, all, err);
	if (ret == 0)
		return all;
	json_object_put(all);
	return NULL;
}

static int show(const struct slu_ask *ask, struct json_object *all,
		struct slu_buf *out, struct slu_err *err)
{
	if (!slu_ask_table(ask)) {
		slu_buf_printf(out, "%s\n", slu_json_utf8(all));
		return 0;
	}
	json_object_object_foreach(all, name, rows)
	{
		if (slu_ask_section(name, rows, NULL, out, err))
			return -1;
	}
	return 0;
}

int slu_cmd_dump(struct slu_ask *ask, struct slu_err *err)
{
	struct slu_db *db = open_file(ask, err);
	struct json_object *all = db ? dump(ask, db, err) : NULL;
	struct slu_buf out = {0};
	int ret = all ? show(ask, all, &out, err) : -1;

	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	json_object_put(all);
	slu_db_close(db);
	return ret;
}

int slu_cmd_check_integrity(struct slu_ask *ask, struct slu_err *err)
{
	struct slu_db *db = open_file(ask, err);
	struct slu_buf out = {0};
	int ret = db ? slu_db_check(db, err) : -1;

	if (ret == 0) {
		slu_buf_puts(&out, slu_ask_table(ask)
					   ? "ok\n"
					   : "{\"integrity\":\"ok\"}\n");
		ret = slu_ask_write(ask, &out, err);
	}
	slu_buf_free(&out);
	slu_db_close(db);
	return ret;
}
