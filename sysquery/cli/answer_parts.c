/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints documents of the resource map as JSON without holding all in memory:
 * with -f straight from the database; else from sluiced, which sends complete
 * answers only, so that it is queried for a few hosts at a time and the objects
 * are merged here.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <stdio.h>
#include "common/jsonx.h"
#include "sysquery/query.h"

#define FIRST_HOSTS 16
#define MOST_HOSTS  1024
#define PART_BYTES  (16u << 20) /* approximate size of a part */

struct sink {
	const struct slu_ask *ask;
	struct slu_sink out;
	bool joined; /* an earlier part had a host */
};

int slu_sink_put(void *arg, const void *data, size_t len, struct slu_err *err)
{
	struct slu_sink *s = arg;

	if (!s->file) {
		s->name = s->path ? s->path : "standard output";
		s->file = s->path ? fopen(s->path, "w") : stdout;
	}
	if (!s->file || fwrite(data, 1, len, s->file) != len)
		return slu_errno(err, SLU_IO, "%s", s->name);
	return 0;
}

int slu_sink_end(struct slu_sink *s, int ret, struct slu_err *err)
{
	int failed = 0;

	if (s->file)
		failed = s->path ? fclose(s->file) : fflush(s->file);
	if (failed && ret == 0)
		ret = slu_errno(err, SLU_IO, "%s", s->name);
	return ret;
}

/* Documents are written as stored, except for terminal control characters. */
static int put(void *arg, const void *data, size_t len, struct slu_err *err)
{
	struct sink *s = arg;
	struct slu_buf safe = {0};
	int ret;

	if (!slu_ask_terminal(s->ask))
		return slu_sink_put(&s->out, data, len, err);
	slu_form_escape(data, len, &safe);
	ret = safe.failed ? slu_err(err, SLU_NOMEM, "out of memory")
			  : slu_sink_put(&s->out, safe.data ? safe.data : "",
					 safe.len, err);
	slu_buf_free(&safe);
	return ret;
}

static int from_file(struct sink *s, struct slu_err *err)
{
	const struct slu_query *query;
	struct slu_db *db = slu_ask_open(s->ask, "resources", &query, err);
	int ret;

	if (!db)
		return -1;
	ret = slu_query_stream(query, db, s->ask->args, put, s, err);
	slu_db_close(db);
	return ret;
}

/* Appends the members of an object to the one that is being written. */
static int join(void *arg, const struct slu_buf *text, struct slu_err *err)
{
	struct sink *s = arg;

	if (text->len < 2 || text->data[0] != '{' ||
	    text->data[text->len - 1] != '}')
		return slu_err(err, SLU_IO, "the answer is not an object");
	if (text->len == 2)
		return 0;
	if (put(s, s->joined ? "," : "{", 1, err))
		return -1;
	s->joined = true;
	return put(s, text->data + 1, text->len - 2, err);
}

/* Queries the documents of n hosts from `first` on. */
static int ask_part(const struct slu_ask *whole, struct json_object *rows,
		    size_t first, size_t n, struct slu_buf *out,
		    struct slu_err *err)
{
	struct json_object *names = json_object_new_array(), *extractors;
	struct slu_ask ask = *whole;
	const char *name;
	int ret = 0;

	ask.args = json_object_new_object();
	json_object_object_add(ask.args, "hosts", names);
	if (json_object_object_get_ex(whole->args, "extractors", &extractors))
		json_object_object_add(ask.args, "extractors",
				       json_object_get(extractors));
	for (size_t i = first; i < first + n && ret == 0; i++) {
		ret = slu_json_str(json_object_array_get_idx(rows, i), "host",
				   &name, err);
		if (ret == 0)
			json_object_array_add(names,
					      json_object_new_string(name));
	}
	if (ret == 0)
		ret = slu_ask_text(&ask, "resources", out, err);
	json_object_put(ask.args);
	return ret;
}

static bool few(const struct slu_ask *ask)
{
	struct json_object *hosts;

	return json_object_object_get_ex(ask->args, "hosts", &hosts) &&
	       json_object_array_length(hosts) <= FIRST_HOSTS;
}

static int one_part(const struct slu_ask *ask, slu_part_f *part, void *arg,
		    struct slu_err *err)
{
	struct slu_buf text = {0};
	int ret = slu_ask_text(ask, "resources", &text, err);

	if (ret == 0)
		ret = part(arg, &text, err);
	slu_buf_free(&text);
	return ret;
}

static int many_parts(const struct slu_ask *ask, slu_part_f *part, void *arg,
		      struct slu_err *err)
{
	struct json_object *rows = slu_ask_object(ask, "hosts", err);
	size_t all, len = 0, n = FIRST_HOSTS;
	int ret = rows ? 0 : -1;

	all = rows ? json_object_array_length(rows) : 0;
	for (size_t at = 0; at < all && ret == 0; at += n) {
		struct slu_buf text = {0};

		if (at)
			n = (size_t)((double)n * PART_BYTES / (double)len) + 1;
		if (n > MOST_HOSTS)
			n = MOST_HOSTS;
		if (n > all - at)
			n = all - at;
		ret = ask_part(ask, rows, at, n, &text, err);
		if (ret == 0)
			ret = part(arg, &text, err);
		len = text.len;
		slu_buf_free(&text);
	}
	json_object_put(rows);
	return ret;
}

int slu_ask_parts(const struct slu_ask *ask, slu_part_f *part, void *arg,
		  struct slu_err *err)
{
	return few(ask) ? one_part(ask, part, arg, err)
			: many_parts(ask, part, arg, err);
}

static int in_parts(struct sink *s, struct slu_err *err)
{
	int ret = slu_ask_parts(s->ask, join, s, err);

	if (ret == 0)
		ret = put(s, s->joined ? "}" : "{}", s->joined ? 1 : 2, err);
	return ret;
}

int slu_ask_documents(const struct slu_ask *ask, bool envelope,
		      struct slu_err *err)
{
	struct sink s = {.ask = ask, .out.path = ask->output};
	struct slu_buf head = {0}, tail = {0};
	int ret = 0;

	if (envelope && !ask->bare) {
		slu_form_put_head(&slu_form_resources, &head);
		slu_form_put_tail(&tail);
		ret = put(&s, head.data, head.len, err);
	}
	slu_buf_puts(&tail, "\n");
	if (ret == 0)
		ret = ask->file ? from_file(&s, err) : in_parts(&s, err);
	if (ret == 0)
		ret = put(&s, tail.data, tail.len, err);
	slu_buf_free(&head);
	slu_buf_free(&tail);
	return slu_sink_end(&s.out, ret, err);
}
