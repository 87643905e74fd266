/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of the stripes that were placed last. They come in the order of their
 * times, so that the old ones are at its beginning.
 */
#include "config.h"
#include "select_io/ost/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"

#define NAME_SIZE 32 /* "fsname-OST0000" and to spare */

struct stripe {
	char name[NAME_SIZE]; /* of its target */
	double kib, when;
};

struct slu_ost_memory {
	struct stripe *ring; /* SLU_OST_MEMORY_MAX */
	size_t first, n;
	struct json_object *ranking;
};

struct slu_ost_memory *slu_ost_memory_new(void)
{
	struct slu_ost_memory *m = calloc(1, sizeof(*m));

	if (m)
		m->ring = calloc(SLU_OST_MEMORY_MAX, sizeof(*m->ring));
	if (m && m->ring)
		return m;
	slu_ost_memory_free(m);
	return NULL;
}

void slu_ost_memory_free(struct slu_ost_memory *m)
{
	if (!m)
		return;
	json_object_put(m->ranking);
	free(m->ring);
	free(m);
}

static void note(struct slu_ost_memory *m, const char *name, double kib,
		 double now)
{
	struct stripe *s = &m->ring[(m->first + m->n) % SLU_OST_MEMORY_MAX];

	if (strlen(name) >= sizeof(s->name))
		return;
	if (m->n == SLU_OST_MEMORY_MAX)
		m->first = (m->first + 1) % SLU_OST_MEMORY_MAX;
	else
		m->n++;
	strcpy(s->name, name);
	s->kib = kib;
	s->when = now;
}

static void forget(struct slu_ost_memory *m, double now)
{
	while (m->n > 0 &&
	       m->ring[m->first].when < now - SLU_OST_MEMORY_SECONDS) {
		m->first = (m->first + 1) % SLU_OST_MEMORY_MAX;
		m->n--;
	}
}

static struct json_object *array(struct json_object *obj, const char *key)
{
	struct json_object *list = NULL;

	json_object_object_get_ex(obj, key, &list);
	return json_object_is_type(list, json_type_array) ? list : NULL;
}

/* Target names by their indexes. */
static const char *name_of(struct json_object *osts, int64_t index)
{
	size_t n = json_object_array_length(osts);

	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(osts, i);
		const char *name = NULL;
		uint64_t is = UINT64_MAX;

		slu_json_u64_opt(one, "index", &is, NULL);
		slu_json_str_opt(one, "name", &name, NULL);
		if (name && is == (uint64_t)index)
			return name;
	}
	return NULL;
}

static void learn_files(struct slu_ost_memory *m, struct json_object *answer,
			double now)
{
	struct json_object *files = array(answer, "files"), *file;
	struct json_object *osts = array(answer, "osts");
	double bytes = 0;

	slu_json_double_opt(answer, "stripe_bytes", &bytes, NULL);
	for (size_t i = 0; files && osts && i < json_object_array_length(files);
	     i++) {
		file = json_object_array_get_idx(files, i);
		for (size_t k = 0; json_object_is_type(file, json_type_array) &&
				   k < json_object_array_length(file);
		     k++) {
			const char *name = name_of(
				osts,
				json_object_get_int64(
					json_object_array_get_idx(file, k)));

			if (name)
				note(m, name, bytes / 1024, now);
		}
	}
}

struct ranked {
	double cost;
	const char *name;
};

static int by_cost(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void learn_ranking(struct slu_ost_memory *m, struct json_object *answer)
{
	struct json_object *osts = array(answer, "osts"), *one, *reason;
	size_t all = osts ? json_object_array_length(osts) : 0, n = 0;
	struct ranked *list = calloc(all + 1, sizeof(*list));

	for (size_t i = 0; list && i < all; i++) {
		struct ranked r = {0};

		one = json_object_array_get_idx(osts, i);
		slu_json_str_opt(one, "name", &r.name, NULL);
		slu_json_double_opt(one, "cost", &r.cost, NULL);
		if (r.name &&
		    !json_object_object_get_ex(one, "left_out", &reason))
			list[n++] = r;
	}
	if (n > 0) {
		qsort(list, n, sizeof(*list), by_cost);
		json_object_put(m->ranking);
		m->ranking = json_object_new_array();
	}
	for (size_t i = 0; i < n; i++)
		json_object_array_add(m->ranking,
				      json_object_new_string(list[i].name));
	free(list);
}

void slu_ost_memory_learn(struct slu_ost_memory *m, struct json_object *answer,
			  double now)
{
	bool ranked = false;

	if (!json_object_is_type(answer, json_type_object))
		return;
	forget(m, now);
	learn_files(m, answer, now);
	slu_json_bool_opt(answer, "ranked", &ranked, NULL);
	if (!ranked && array(answer, "files"))
		learn_ranking(m, answer);
}

static void add(struct json_object *target, const char *key, double more)
{
	double v = 0;

	slu_json_double_opt(target, key, &v, NULL);
	slu_json_set_double(target, key, v + more);
}

/* {"NAME":target}; the targets are those of `servers`. What servers said of
 * these two keys is dropped. */
static struct json_object *by_name(struct json_object *servers)
{
	struct json_object *map = json_object_new_object();
	struct json_object_iter at;

	json_object_object_foreachC(servers, at)
	{
		struct json_object *list = array(at.val, "osts"), *one;

		for (size_t i = 0; list && i < json_object_array_length(list);
		     i++) {
			const char *name = NULL;

			one = json_object_array_get_idx(list, i);
			slu_json_str_opt(one, "name", &name, NULL);
			if (!name)
				continue;
			json_object_object_del(one, "recent");
			json_object_object_del(one, "promised");
			json_object_object_add(map, name, json_object_get(one));
		}
	}
	return map;
}

void slu_ost_memory_tell(const struct slu_ost_memory *m,
			 struct json_object *servers, double now)
{
	struct json_object *map = by_name(servers), *target;

	for (size_t i = 0; i < m->n; i++) {
		const struct stripe *s =
			&m->ring[(m->first + i) % SLU_OST_MEMORY_MAX];
		double left = 1 - (now - s->when) / SLU_OST_MEMORY_SECONDS;

		if (left <= 0 ||
		    !json_object_object_get_ex(map, s->name, &target))
			continue;
		add(target, "recent", left > 1 ? 1 : left);
		add(target, "promised", s->kib);
	}
	json_object_put(map);
}

struct json_object *slu_ost_memory_ranking(const struct slu_ost_memory *m)
{
	return m->ranking;
}
