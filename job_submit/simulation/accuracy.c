/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps one record per job: its error, and the ids (intern.h) of its user,
 * partition and week of end. For each of these three groupings the records are
 * sorted by id, then by error: a group is then a range, and its median the
 * middle record.
 */
#include "job_submit/simulation/accuracy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/jsonx.h"
#include "job_submit/ended.h"
#include "job_submit/history/job_history.h"
#include "job_submit/simulation/intern.h"

#define DAY 86400

enum { USER, PARTITION, WEEK, LISTS };
static const char *const list_name[LISTS] = {"user", "partition", "week"};

struct miss {
	uint32_t group[LISTS]; /* ids of names */
	bool under;	       /* it ran longer than predicted */
	bool tight;	       /* its limit was tightened */
	bool longer;	       /* and extended */
	double error;	       /* |predicted - run|, s */
	double asked;	       /* |request - run|, s; -1: none */
};

struct slu_accuracy {
	struct slu_intern *names;
	struct miss *miss;
	size_t n, room;
	int list; /* the grouping to sort by; LISTS: none */
};

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

struct slu_accuracy *slu_accuracy_new(struct slu_err *err)
{
	struct slu_accuracy *a = calloc(1, sizeof(*a));

	if (a)
		a->names = slu_intern_new();
	if (a && a->names)
		return a;
	slu_accuracy_free(a);
	nomem(err);
	return NULL;
}

void slu_accuracy_free(struct slu_accuracy *a)
{
	if (a) {
		slu_intern_free(a->names);
		free(a->miss);
	}
	free(a);
}

void slu_accuracy_day(int64_t when, char out[16])
{
	time_t day = when;
	struct tm tm;

	if (!gmtime_r(&day, &tm) || !strftime(out, 16, "%F", &tm))
		snprintf(out, 16, "?");
}

void slu_accuracy_week(int64_t when, char out[16])
{
	slu_accuracy_day(when - (when / DAY + 3) % 7 * DAY, out);
}

static int grow(struct slu_accuracy *a)
{
	size_t room = a->room ? 2 * a->room : 1024;
	struct miss *miss = realloc(a->miss, room * sizeof(*miss));

	if (!miss)
		return -1;
	a->miss = miss;
	a->room = room;
	return 0;
}

/* Sets the ids of its groups; -1 without memory. */
static int name_groups(struct slu_accuracy *a, const struct slu_job *j,
		       struct miss *miss)
{
	char uid[16], week[16];

	snprintf(uid, sizeof(uid), "%u", j->uid);
	slu_accuracy_week(j->end, week);
	miss->group[USER] = slu_intern_put(a->names, j->user ? j->user : uid);
	miss->group[PARTITION] =
		slu_intern_put(a->names, j->partition ? j->partition : "");
	miss->group[WEEK] = slu_intern_put(a->names, week);
	for (int i = 0; i < LISTS; i++)
		if (miss->group[i] == SLU_INTERN_NONE)
			return -1;
	return 0;
}

int slu_accuracy_note(struct slu_accuracy *a, const struct slu_job *j,
		      struct slu_err *err)
{
	double run = (double)slu_run_time(j);
	struct miss miss = {
		.error = fabs((double)j->predicted - run),
		.asked = j->limit_asked
				 ? fabs((double)j->limit_asked * 60 - run)
				 : -1,
		.under = run > (double)j->predicted,
		.tight = j->tightened,
		.longer = j->extended,
	};

	if (!j->predicted || run <= 0 || !slu_ended_own_way(j))
		return 0;
	if ((a->n == a->room && grow(a) < 0) || name_groups(a, j, &miss) < 0)
		return nomem(err);
	a->miss[a->n++] = miss;
	return 0;
}

static int by_group(const void *a, const void *b, void *arg)
{
	const struct slu_accuracy *all = arg;
	const struct miss *x = a, *y = b;
	uint32_t m, n;

	if (all->list < LISTS) {
		m = x->group[all->list];
		n = y->group[all->list];
		if (m != n)
			return strcmp(slu_intern_text(all->names, m),
				      slu_intern_text(all->names, n));
	}
	return (x->error > y->error) - (x->error < y->error);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median excess of a group's requests over the run times, or -1. */
static double median_asked(const struct miss *miss, size_t n, double *scratch)
{
	size_t asked = 0;

	for (size_t i = 0; i < n; i++)
		if (miss[i].asked >= 0)
			scratch[asked++] = miss[i].asked;
	qsort(scratch, asked, sizeof(*scratch), ascending);
	return asked ? (scratch[(asked - 1) / 2] + scratch[asked / 2]) / 2 : -1;
}

static void put_errors(struct json_object *obj, const struct miss *miss,
		       size_t n, double *scratch)
{
	double sum = 0, asked = median_asked(miss, n, scratch);
	size_t under = 0, tight = 0, longer = 0;

	for (size_t i = 0; i < n; i++) {
		sum += miss[i].error;
		under += miss[i].under;
		tight += miss[i].tight;
		longer += miss[i].longer;
	}
	slu_json_set_u64(obj, "jobs", n);
	slu_json_set_i64(
		obj, "median_error",
		llround((miss[(n - 1) / 2].error + miss[n / 2].error) / 2));
	slu_json_set_i64(obj, "mean_error", llround(sum / (double)n));
	if (asked >= 0)
		slu_json_set_i64(obj, "median_error_asked", llround(asked));
	slu_json_set_double(obj, "under",
			    round(1000 * (double)under / (double)n) / 1000);
	if (tight) {
		slu_json_set_u64(obj, "tightened", tight);
		slu_json_set_u64(obj, "extended", longer);
	}
}

static void sort(struct slu_accuracy *a, int list)
{
	a->list = list;
	if (a->n)
		qsort_r(a->miss, a->n, sizeof(*a->miss), by_group, a);
}

static struct json_object *list_json(struct slu_accuracy *a, int list,
				     double *scratch)
{
	struct json_object *out = json_object_new_array(), *obj;
	size_t from = 0;

	sort(a, list);
	for (size_t i = 1; a->n && i <= a->n; i++) {
		const struct miss *first = &a->miss[from];

		if (i < a->n && a->miss[i].group[list] == first->group[list])
			continue;
		obj = json_object_new_object();
		slu_json_set_str(obj, list_name[list],
				 slu_intern_text(a->names, first->group[list]));
		put_errors(obj, first, i - from, scratch);
		json_object_array_add(out, obj);
		from = i;
	}
	return out;
}

struct json_object *slu_accuracy_json(struct slu_accuracy *a,
				      struct slu_err *err)
{
	double *scratch = calloc(a->n + 1, sizeof(*scratch));
	struct json_object *out = scratch ? json_object_new_object() : NULL;

	for (int i = 0; out && i < LISTS; i++)
		json_object_object_add(out, list_name[i],
				       list_json(a, i, scratch));
	free(scratch);
	if (!out)
		nomem(err);
	return out;
}

struct json_object *slu_accuracy_all(struct slu_accuracy *a,
				     struct slu_err *err)
{
	double *scratch = calloc(a->n + 1, sizeof(*scratch));
	struct json_object *out = scratch ? json_object_new_object() : NULL;

	sort(a, LISTS);
	if (out && a->n)
		put_errors(out, a->miss, a->n, scratch);
	free(scratch);
	if (!out)
		nomem(err);
	return out;
}

static int note_row(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	return slu_accuracy_note(arg, &row->job, err);
}

int slu_history_accuracy(struct slu_db *db,
			 const struct slu_history_query *query,
			 struct json_object **out, struct slu_err *err)
{
	struct slu_accuracy *a = slu_accuracy_new(err);

	*out = NULL;
	if (a && slu_history_each(db, query, note_row, a, err) == 0)
		*out = slu_accuracy_json(a, err);
	slu_accuracy_free(a);
	return *out ? 0 : -1;
}
