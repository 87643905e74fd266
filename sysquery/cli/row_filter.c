/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects, sorts and projects the rows of an answer's table, for --state,
 * --since, --until, --last, --sort and -o. A row without the value that a
 * filter tests is kept.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/jsonx.h"

static const struct slu_answer_key *main_keys(const struct slu_form *answer)
{
	return answer->main ? slu_key_find(answer->keys, answer->main)->of
			    : answer->keys;
}

static bool is_wanted(const struct slu_ask *ask, const struct slu_form *answer,
		      struct json_object *row)
{
	struct json_object *value;
	int64_t since = INT64_MIN, until = INT64_MAX, time;

	slu_json_i64_opt(ask->args, "since", &since, NULL);
	slu_json_i64_opt(ask->args, "until", &until, NULL);
	if (ask->state && answer->state &&
	    json_object_object_get_ex(row, answer->state, &value) && value &&
	    !slu_is_listed(ask->state, json_object_get_string(value)))
		return false;
	if (!answer->time ||
	    !json_object_object_get_ex(row, answer->time, &value) || !value)
		return true;
	time = json_object_get_int64(value);
	return since <= time && time <= until;
}

/* Compares numbers as numbers, all else as text. A row without the key is
 * first.
 */
static int compare(struct json_object *a, struct json_object *b)
{
	bool numbers = a && b && !json_object_is_type(a, json_type_string) &&
		       !json_object_is_type(b, json_type_string);
	double x, y;

	if (!a || !b)
		return !!a - !!b;
	if (!numbers)
		return strcmp(json_object_get_string(a),
			      json_object_get_string(b));
	x = json_object_get_double(a);
	y = json_object_get_double(b);
	return (x > y) - (x < y);
}

#define SORTS_MAX 8

struct order {
	const char *key;
	int sign;
};

/* glibc's qsort_r() is a merge sort, which is stable. */
static int by_order(const void *a, const void *b, void *arg)
{
	struct json_object *x = *(struct json_object *const *)a;
	struct json_object *y = *(struct json_object *const *)b;
	int ret = 0;

	for (const struct order *o = arg; o->key && ret == 0; o++)
		ret = o->sign * compare(json_object_object_get(x, o->key),
					json_object_object_get(y, o->key));
	return ret;
}

/* If a list with arbitrary keys has columns of its own, names refer to those.
 */
static const char *key_named(const struct slu_answer_key *keys,
			     const char *name, struct slu_err *err)
{
	const struct slu_answer_key *found = slu_key_find(keys, name);
	struct slu_buf names = {0};

	if (found || !keys)
		return found ? found->key : name;
	for (const struct slu_answer_key *k = keys; k->key; k++)
		if (k->is < SLU_IS_OBJECT)
			slu_buf_printf(&names, "%s%s", names.len ? ", " : "",
				       slu_key_name(k));
	slu_err(err, SLU_INVALID, "there is no field \"%.40s\": they are %s",
		name, names.data ? names.data : "");
	slu_buf_free(&names);
	return NULL;
}

/* Splits a list into words, in *copy, which the caller frees; returns their
 * number, or -1. */
static int words_of(const char *text, char **copy, char **word, size_t max,
		    struct slu_err *err)
{
	size_t n;

	*copy = strdup(text);
	if (!*copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	n = slu_split(*copy, ", ", word, max);
	if (n == 0 || n > max)
		return slu_err(err, SLU_INVALID, "\"%.40s\": want 1 to %zu",
			       text, max);
	return (int)n;
}

static int sort(struct json_object **row, size_t n, const char *by,
		const struct slu_answer_key *keys, struct slu_err *err)
{
	struct order order[SORTS_MAX + 1] = {{0}};
	char *copy, *word[SORTS_MAX];
	int words = words_of(by, &copy, word, SORTS_MAX, err);
	bool signs;

	for (int i = 0; i < words; i++) {
		signs = *word[i] == '-' || *word[i] == '+';
		order[i].sign = *word[i] == '-' ? -1 : 1;
		order[i].key = key_named(keys, word[i] + signs, err);
		if (!order[i].key)
			words = -1;
	}
	if (words > 0)
		qsort_r(row, n, sizeof(*row), by_order, order);
	free(copy);
	return words > 0 ? 0 : slu_err_prefix(err, "--sort");
}

/* Checks that each state of --state exists: another one would select no rows,
 * which would look like an answer. */
int slu_ask_check_states(const struct slu_ask *ask,
			 const struct slu_form *answer, struct slu_err *err)
{
	char words[300], *state, *rest = words;

	if (!ask->state || !answer || !answer->states)
		return 0;
	slu_copy(words, sizeof(words), ask->state);
	while ((state = strsep(&rest, ",")))
		if (!slu_is_listed(answer->states, state))
			return slu_err(err, SLU_INVALID,
				       "--state: there is no state \"%.40s\": "
				       "they are %s",
				       state, answer->states);
	return 0;
}

int slu_ask_narrow(const struct slu_ask *ask, const struct slu_form *answer,
		   struct json_object **rows, struct slu_err *err)
{
	size_t all = json_object_is_type(*rows, json_type_array)
			     ? json_object_array_length(*rows)
			     : 0;
	struct json_object **row =
		calloc(all + 1, sizeof(struct json_object *));
	struct json_object *out = json_object_new_array();
	uint64_t last = 0;
	size_t n = 0, from;
	int ret = row ? 0 : slu_err(err, SLU_NOMEM, "out of memory");

	if (ret == 0)
		ret = slu_ask_check_states(ask, answer, err);
	slu_json_u64_opt(ask->args, "last", &last, NULL);
	for (size_t i = 0; ret == 0 && i < all; i++) {
		row[n] = json_object_array_get_idx(*rows, i);
		n += is_wanted(ask, answer, row[n]);
	}
	from = last && last < n ? n - last : 0;
	if (ret == 0 && ask->sort)
		ret = sort(row + from, n - from, ask->sort, main_keys(answer),
			   err);
	for (size_t i = from; ret == 0 && i < n; i++)
		json_object_array_add(out, json_object_get(row[i]));
	free(row);
	if (ret == 0 && all) {
		json_object_put(*rows);
		*rows = out;
	} else {
		json_object_put(out);
	}
	return ret;
}

static enum slu_column_type type_of(const struct slu_answer_key *key)
{
	if (key->text)
		return SLU_COL_TEXT;
	if (key->round)
		return SLU_COL_ROUND;
	switch (key->is) {
	case SLU_IS_BYTES:
	case SLU_IS_BANDWIDTH:
		return SLU_COL_BYTES;
	case SLU_IS_SECONDS:
		return SLU_COL_SECONDS;
	case SLU_IS_TIME:
		return SLU_COL_TIME;
	case SLU_IS_NUMBER:
		return SLU_COL_ROUND;
	case SLU_IS_ANY:
	case SLU_IS_TEXT:
	case SLU_IS_FLAG:
	case SLU_IS_COUNT:
	case SLU_IS_SHARE:
	case SLU_IS_PERCENT:
	case SLU_IS_OBJECT:
	case SLU_IS_LIST:
	case SLU_IS_MAP:
		break;
	}
	return SLU_COL_PLAIN;
}

/* The column as sluiced sends it; the title has the unit if JSON uses another
 * one. */
static struct slu_column column_of(const struct slu_answer_key *key)
{
	return (struct slu_column){
		.key = key->key,
		.title = key->title ? key->title : slu_key_name(key),
		.type = key->factor && !key->round ? SLU_COL_PLAIN
						   : type_of(key),
		.drop = key->drop,
		.color = key->color};
}

/* The column by its JSON name, if that was asked for. Its title is that name,
 * since titles of columns are not unique. */
static struct slu_column column_named(const struct slu_answer_key *key,
				      const char *name)
{
	struct slu_column column = column_of(key);

	column.title = NULL;
	column.capitals = true;
	if (key->json && strcasecmp(key->json, name) == 0) {
		column.key = key->json;
		column.type = key->round ? SLU_COL_BYTES : type_of(key);
	}
	return column;
}

static int chosen_columns(const char *fields, const struct slu_answer_key *keys,
			  struct slu_column *column, struct slu_err *err)
{
	char *copy, *word[SLU_COLUMNS_MAX];
	int n = words_of(fields, &copy, word, SLU_COLUMNS_MAX, err);
	const struct slu_answer_key *key;

	for (int i = 0; i < n; i++) {
		key = slu_key_find(keys, word[i]);
		if (!key_named(keys, word[i], err))
			n = -1;
		else if (key)
			column[i] = column_named(key, word[i]);
	}
	free(copy);
	return n > 0 ? 0 : slu_err_prefix(err, "-o (a file: --output)");
}

int slu_ask_columns(const struct slu_ask *ask,
		    const struct slu_answer_key *keys,
		    struct slu_column column[SLU_COLUMNS_MAX + 1],
		    struct slu_err *err)
{
	size_t n = 0;

	memset(column, 0, (SLU_COLUMNS_MAX + 1) * sizeof(*column));
	if (ask->fields && keys)
		return chosen_columns(ask->fields, keys, column, err);
	for (const struct slu_answer_key *k = keys; k && k->key; k++)
		if (k->title && n < SLU_COLUMNS_MAX)
			column[n++] = column_of(k);
	return 0;
}

int slu_ask_part(const struct slu_ask *ask, const char *heading,
		 struct json_object *object, const struct slu_answer_key *keys,
		 const char *key, struct slu_buf *out, struct slu_err *err)
{
	struct slu_column column[SLU_COLUMNS_MAX + 1];
	struct json_object *rows;

	if (ask->fields || !json_object_object_get_ex(object, key, &rows))
		return 0;
	if (slu_ask_columns(ask, slu_key_find(keys, key)->of, column, err))
		return -1;
	return slu_ask_section(ask, heading, rows, column, out, err);
}

/* Are only some rows or columns asked for? */
static bool is_narrow(const struct slu_ask *ask)
{
	return ask->state || json_object_object_get(ask->args, "since") ||
	       json_object_object_get(ask->args, "until");
}

int slu_ask_list(const struct slu_ask *ask, const struct slu_form *answer,
		 struct json_object *rows, struct slu_buf *out,
		 struct slu_err *err)
{
	const struct slu_answer_key *keys = main_keys(answer);
	struct slu_column column[SLU_COLUMNS_MAX + 1];
	struct json_object *chosen = slu_form_rows(keys, rows);
	int ret = slu_ask_columns(ask, keys, column, err);

	if (ret == 0)
		ret = slu_ask_narrow(ask, answer, &chosen, err);
	if (ret == 0 && answer->rows && !ask->fields &&
	    json_object_is_type(chosen, json_type_array) &&
	    json_object_array_length(chosen) == 0)
		slu_ask_say(ask, out, "no %s%s", answer->rows,
			    is_narrow(ask) ? " of that kind or time" : "");
	else if (ret == 0)
		ret = slu_ask_tabulate(ask, chosen, keys ? column : NULL, out,
				       err);
	json_object_put(chosen);
	return ret;
}
