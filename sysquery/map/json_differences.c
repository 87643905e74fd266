/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares documents by flattening both to lists of (path, value), sorted by
 * path, and merging the lists. Depth is bounded by the JSON parser. */
#include "config.h"
#include "sysquery/map/json_differences.h"

#include <stdlib.h>
#include <string.h>
#include "common/hostlist.h"
#include "common/jsonx.h"
#include "common/str.h"

struct leaf {
	char *path;		   /* owned */
	struct json_object *value; /* borrowed */
};

struct leaves {
	struct leaf *item;
	size_t n, cap;
	struct slu_buf path; /* of the current element */
	bool failed;
};

static void leaves_free(struct leaves *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->item[i].path);
	free(l->item);
	slu_buf_free(&l->path);
}

static void add(struct leaves *l, struct json_object *value)
{
	size_t cap = l->cap ? 2 * l->cap : 64;
	char *path = strdup(l->path.data ? l->path.data : "");
	struct leaf *more = l->item;

	if (l->n == l->cap) {
		more = realloc(l->item, cap * sizeof(*more));
		if (more) {
			l->item = more;
			l->cap = cap;
		}
	}
	if (!path || !more) {
		free(path);
		l->failed = true;
		return;
	}
	l->item[l->n++] = (struct leaf){path, value};
}

static bool is_scalar(struct json_object *obj)
{
	return !json_object_is_type(obj, json_type_object) &&
	       !json_object_is_type(obj, json_type_array);
}

/* The name of an element by `key` (NULL: the element itself); NULL: none. */
static const char *called(struct json_object *element, const char *key)
{
	struct json_object *value = element;

	if (key && !json_object_object_get_ex(element, key, &value))
		return NULL;
	return value && is_scalar(value) ? json_object_get_string(value) : NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Do all elements have distinct names by `key`? */
static bool tells_apart(struct json_object *array, const char *key)
{
	size_t n = json_object_array_length(array), i;
	const char **names = calloc(n + 1, sizeof(*names));
	bool good = names != NULL;

	for (i = 0; good && i < n; i++) {
		names[i] = called(json_object_array_get_idx(array, i), key);
		good = names[i] != NULL;
	}
	if (good)
		qsort(names, n, sizeof(*names), by_text);
	for (i = 1; good && i < n; i++)
		good = strcmp(names[i - 1], names[i]) != 0;
	free(names);
	return good;
}

/* How elements of an array are identified: by a key, "" by their own value,
 * NULL by position. */
static const char *naming(struct json_object *array)
{
	static const char *const keys[] = {"name", "mountpoint", "device",
					   "guid", "address",	 "id",
					   "node", "port",	 "PageSize"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (tells_apart(array, keys[i]))
			return keys[i];
	return tells_apart(array, NULL) ? "" : NULL;
}

static void walk(struct leaves *l, struct json_object *obj);

static void walk_array(struct leaves *l, struct json_object *array)
{
	size_t n = json_object_array_length(array), before = l->path.len;
	const char *key = naming(array);
	struct json_object *one;

	for (size_t i = 0; i < n; i++) {
		one = json_object_array_get_idx(array, i);
		if (key)
			slu_buf_printf(&l->path, "[%s]",
				       called(one, *key ? key : NULL));
		else
			slu_buf_printf(&l->path, "[%zu]", i);
		walk(l, one);
		slu_buf_cut(&l->path, before);
	}
}

static void walk_object(struct leaves *l, struct json_object *obj)
{
	size_t before = l->path.len;

	json_object_object_foreach(obj, key, value)
	{
		slu_buf_puts(&l->path, before ? "." : "");
		slu_buf_puts(&l->path, key);
		walk(l, value);
		slu_buf_cut(&l->path, before);
	}
}

static void walk(struct leaves *l, struct json_object *obj)
{
	if (json_object_is_type(obj, json_type_array) &&
	    json_object_array_length(obj))
		walk_array(l, obj);
	else if (json_object_is_type(obj, json_type_object) &&
		 json_object_object_length(obj))
		walk_object(l, obj);
	else
		add(l, obj);
}

static int by_path(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	return slu_host_cmp(x->path, y->path); /* sd2 before sd10 */
}

static int collect(struct leaves *l, struct json_object *obj,
		   struct slu_err *err)
{
	walk(l, obj);
	if (l->failed || l->path.failed)
		return slu_err(err, SLU_NOMEM, "out of memory");
	qsort(l->item, l->n, sizeof(*l->item), by_path);
	return 0;
}

static void report(struct json_object *out, const char *path,
		   const struct leaf *old, const struct leaf *new)
{
	struct json_object *row = json_object_new_object();

	slu_json_set_str(row, "path", path);
	if (old)
		json_object_object_add(row, "old", json_object_get(old->value));
	if (new)
		json_object_object_add(row, "new", json_object_get(new->value));
	json_object_array_add(out, row);
}

static void merge(const struct leaves *a, const struct leaves *b,
		  struct json_object *out)
{
	size_t i = 0, k = 0;
	int order;

	while (i < a->n || k < b->n) {
		if (i == a->n)
			order = 1;
		else if (k == b->n)
			order = -1;
		else
			order = by_path(&a->item[i], &b->item[k]);
		if (order < 0) {
			report(out, a->item[i].path, &a->item[i], NULL);
		} else if (order > 0) {
			report(out, b->item[k].path, NULL, &b->item[k]);
		} else if (!json_object_equal(a->item[i].value,
					      b->item[k].value)) {
			report(out, a->item[i].path, &a->item[i], &b->item[k]);
		}
		i += order <= 0;
		k += order >= 0;
	}
}

int slu_leaves_diff(struct json_object *old, struct json_object *new,
		    struct json_object *out, struct slu_err *err)
{
	struct leaves a = {0}, b = {0};
	struct leaf x = {NULL, old}, y = {NULL, new};
	int ret;

	if (!old || !new) {
		if (old || new)
			report(out, "", old ? &x : NULL, new ? &y : NULL);
		return 0;
	}
	ret = collect(&a, old, err) || collect(&b, new, err) ? -1 : 0;
	if (ret == 0)
		merge(&a, &b, out);
	leaves_free(&a);
	leaves_free(&b);
	return ret;
}
