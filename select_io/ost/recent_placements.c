/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A ring of the stripes that were placed last, those of one answer on one
 * target together. They come in the order of their times, so that the old ones
 * are at its beginning.
 */
#include "config.h"
#include "select_io/ost/recent_placements.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"

#define NAME_SIZE 32	/* "fsname-OST0000" and to spare */
#define INDEXES	  65536 /* of targets */
#define ROUNDING  1e-9	/* of a stripe, in sums of shares */

struct stripes {
	char name[NAME_SIZE]; /* of their target */
	double n, kib, when;
	uint32_t uid; /* who was told them */
};

struct slu_recent_placements {
	struct stripes *ring; /* SLU_RECENT_PLACEMENTS_MAX */
	size_t first, n;
	struct json_object *ranking;
};

struct slu_recent_placements *slu_recent_placements_new(void)
{
	struct slu_recent_placements *m = calloc(1, sizeof(*m));

	if (m)
		m->ring = calloc(SLU_RECENT_PLACEMENTS_MAX, sizeof(*m->ring));
	if (m && m->ring)
		return m;
	slu_recent_placements_free(m);
	return NULL;
}

void slu_recent_placements_free(struct slu_recent_placements *m)
{
	if (!m)
		return;
	json_object_put(m->ranking);
	free(m->ring);
	free(m);
}

static void note(struct slu_recent_placements *m, const char *name,
		 const struct stripes *what)
{
	struct stripes *s =
		&m->ring[(m->first + m->n) % SLU_RECENT_PLACEMENTS_MAX];

	if (strlen(name) >= sizeof(s->name))
		return;
	if (m->n == SLU_RECENT_PLACEMENTS_MAX)
		m->first = (m->first + 1) % SLU_RECENT_PLACEMENTS_MAX;
	else
		m->n++;
	*s = *what;
	strcpy(s->name, name);
}

static void forget(struct slu_recent_placements *m, double now)
{
	while (m->n > 0 &&
	       m->ring[m->first].when < now - SLU_RECENT_PLACEMENTS_SECONDS) {
		m->first = (m->first + 1) % SLU_RECENT_PLACEMENTS_MAX;
		m->n--;
	}
}

static struct json_object *array(struct json_object *obj, const char *key)
{
	struct json_object *list = NULL;

	json_object_object_get_ex(obj, key, &list);
	return json_object_is_type(list, json_type_array) ? list : NULL;
}

/* Target names by their indexes, INDEXES of them. Caller frees. */
static const char **names_of(struct json_object *osts)
{
	const char **name = calloc(INDEXES, sizeof(*name));
	size_t n = osts ? json_object_array_length(osts) : 0;

	for (size_t i = 0; name && i < n; i++) {
		struct json_object *one = json_object_array_get_idx(osts, i);
		uint64_t is = UINT64_MAX;

		slu_json_u64_opt(one, "index", &is, NULL);
		if (is < INDEXES)
			slu_json_str_opt(one, "name", &name[is], NULL);
	}
	return name;
}

/* {"NAME":stripes} of all files. */
static struct json_object *count_stripes(struct json_object *files,
					 struct json_object *osts)
{
	struct json_object *all = json_object_new_object(), *file;
	uint32_t *count = calloc(INDEXES, sizeof(*count));
	const char **name = names_of(osts);

	for (size_t i = 0; name && count && i < json_object_array_length(files);
	     i++) {
		file = json_object_array_get_idx(files, i);
		for (size_t k = 0; json_object_is_type(file, json_type_array) &&
				   k < json_object_array_length(file);
		     k++) {
			int64_t at = json_object_get_int64(
				json_object_array_get_idx(file, k));

			if (at >= 0 && at < INDEXES)
				count[at]++;
		}
	}
	for (size_t i = 0; name && count && i < INDEXES; i++)
		if (count[i] > 0 && name[i])
			slu_json_set_u64(all, name[i], count[i]);
	free(count);
	free(name);
	return all;
}

static double available_kib(struct json_object *osts)
{
	size_t n = osts ? json_object_array_length(osts) : 0;
	double kib = 0;

	for (size_t i = 0; i < n; i++) {
		double bytes = 0;

		slu_json_double_opt(json_object_array_get_idx(osts, i),
				    "available", &bytes, NULL);
		kib += bytes / 1024;
	}
	return kib;
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

/* The names of those that may be used, the best first. */
static struct json_object *rank(struct json_object *osts)
{
	struct json_object *names = json_object_new_array(), *one, *reason;
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
	if (n > 0)
		qsort(list, n, sizeof(*list), by_cost);
	for (size_t i = 0; i < n; i++)
		json_object_array_add(names,
				      json_object_new_string(list[i].name));
	free(list);
	return names;
}

struct json_object *slu_recent_placements_of_answer(struct json_object *answer)
{
	struct json_object *lesson = json_object_new_object(), *osts, *files;
	bool ranked = false, dry = false;
	double bytes = 0;

	if (!json_object_is_type(answer, json_type_object))
		return lesson;
	osts = array(answer, "osts");
	files = array(answer, "files");
	slu_json_bool_opt(answer, "ranked", &ranked, NULL);
	slu_json_bool_opt(answer, "dry", &dry, NULL);
	slu_json_double_opt(answer, "stripe_bytes", &bytes, NULL);
	if (files && !dry) {
		slu_json_set_double(lesson, "kib", bytes / 1024);
		slu_json_set_double(lesson, "available", available_kib(osts));
		json_object_object_add(lesson, "stripes",
				       count_stripes(files, osts));
	}
	if (files && !ranked)
		json_object_object_add(lesson, "ranking", rank(osts));
	return lesson;
}

static bool same_system(const char *a, const char *b)
{
	const char *end = strstr(a, "-OST");
	size_t n = end ? (size_t)(end - a) + 4 : strlen(a);

	return strncmp(a, b, n) == 0;
}

/* KiB that may still be promised to this user, of `kib` that there are. */
static double budget(const struct slu_recent_placements *m, double kib,
		     uint32_t uid)
{
	if (uid == 0)
		return INFINITY;
	kib /= 4;
	for (size_t i = 0; i < m->n; i++) {
		const struct stripes *s =
			&m->ring[(m->first + i) % SLU_RECENT_PLACEMENTS_MAX];

		kib -= s->uid == uid ? s->kib : 0;
	}
	return fmax(0, kib);
}

/* Where not all may be promised, each target has its share of what may. */
static void learn_stripes(struct slu_recent_placements *m,
			  struct json_object *lesson, uint32_t uid, double now)
{
	struct json_object *stripes = NULL;
	double kib = 0, available = 0, all = 0, share = 1, due = 0;
	struct json_object_iter at;

	slu_json_double_opt(lesson, "kib", &kib, NULL);
	slu_json_double_opt(lesson, "available", &available, NULL);
	json_object_object_get_ex(lesson, "stripes", &stripes);
	if (!json_object_is_type(stripes, json_type_object) || !(kib >= 0))
		return;
	json_object_object_foreachC(stripes, at)
	{
		all += kib * json_object_get_double(at.val);
	}
	if (all > 0)
		share = fmin(1, budget(m, available, uid) / all);
	json_object_object_foreachC(stripes, at)
	{
		double n;

		/* the fraction of a stripe goes on to the next target */
		due += share * json_object_get_double(at.val);
		n = floor(due + ROUNDING);
		due -= n;
		if (n > 0)
			note(m, at.key,
			     &(struct stripes){.n = n,
					       .kib = n * kib,
					       .when = now,
					       .uid = uid});
	}
}

/* These stand for their file system; others stay as they are. */
static void learn_ranking(struct slu_recent_placements *m,
			  struct json_object *names)
{
	struct json_object *all = json_object_new_array(), *one;
	const char *first =
		json_object_get_string(json_object_array_get_idx(names, 0));
	size_t old = m->ranking ? json_object_array_length(m->ranking) : 0;

	for (size_t i = 0; i < old; i++) {
		one = json_object_array_get_idx(m->ranking, i);
		if (!same_system(first, json_object_get_string(one)))
			json_object_array_add(all, json_object_get(one));
	}
	for (size_t i = 0; i < json_object_array_length(names); i++)
		json_object_array_add(
			all,
			json_object_get(json_object_array_get_idx(names, i)));
	json_object_put(m->ranking);
	m->ranking = all;
}

void slu_recent_placements_add(struct slu_recent_placements *m,
			       struct json_object *lesson, uint32_t uid,
			       double now)
{
	struct json_object *names;

	if (!json_object_is_type(lesson, json_type_object))
		return;
	forget(m, now);
	learn_stripes(m, lesson, uid, now);
	names = array(lesson, "ranking");
	if (names && json_object_array_length(names) > 0)
		learn_ranking(m, names);
}

static void add(struct json_object *target, const char *key, double more,
		double most)
{
	double v = 0;

	slu_json_double_opt(target, key, &v, NULL);
	slu_json_set_double(target, key, fmin(v + more, most));
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

void slu_recent_placements_write(const struct slu_recent_placements *m,
				 struct json_object *servers, double now)
{
	struct json_object *map = by_name(servers), *target;

	for (size_t i = 0; i < m->n; i++) {
		const struct stripes *s =
			&m->ring[(m->first + i) % SLU_RECENT_PLACEMENTS_MAX];
		double left =
			1 - (now - s->when) / SLU_RECENT_PLACEMENTS_SECONDS;

		if (left <= 0 ||
		    !json_object_object_get_ex(map, s->name, &target))
			continue;
		add(target, "recent", s->n * (left > 1 ? 1 : left),
		    SLU_OST_RECENT_MAX);
		add(target, "promised", s->kib, INFINITY);
	}
	json_object_put(map);
}

struct json_object *
slu_recent_placements_ranking(const struct slu_recent_placements *m)
{
	return m->ranking;
}
