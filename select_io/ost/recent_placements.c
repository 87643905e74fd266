/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps recent placements in a ring buffer, the oldest first; each target has
 * the sums of its entries, and each user those of reservations. Stripes of one
 * user on one target within MERGED seconds share an entry, which bounds the
 * size of the ring.
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
#define MERGED	  4.0	/* seconds */

struct stripes {
	uint32_t target;
	uint32_t uid;	  /* whose they are */
	double n, n_time; /* number of stripes; the sum of their times */
	double kib, when; /* total size; time of the first */
};

struct target {
	double n, n_time, kib; /* sums of its entries */
	double queue, since;   /* KiB that were not written yet then */
	uint32_t entries;
	uint64_t newest; /* entry, if the target has any */
};

struct user {
	uint32_t uid, entries;
	double kib;
};

struct slu_recent_placements {
	struct stripes *ring;	     /* SLU_RECENT_PLACEMENTS_MAX */
	uint64_t first, end;	     /* entry numbers since the start */
	struct json_object *numbers; /* {NAME: index in `target`} */
	struct target *target;	     /* as many as there are names */
	struct user *user;
	size_t n_users, most_users;
	struct json_object *ranking;
};

struct slu_recent_placements *slu_recent_placements_new(void)
{
	struct slu_recent_placements *m = calloc(1, sizeof(*m));

	if (m)
		m->ring = calloc(SLU_RECENT_PLACEMENTS_MAX, sizeof(*m->ring));
	if (m)
		m->numbers = json_object_new_object();
	if (m && m->ring && m->numbers)
		return m;
	slu_recent_placements_free(m);
	return NULL;
}

void slu_recent_placements_free(struct slu_recent_placements *m)
{
	if (!m)
		return;
	json_object_put(m->ranking);
	json_object_put(m->numbers);
	free(m->target);
	free(m->user);
	free(m->ring);
	free(m);
}

uint32_t slu_recent_placements_number(struct slu_recent_placements *m,
				      const char *name)
{
	size_t n = (size_t)json_object_object_length(m->numbers);
	struct json_object *v;
	struct target *more;

	if (json_object_object_get_ex(m->numbers, name, &v))
		return (uint32_t)json_object_get_int64(v);
	if (strlen(name) >= NAME_SIZE || n == INDEXES)
		return SLU_RECENT_NONE;
	more = realloc(m->target, (n + 1) * sizeof(*more));
	if (!more)
		return SLU_RECENT_NONE;
	m->target = more;
	more[n] = (struct target){0};
	json_object_object_add(m->numbers, name,
			       json_object_new_int64((int64_t)n));
	return (uint32_t)n;
}

static struct user *find_user(const struct slu_recent_placements *m,
			      uint32_t uid)
{
	for (size_t i = 0; i < m->n_users; i++)
		if (m->user[i].uid == uid)
			return &m->user[i];
	return NULL;
}

/* NULL: no memory. */
static struct user *add_user(struct slu_recent_placements *m, uint32_t uid)
{
	struct user *u = find_user(m, uid);
	size_t most = m->most_users ? 2 * m->most_users : 16;

	if (u)
		return u;
	if (m->n_users == m->most_users) {
		u = realloc(m->user, most * sizeof(*u));
		if (!u)
			return NULL;
		m->user = u;
		m->most_users = most;
	}
	u = &m->user[m->n_users++];
	*u = (struct user){.uid = uid};
	return u;
}

static struct stripes *entry(const struct slu_recent_placements *m, uint64_t i)
{
	return &m->ring[i % SLU_RECENT_PLACEMENTS_MAX];
}

static void drop_first(struct slu_recent_placements *m)
{
	const struct stripes *s = entry(m, m->first++);
	struct target *t = &m->target[s->target];
	struct user *u = find_user(m, s->uid);

	t->n -= s->n;
	t->n_time -= s->n_time;
	t->kib -= s->kib;
	if (--t->entries == 0)
		*t = (struct target){0};
	u->kib -= s->kib;
	if (--u->entries == 0)
		*u = m->user[--m->n_users];
}

void slu_recent_placements_forget(struct slu_recent_placements *m, double now)
{
	while (m->first < m->end &&
	       entry(m, m->first)->when <= now - SLU_RECENT_PLACEMENTS_SECONDS)
		drop_first(m);
}

/* The entry to which these may be added; NULL: none. */
static struct stripes *newest(const struct slu_recent_placements *m,
			      uint32_t target, uint32_t uid, double now)
{
	const struct target *t = &m->target[target];
	struct stripes *s = t->entries ? entry(m, t->newest) : NULL;

	return s && s->uid == uid && now - s->when < MERGED ? s : NULL;
}

static void note(struct slu_recent_placements *m, const struct stripes *what)
{
	struct stripes *s = newest(m, what->target, what->uid, what->when);
	struct user *u = add_user(m, what->uid);
	struct target *t;

	if (!u)
		return;
	if (s) {
		s->n += what->n;
		s->n_time += what->n_time;
		s->kib += what->kib;
	} else {
		u->entries++; /* before the oldest entry is evicted */
		if (m->end - m->first == SLU_RECENT_PLACEMENTS_MAX)
			drop_first(m);
		m->target[what->target].entries++;
		m->target[what->target].newest = m->end;
		*entry(m, m->end++) = *what;
		u = find_user(m, what->uid);
	}
	t = &m->target[what->target];
	t->n += what->n;
	t->n_time += what->n_time;
	t->kib += what->kib;
	u->kib += what->kib;
	if (t->queue == 0)
		t->since = what->when;
	t->queue +=
		what->kib > 0 ? what->kib : what->n * SLU_RECENT_PLACEMENTS_KIB;
}

void slu_recent_placements_of(const struct slu_recent_placements *m,
			      uint32_t number, double now, double *stripes,
			      double *kib)
{
	const struct target *t = &m->target[number];
	double gone = (t->n * now - t->n_time) / SLU_RECENT_PLACEMENTS_SECONDS;

	*stripes = fmin(fmin(t->n, fmax(0, t->n - gone)), SLU_OST_RECENT_MAX);
	*kib = t->kib;
}

double slu_recent_placements_waits(struct slu_recent_placements *m,
				   uint32_t number, double now, double rate)
{
	const double most = SLU_RECENT_PLACEMENTS_SECONDS * rate / 1024;
	struct target *t = &m->target[number];

	if (t->queue == 0 || !(rate > 0))
		return 0;
	t->queue = fmax(0, t->queue - (now - t->since) * rate / 1024);
	/* What never came, or was sooner written, is not waited for longer. */
	t->queue = fmin(t->queue, most);
	t->since = now;
	return SLU_RECENT_PLACEMENTS_SECONDS * t->queue / most;
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

/* {"NAME":stripes}, summed over all files. */
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

/* Names of usable targets, the best first. */
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

/* KiB that may still be reserved for this user, out of `kib`. */
static double budget(const struct slu_recent_placements *m, double kib,
		     uint32_t uid)
{
	const struct user *u = find_user(m, uid);

	return uid == 0 ? INFINITY : fmax(0, kib / 4 - (u ? u->kib : 0));
}

void slu_recent_placements_placed(struct slu_recent_placements *m,
				  const struct slu_placed_stripes *p,
				  uint32_t uid, double now)
{
	double all = 0, share = 1, due = 0, n;

	slu_recent_placements_forget(m, now);
	for (size_t i = 0; i < p->n; i++)
		all += p->kib * p->stripes[i];
	if (all > 0)
		share = fmin(1, budget(m, p->available, uid) / all);
	for (size_t i = 0; i < p->n; i++) {
		/* carries the fraction of a stripe to the next target */
		due += share * p->stripes[i];
		n = floor(due + ROUNDING);
		due -= n;
		if (n > 0 && p->number[i] != SLU_RECENT_NONE)
			note(m, &(struct stripes){.target = p->number[i],
						  .uid = uid,
						  .n = n,
						  .n_time = n * now,
						  .kib = n * p->kib,
						  .when = now});
	}
}

/* Converts the names of the answer to target numbers. */
static void learn_stripes(struct slu_recent_placements *m,
			  struct json_object *lesson, uint32_t uid, double now)
{
	struct slu_placed_stripes p = {0};
	struct json_object *stripes = NULL;
	struct json_object_iter at;
	uint32_t *number, *count;
	size_t n;

	slu_json_double_opt(lesson, "kib", &p.kib, NULL);
	slu_json_double_opt(lesson, "available", &p.available, NULL);
	json_object_object_get_ex(lesson, "stripes", &stripes);
	if (!json_object_is_type(stripes, json_type_object) || !(p.kib >= 0))
		return;
	n = (size_t)json_object_object_length(stripes);
	number = calloc(2 * n + 1, sizeof(*number));
	if (!number)
		return;
	count = number + n;
	json_object_object_foreachC(stripes, at)
	{
		number[p.n] = slu_recent_placements_number(m, at.key);
		count[p.n++] = (uint32_t)json_object_get_int64(at.val);
	}
	p.number = number;
	p.stripes = count;
	slu_recent_placements_placed(m, &p, uid, now);
	free(number);
}

/* Replaces the ranking of this file system; others remain. */
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
	learn_stripes(m, lesson, uid, now);
	names = array(lesson, "ranking");
	if (names && json_object_array_length(names) > 0)
		learn_ranking(m, names);
}

/* What a server said of these keys is dropped. rate: bytes a second. */
static void write_target(struct slu_recent_placements *m,
			 struct json_object *target, double rate, double now)
{
	const char *name = NULL;
	struct json_object *v;
	double stripes, kib;
	uint32_t number;

	json_object_object_del(target, "recent");
	json_object_object_del(target, "promised");
	json_object_object_del(target, "waiting");
	slu_json_str_opt(target, "name", &name, NULL);
	if (!name || !json_object_object_get_ex(m->numbers, name, &v))
		return;
	number = (uint32_t)json_object_get_int64(v);
	slu_recent_placements_of(m, number, now, &stripes, &kib);
	if (stripes > 0) {
		slu_json_set_double(target, "recent", stripes);
		slu_json_set_double(target, "promised", kib);
		slu_json_set_double(
			target, "waiting",
			slu_recent_placements_waits(m, number, now, rate));
	}
}

double slu_recent_placements_rate(double peak, size_t servers, size_t targets)
{
	return targets > 0 ? peak * (double)servers / (double)targets : 0;
}

static double rate_of(struct json_object *servers)
{
	size_t n = 0, targets = 0;
	struct json_object_iter at;
	double peak = 0;

	json_object_object_foreachC(servers, at)
	{
		struct json_object *list = array(at.val, "osts");
		double one = 0;

		if (!list || json_object_array_length(list) == 0)
			continue;
		slu_json_double_opt(at.val, "peak", &one, NULL);
		peak = fmax(peak, one);
		targets += json_object_array_length(list);
		n++;
	}
	return slu_recent_placements_rate(peak, n, targets);
}

void slu_recent_placements_write(struct slu_recent_placements *m,
				 struct json_object *servers, double now)
{
	const double rate = rate_of(servers);
	struct json_object_iter at;

	slu_recent_placements_forget(m, now);
	json_object_object_foreachC(servers, at)
	{
		struct json_object *list = array(at.val, "osts");
		size_t n = list ? json_object_array_length(list) : 0;

		for (size_t i = 0; i < n; i++)
			write_target(m, json_object_array_get_idx(list, i),
				     rate, now);
	}
}

struct json_object *
slu_recent_placements_ranking(const struct slu_recent_placements *m)
{
	return m->ranking;
}
