/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "hosts": the hosts of the resource map, and when each
 * last sent something to sluiced. Documents are pushed once a day, so they do
 * not show whether a host is alive.
 */
#include "sluiced/questions/answerers.h"

#include "common/jsonx.h"
#include "sluiced/daemon.h"
#include "sysquery/query.h"

static void add_heard(void *arg, const char *name, bool is_node, double heard,
		      const char *release)
{
	(void)is_node;
	(void)release;
	if (heard > 0)
		slu_json_set_i64(arg, name, (int64_t)heard);
}

struct json_object *slu_prepare_hosts(const struct slu_daemon *d,
				      const struct slu_asker *who,
				      struct json_object *args)
{
	struct json_object *heard = json_object_new_object();

	(void)who;
	(void)args;
	slu_nodes_each(d->auth.nodes, add_heard, heard);
	return heard;
}

static void join(struct json_object *rows, struct json_object *heard)
{
	struct json_object *one, *when;

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		one = json_object_array_get_idx(rows, i);
		when = slu_json_at(heard, slu_json_str_at(one, "host"));
		if (when)
			json_object_object_add(one, "heard",
					       json_object_get(when));
	}
}

int slu_answer_hosts(struct slu_db *db, const struct slu_asker *who,
		     struct json_object *args, struct slu_buf *out,
		     struct slu_err *err)
{
	struct slu_buf text = {.max = out->max};
	struct json_object *rows = NULL;
	int rc = slu_query_find("hosts")->answer(db, args, &text, err);

	if (rc == 0 && !(rows = slu_json_parse(text.data, text.len, err)))
		rc = -1;
	if (rc == 0 && json_object_is_type(rows, json_type_array))
		join(rows, who->live);
	if (rc == 0)
		slu_buf_puts(out, slu_json_utf8(rows));
	json_object_put(rows);
	slu_buf_free(&text);
	return rc;
}
