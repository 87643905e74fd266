/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery page: writes an overview of the site as one HTML file, from three
 * answers. A section without data says why, and has no picture. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include "common/conf.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "sysquery/page/page.h"
#include "sysquery/map/slurmconf.h"
#include "wire/job.h"

#define DAYS 30 /* shown by default */

static int set_times(struct slu_ask *ask, struct slu_page_query *q,
		     struct slu_err *err)
{
	q->now = time(NULL) + 1; /* includes what begins in this second */
	if (slu_json_i64_opt(ask->args, "now", &q->now, err) < 0)
		return -1;
	q->since = q->now - DAYS * 86400;
	if (slu_json_i64_opt(ask->args, "since", &q->since, err) < 0)
		return -1;
	if (q->since >= q->now)
		return slu_err(err, SLU_INVALID, "--since: it is not past");
	return 0;
}

/*
 * Asks the database directly: a user who can read the file may see all users.
 */
static struct json_object *collect(const struct slu_ask *ask,
				   struct slu_page_query *q,
				   struct slu_err *err)
{
	uint64_t uid = SLU_NO_ID;
	struct json_object *doc;
	struct slu_db *db;

	if (slu_json_u64_opt(ask->args, "uid", &uid, err) < 0)
		return NULL;
	q->uid = (uint32_t)uid;
	db = slu_db_open(ask->file, SLU_DB_READ, err);
	if (!db)
		return NULL;
	doc = slu_page_collect(db, q, err);
	slu_db_close(db);
	return doc;
}

/* Asks another question with these arguments, which it takes. */
static struct json_object *other(const struct slu_ask *ask,
				 const char *question, struct json_object *args,
				 struct slu_err *err)
{
	struct slu_ask sub = *ask;
	struct json_object *answer;

	sub.args = args;
	answer = slu_ask_object(&sub, question, err);
	json_object_put(args);
	return answer;
}

static void add(struct json_object *doc, const char *key, const char *error,
		struct json_object *answer, const struct slu_err *err)
{
	if (answer)
		json_object_object_add(doc, key, answer);
	else
		slu_json_set_str(doc, error, err->text);
}

static void add_osts(const struct slu_ask *ask, struct json_object *doc)
{
	struct slu_err err = {0};

	if (!ask->file)
		add(doc, "osts", "osts_error",
		    other(ask, "osts", json_object_new_object(), &err), &err);
}

static void add_check(const struct slu_ask *ask, struct json_object *doc)
{
	char *path = slu_conf_slurm_path();
	struct json_object *conf, *answer = NULL;
	struct slu_err err = {0};

	conf = path ? slu_slurmconf_read(path, &err) : NULL;
	if (conf)
		answer = other(ask, "check", conf, &err);
	add(doc, "check", "check_error", answer, &err);
	free(path);
}

struct json_object *slu_ask_page(struct slu_ask *ask, struct slu_err *err)
{
	struct slu_page_query q = {0};
	struct json_object *doc, *args;

	if (set_times(ask, &q, err) < 0)
		return NULL;
	if (ask->file) {
		doc = collect(ask, &q, err);
	} else {
		args = json_object_new_object();
		json_object_object_foreach(ask->args, key, value)
			json_object_object_add(args, key,
					       json_object_get(value));
		slu_json_set_i64(args, "since", q.since);
		doc = other(ask, "page", args, err);
	}
	if (!doc)
		return NULL;
	add_osts(ask, doc);
	add_check(ask, doc);
	return doc;
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

static mode_t mode(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return 0666 & ~mask;
}

/* A name that ends in .html is a file; any other is a directory for index.html.
 */
static int write_page(const char *output, const struct slu_buf *page,
		      struct slu_err *err)
{
	bool is_file = ends_in(output, ".html");
	char *path = is_file ? strdup(output)
			     : slu_asprintf("%s/index.html", output);
	struct stat st;
	int rc = 0;

	if (!path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (!is_file && stat(output, &st) < 0 && mkdir(output, 0777) < 0)
		rc = slu_errno(err, SLU_IO, "%s", output);
	if (rc == 0)
		rc = slu_file_write(AT_FDCWD, path, page->data, page->len,
				    mode(), false, err);
	free(path);
	return rc;
}

int slu_cmd_page(struct slu_ask *ask, struct slu_err *err)
{
	struct slu_buf out = {0};
	struct json_object *doc, *shown;
	int rc = -1;

	if (ask->table)
		return slu_err(err, SLU_INVALID, "page: it has no table");
	doc = slu_ask_page(ask, err);
	if (doc && ask->json) {
		shown = slu_form_encode(&slu_form_page, doc);
		slu_buf_printf(&out, "%s\n", slu_json_utf8(shown));
		json_object_put(shown);
		rc = 0;
	} else if (doc)
		rc = slu_page_render(doc, 0, &out, err);
	json_object_put(doc);
	if (rc == 0 && ask->output && !ask->json)
		rc = write_page(ask->output, &out, err);
	else if (rc == 0)
		rc = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	return rc;
}
