/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery osts: shows Lustre's storage targets by their servers' last reports;
 * with `place`, chooses the targets for one or more new files. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <string.h>
#include "common/jsonx.h"

static const struct slu_column load[] = {
	{"target", "TARGET", .type = SLU_COL_PLAIN},
	{"server", "SERVER", .type = SLU_COL_PLAIN},
	{"read", "READ/s", .type = SLU_COL_BYTES},
	{"write", "WRITTEN/s", .type = SLU_COL_BYTES},
	{"io_ms", "I/O ms", .type = SLU_COL_PLAIN, .drop = 1},
	{"io_bytes", "I/O SIZE", .type = SLU_COL_BYTES, .drop = 2},
	{"ops", "REQUESTS/s", .type = SLU_COL_PLAIN},
	{"jobs", "JOBS", .type = SLU_COL_PLAIN},
	{.key = NULL},
};

static const struct slu_column machines[] = {
	{"server", "SERVER", .type = SLU_COL_PLAIN},
	{"cpu", "CPU %", .type = SLU_COL_PLAIN},
	{"memory", "MEMORY %", .type = SLU_COL_PLAIN},
	{"network", "NETWORK/s", .type = SLU_COL_BYTES},
	{"age", "AGE s", .type = SLU_COL_PLAIN},
	{"domain", "DOMAIN", .type = SLU_COL_PLAIN, .drop = 1},
	{.key = NULL},
};

/* Space is reserved for the predicted writes of the application. */
static void show_predicted(const struct slu_ask *ask,
			   struct json_object *answer, struct slu_buf *out)
{
	struct json_object *list = NULL, *one;
	size_t n, fit = 0;

	json_object_object_get_ex(answer, "predicted", &list);
	n = json_object_is_type(list, json_type_array)
		    ? json_object_array_length(list)
		    : 0;
	for (size_t i = 0; i < n; i++) {
		bool fits = false;

		one = json_object_array_get_idx(list, i);
		slu_json_bool_opt(one, "fits", &fits, NULL);
		fit += fits;
	}
	if (n > 0)
		slu_ask_say(ask, out,
			    "# of %zu predicted requests %zu fit beside it", n,
			    fit);
}

static int show_commands(const struct slu_ask *ask, struct json_object *answer,
			 struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = NULL;
	uint64_t missing = 0;

	json_object_object_get_ex(answer, "commands", &list);
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++)
		slu_ask_say_command(out,
				    json_object_get_string(
					    json_object_array_get_idx(list, i)),
				    "FILE");
	slu_json_u64_opt(answer, "missing", &missing, NULL);
	if (out->len == 0)
		return slu_err(err, SLU_NOTFOUND,
			       "no target can be used; see sysquery osts");
	if (missing > 0)
		slu_ask_say(ask, out, "# %lu stripes found no target",
			    (unsigned long)missing);
	show_predicted(ask, answer, out);
	return 0;
}

/* Rounds numbers for the table. */
static void add_rounded(struct json_object *row, struct json_object *from)
{
	json_object_object_foreach(from, key, value)
	{
		if (json_object_is_type(value, json_type_double))
			slu_json_set_i64(
				row, key,
				(int64_t)json_object_get_double(value));
		else if (!json_object_is_type(value, json_type_array))
			json_object_object_add(row, key,
					       json_object_get(value));
	}
}

static void add_targets(struct json_object *rows, const char *server,
			struct json_object *said, const char *kind)
{
	struct json_object *list = NULL, *one, *row;

	json_object_object_get_ex(said, kind, &list);
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		one = json_object_array_get_idx(list, i);
		if (!json_object_is_type(one, json_type_object))
			continue;
		row = json_object_new_object();
		add_rounded(row, one);
		json_object_object_add(
			row, "target",
			json_object_get(json_object_object_get(one, "name")));
		slu_json_set_str(row, "server", server);
		json_object_array_add(rows, row);
	}
}

/* Current load, by target and by server. */
static int show_load(const struct slu_ask *ask, struct json_object *servers,
		     struct slu_buf *out, struct slu_err *err)
{
	struct json_object *rows = json_object_new_array(), *row;
	struct json_object *list = json_object_new_array();
	int ret;

	json_object_object_foreach(servers, server, said)
	{
		add_targets(rows, server, said, "osts");
		add_targets(rows, server, said, "mdts");
		row = json_object_new_object();
		slu_json_set_str(row, "server", server);
		add_rounded(row, said);
		json_object_array_add(list, row);
	}
	ret = slu_ask_section(ask, NULL, rows, load, out, err);
	if (ret == 0)
		ret = slu_ask_section(ask, NULL, list, machines, out, err);
	json_object_put(rows);
	json_object_put(list);
	return ret;
}

static int show_targets(const struct slu_ask *ask, struct json_object *answer,
			struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = NULL, *servers;

	if (!json_object_object_get_ex(answer, "servers", &servers) ||
	    json_object_object_length(servers) == 0)
		return slu_err(err, SLU_NOTFOUND,
			       "no Lustre server has reported: run "
			       "sluice-tbfd --publish on each");
	json_object_object_get_ex(answer, "osts", &list);
	if (json_object_is_type(list, json_type_array) &&
	    json_object_array_length(list) &&
	    slu_ask_list(ask, &slu_form_osts, list, out, err))
		return -1;
	return ask->fields ? 0 : show_load(ask, servers, out, err);
}

/* Shows one file system, which must exist. */
static int show_named(const struct slu_ask *ask, struct json_object *answer,
		      struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = NULL;

	json_object_object_get_ex(answer, "osts", &list);
	if (!json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) == 0)
		return slu_err(err, SLU_NOTFOUND,
			       "no server has reported a target of this file "
			       "system");
	return show_targets(ask, answer, out, err);
}

/* "place" and its options require each other. */
static int check(const struct slu_ask *ask, bool place, struct slu_err *err)
{
	uint64_t stripes = 0, files = 1;

	if (ask->n_operands > 0 && !place)
		return slu_err(err, SLU_INVALID, "osts: what is \"%s\"?",
			       ask->operand[0]);
	slu_json_u64_opt(ask->args, "stripes", &stripes, NULL);
	if (place && stripes == 0)
		return slu_err(err, SLU_INVALID,
			       "osts place: say how many --stripes");
	slu_json_u64_opt(ask->args, "files", &files, NULL);
	if (files == 0)
		return slu_err(err, SLU_INVALID, "osts place: --count 0");
	if (!place && (slu_ask_given(ask, SLU_OPT_STRIPES) ||
		       slu_ask_given(ask, SLU_OPT_SIZE) ||
		       slu_ask_given(ask, SLU_OPT_NAME) ||
		       slu_ask_given(ask, SLU_OPT_COUNT)))
		return slu_err(err, SLU_INVALID,
			       "osts: --stripes, --size, --count and --name "
			       "belong to "
			       "osts place");
	return 0;
}

int slu_cmd_osts(struct slu_ask *ask, struct slu_err *err)
{
	bool place =
		ask->n_operands > 0 && strcmp(ask->operand[0], "place") == 0;

	if (check(ask, place, err))
		return -1;
	if (place) /* without a reservation */
		slu_json_set_bool(ask->args, "dry", true);
	return slu_ask_render(ask, "osts",
			      place ? show_commands
			      : slu_ask_given(ask, SLU_OPT_FSNAME)
				      ? show_named
				      : show_targets,
			      err);
}
