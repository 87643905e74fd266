/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gets a question's answer from the database of -f or from sluiced, and writes
 * it as JSON or as a table. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/conf_host.h"
#include "common/file.h"
#include "common/http.h"
#include "common/jsonx.h"
#include "sysquery/query.h"

#define DEADLINE 5.0 /* seconds to reach sluiced */

struct slu_db *slu_ask_open(const struct slu_ask *ask, const char *question,
			    const struct slu_query **query, struct slu_err *err)
{
	struct slu_db *db;

	*query = slu_query_find(question);
	if (!*query) {
		slu_err(err, SLU_INVALID,
			"only sluiced can answer this: leave out -f");
		return NULL;
	}
	db = slu_db_open(ask->file, SLU_DB_READ, err);
	if (!db || slu_db_has(db, "Hosttable"))
		return db;
	slu_err(err, SLU_IO, "%s: no database of sysmap or sluiced", ask->file);
	slu_db_close(db);
	return NULL;
}

static int ask_file(const struct slu_ask *ask, const char *question,
		    struct slu_buf *out, struct slu_err *err)
{
	const struct slu_query *query;
	struct slu_db *db = slu_ask_open(ask, question, &query, err);
	int ret;

	if (!db)
		return -1;
	ret = query->answer(db, ask->args, out, err);
	slu_db_close(db);
	return ret;
}

/* Whoever runs sluiced there, answers as SlurmUser: of sluice.conf where there
 * is one. */
static struct slu_http *server(const char *addr, struct slu_err *err)
{
	char *full = slu_conf_addr(addr, err);
	struct slu_conf *conf =
		slu_conf_of_nobody() ? NULL : slu_conf_of_host(0, NULL, NULL);
	struct passwd *pw = getpwnam(conf ? conf->slurm_user : "slurm");
	char *addrs[] = {full, NULL};
	struct slu_http *http = NULL;

	if (full)
		http = slu_http_new(addrs, pw ? pw->pw_uid : 0, err);
	else
		slu_err_prefix(err, "--server");
	slu_conf_free(conf);
	free(full);
	return http;
}

static struct slu_http *site(struct slu_err *err)
{
	char *path;

	if (!slu_conf_of_nobody())
		return slu_http_of_host(DEADLINE, err);
	path = slu_conf_path();
	slu_err(err, SLU_NOTFOUND,
		"there is no %s: name the host of sluiced with --server, or a "
		"database with -f",
		path ? path : "sluice.conf");
	free(path);
	return NULL;
}

bool slu_ask_nobody(const struct slu_ask *ask)
{
	return !ask->file && !ask->server && slu_conf_of_nobody();
}

int slu_ask_post(const struct slu_ask *ask, const char *path, const char *body,
		 size_t len, struct slu_buf *out, struct slu_err *err)
{
	struct slu_http *http;
	int ret = -1;

	if (ask->file)
		return slu_err(err, SLU_INVALID,
			       "only sluiced can do this: leave out -f");
	http = ask->server ? server(ask->server, err) : site(err);
	if (http) {
		slu_http_timeout(http, SLU_QUESTION_SECONDS + DEADLINE);
		ret = slu_http_post(http, path, body, len, DEADLINE, out, err);
	}
	slu_http_free(http);
	return ret;
}

static int ask_daemon(const struct slu_ask *ask, const char *question,
		      struct slu_buf *out, struct slu_err *err)
{
	const char *body;

	slu_json_set_str(ask->args, "question", question);
	body = slu_json_text(ask->args);
	return slu_ask_post(ask, "/v1/query", body, strlen(body), out, err);
}

int slu_ask_text(const struct slu_ask *ask, const char *question,
		 struct slu_buf *out, struct slu_err *err)
{
	if (slu_ask_check_states(ask, slu_form_find(question), err))
		return -1;
	return ask->file ? ask_file(ask, question, out, err)
			 : ask_daemon(ask, question, out, err);
}

struct json_object *slu_ask_object(const struct slu_ask *ask,
				   const char *question, struct slu_err *err)
{
	struct json_object *obj = NULL;
	struct slu_buf text = {0};

	if (slu_ask_text(ask, question, &text, err) == 0)
		obj = slu_json_parse(text.data ? text.data : "", text.len, err);
	slu_buf_free(&text);
	return obj;
}

int slu_ask_write(const struct slu_ask *ask, const struct slu_buf *text,
		  struct slu_err *err)
{
	const char *name = ask->output ? ask->output : "standard output";
	FILE *out = ask->output ? fopen(ask->output, "w") : stdout;
	int ret = 0;

	if (text->failed)
		return slu_err(err, SLU_NOMEM, "the answer is too long");
	if (!out)
		return slu_errno(err, SLU_IO, "%s", name);
	if (ask->watch)
		slu_ask_clear_screen(ask, out);
	if (text->len && fwrite(text->data, 1, text->len, out) != text->len)
		ret = slu_errno(err, SLU_IO, "%s", name);
	if ((ask->output ? fclose(out) : fflush(out)) && ret == 0)
		ret = slu_errno(err, SLU_IO, "%s", name);
	return ret;
}

/* Rows of a list are chosen; where there is a table of its keys, with it. */
static struct json_object *encoded(const struct slu_ask *ask, const char *name,
				   struct json_object *said,
				   struct slu_err *err)
{
	const struct slu_form *answer = slu_form_find(name);
	struct json_object *rows = json_object_get(said), *out = NULL;

	if (!answer || ask->bare)
		return rows;
	if (!answer->rows || answer->map ||
	    slu_ask_narrow(ask, answer, &rows, err) == 0)
		out = slu_form_encode(answer, rows);
	json_object_put(rows);
	return out;
}

int slu_ask_json(const struct slu_ask *ask, const char *name,
		 struct json_object *said, struct slu_err *err)
{
	struct json_object *obj = encoded(ask, name, said, err);
	struct slu_buf out = {0};
	const char *text = obj ? slu_json_utf8(obj) : NULL;
	int ret = -1;

	if (text) {
		slu_form_escape(text, strlen(text), &out);
		slu_buf_puts(&out, "\n");
		ret = slu_ask_write(ask, &out, err);
	}
	slu_buf_free(&out);
	json_object_put(obj);
	return ret;
}

int slu_ask_present(const struct slu_ask *ask, const char *name,
		    struct json_object *answer, slu_render_f *render,
		    struct slu_err *err)
{
	struct slu_buf out = {0};
	int ret;

	if (!slu_ask_table(ask))
		return slu_ask_json(ask, name, answer, err);
	ret = render(ask, answer, &out, err);
	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	return ret;
}

int slu_ask_plot(const struct slu_ask *ask,
		 void (*draw)(struct json_object *answer, struct slu_buf *out),
		 struct json_object *answer, struct slu_err *err)
{
	struct slu_buf page = {0};
	int rc;

	if (!ask->plot)
		return 0;
	draw(answer, &page);
	rc = page.failed ? slu_err(err, SLU_NOMEM, "out of memory")
			 : slu_file_write(AT_FDCWD, ask->plot, page.data,
					  page.len, 0644, false, err);
	slu_buf_free(&page);
	return rc;
}

int slu_ask_render(const struct slu_ask *ask, const char *question,
		   slu_render_f *render, struct slu_err *err)
{
	struct json_object *answer = slu_ask_object(ask, question, err);
	int ret = answer ? slu_ask_present(ask, question, answer, render, err)
			 : -1;

	json_object_put(answer);
	return ret;
}

static int render_list(const struct slu_ask *ask, const char *name,
		       struct json_object *rows,
		       const struct slu_column *columns, struct slu_err *err)
{
	const struct slu_form *answer = slu_form_find(name);
	struct slu_buf out = {0};
	int ret = columns || !answer
			  ? slu_ask_tabulate(ask, rows, columns, &out, err)
			  : slu_ask_list(ask, answer, rows, &out, err);

	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	return ret;
}

int slu_ask_show(const struct slu_ask *ask, const char *question,
		 const struct slu_column *columns, struct slu_err *err)
{
	struct json_object *rows = slu_ask_object(ask, question, err);
	int ret = -1;

	if (rows && slu_ask_table(ask))
		ret = render_list(ask, question, rows, columns, err);
	else if (rows)
		ret = slu_ask_json(ask, question, rows, err);
	json_object_put(rows);
	return ret;
}
