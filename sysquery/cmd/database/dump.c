/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery dump: prints the rows of all or some tables,
 * {"TABLE":[ROW,...],...}, page by page, because a history has millions.
 * sysquery check-integrity: runs SQLite's integrity check. Both see what users
 * may not, so they need read access to the database file.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysquery/json_rows.h"

#define PAGE 1000 /* rows */

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

/* Names of the selected tables, as rows {name}. */
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

/* Does each table that was named exist? */
static int check_names(const struct slu_ask *ask, struct json_object *names,
		       struct slu_err *err)
{
	const char *name;
	bool found;

	for (size_t i = 0; i < ask->n_operands; i++) {
		found = false;
		for (size_t k = 0; k < json_object_array_length(names); k++) {
			if (slu_json_str(json_object_array_get_idx(names, k),
					 "name", &name, err))
				return -1;
			found |= strcasecmp(name, ask->operand[i]) == 0;
		}
		if (!found)
			return slu_err(err, SLU_NOTFOUND,
				       "there is no table \"%.64s\"",
				       ask->operand[i]);
	}
	return 0;
}

struct dump {
	const struct slu_ask *ask;
	struct slu_sink out;
	bool begun; /* a table, or a section, was written before */
};

static int put(struct dump *d, const struct slu_buf *text, struct slu_err *err)
{
	struct slu_buf safe = {0};
	int ret = 0;

	if (slu_ask_table(d->ask))
		slu_buf_add(&safe, text->data, text->len);
	else
		slu_form_escape(text->data, text->len, &safe);
	if (text->failed || safe.failed)
		ret = slu_err(err, SLU_NOMEM, "out of memory");
	else if (safe.len)
		ret = slu_sink_put(&d->out, safe.data, safe.len, err);
	slu_buf_free(&safe);
	return ret;
}

/* Writes up to PAGE rows; first: they are the table's first ones. */
static int put_page(struct dump *d, const char *table, struct json_object *page,
		    bool first, struct slu_err *err)
{
	size_t n = json_object_array_length(page);
	struct slu_buf text = {0};
	int ret = 0;

	if (slu_ask_table(d->ask)) {
		if (d->begun && n)
			ret = slu_sink_put(&d->out, "\n", 1, err);
		d->begun |= n > 0;
		if (ret == 0)
			ret = slu_ask_section(d->ask, table, page, NULL, &text,
					      err);
	}
	for (size_t i = 0; !slu_ask_table(d->ask) && i < n; i++)
		slu_buf_printf(
			&text, "%s%s", i || !first ? "," : "",
			slu_json_utf8(json_object_array_get_idx(page, i)));
	if (ret == 0)
		ret = put(d, &text, err);
	slu_buf_free(&text);
	return ret;
}

/* Writes all rows, and ends the query. */
static int put_rows(struct dump *d, const char *table, struct slu_rows *rows,
		    struct slu_err *err)
{
	bool first = true;
	int more = 1, ret = 0;

	while (more == 1 && ret == 0) {
		struct json_object *page = json_object_new_array();

		while (json_object_array_length(page) < PAGE &&
		       (more = slu_db_step(rows, err)) == 1)
			json_object_array_add(page, slu_query_row(rows));
		ret = more < 0 ? -1 : put_page(d, table, page, first, err);
		first = false;
		json_object_put(page);
	}
	slu_db_done(rows);
	return ret;
}

static int put_table(struct dump *d, struct slu_db *db, const char *table,
		     struct slu_err *err)
{
	char *sql = slu_asprintf("SELECT * FROM \"%s\"", table);
	bool json = !slu_ask_table(d->ask);
	struct slu_buf head = {0};
	struct slu_rows *rows = NULL;
	int ret = -1;

	if (!sql)
		slu_err(err, SLU_NOMEM, "out of memory");
	else if (strchr(table, '"'))
		slu_err(err, SLU_INVALID, "table %s", table);
	else
		rows = slu_db_query(db, err, sql, "");
	if (json)
		slu_buf_printf(&head, "%s\"%s\":[", d->begun ? "," : "", table);
	if (rows && put(d, &head, err) == 0) {
		d->begun |= json;
		ret = put_rows(d, table, rows, err);
	} else if (rows) {
		slu_db_done(rows);
	}
	slu_buf_free(&head);
	free(sql);
	if (ret == 0 && json)
		ret = slu_sink_put(&d->out, "]", 1, err);
	return ret;
}

static int dump(struct dump *d, struct slu_db *db, struct slu_err *err)
{
	bool json = !slu_ask_table(d->ask);
	struct json_object *names = tables(db, err);
	struct slu_buf text = {0};
	const char *name;
	int ret = names ? check_names(d->ask, names, err) : -1;

	if (ret == 0 && json && !d->ask->bare) {
		slu_form_put_head(&slu_form_dump, &text);
		ret = put(d, &text, err);
	}
	if (ret == 0)
		ret = slu_sink_put(&d->out, "{", json, err);
	for (size_t i = 0; ret == 0 && i < json_object_array_length(names);
	     i++) {
		ret = slu_json_str(json_object_array_get_idx(names, i), "name",
				   &name, err);
		if (ret == 0 && wanted(d->ask, name))
			ret = put_table(d, db, name, err);
	}
	json_object_put(names);
	slu_buf_reset(&text);
	slu_buf_puts(&text, "}");
	if (!d->ask->bare)
		slu_form_put_tail(&text);
	slu_buf_puts(&text, "\n");
	if (ret == 0 && json)
		ret = put(d, &text, err);
	slu_buf_free(&text);
	return ret;
}

int slu_cmd_dump(struct slu_ask *ask, struct slu_err *err)
{
	struct dump d = {.ask = ask, .out.path = ask->output};
	struct slu_db *db = open_file(ask, err);
	int ret = db ? slu_sink_end(&d.out, dump(&d, db, err), err) : -1;

	slu_db_close(db);
	return ret;
}

static int show_sound(const struct slu_ask *ask, struct json_object *answer,
		      struct slu_buf *out, struct slu_err *err)
{
	(void)ask, (void)answer, (void)err;
	slu_buf_puts(out, "ok\n");
	return 0;
}

int slu_cmd_check_integrity(struct slu_ask *ask, struct slu_err *err)
{
	struct slu_db *db = open_file(ask, err);
	struct json_object *answer = json_object_new_object();
	int ret = db ? slu_db_check(db, err) : -1;

	slu_json_set_str(answer, "integrity", "ok");
	if (ret == 0)
		ret = slu_ask_present(ask, "integrity", answer, show_sound,
				      err);
	json_object_put(answer);
	slu_db_close(db);
	return ret;
}
