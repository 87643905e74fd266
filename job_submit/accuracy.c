/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How good the predictions were: every job that had one, and was not ended by
 * the system (ended.h), is noted under its user, its partition and the week it
 * ended in; each list is sorted by name and error, so that a group is a range
 * and its median the middle.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/jsonx.h"
#include "job_submit/ended.h"
#include "job_submit/history.h"

#define DAY  86400
#define NAME 48

struct miss {
	char group[NAME];
	double error; /* |predicted - run|, s */
	double asked; /* |request - run|, s; -1: none */
	bool under;   /* it ran longer than predicted */
	bool tight;   /* its limit was tightened */
	bool longer;  /* and extended */
};

enum { USER, PARTITION, WEEK, LISTS };
static const char *const list_name[LISTS] = {"user", "partition", "week"};

struct misses {
	struct miss *miss[LISTS];
	size_t n, room;
};

/* The Monday before, as 2026-11-16. */
static void week_of(int64_t when, char out[NAME])
{
	time_t monday = when - (when / DAY + 3) % 7 * DAY;
	struct tm tm;

	if (!gmtime_r(&monday, &tm) || !strftime(out, NAME, "%F", &tm))
		snprintf(out, NAME, "?");
}

static int grow(struct misses *m)
{
	size_t room = m->room ? 2 * m->room : 1024;

	for (int i = 0; i < LISTS; i++) {
		struct miss *p = realloc(m->miss[i], room * sizeof(*p));

		if (!p)
			return -1;
		m->miss[i] = p;
	}
	m->room = room;
	return 0;
}

static int note_row(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	struct misses *m = arg;
	const struct slu_job *j = &row->job;
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
	if (m->n == m->room && grow(m) < 0)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (int i = 0; i < LISTS; i++)
		m->miss[i][m->n] = miss;
	if (j->user)
		snprintf(m->miss[USER][m->n].group, NAME, "%s", j->user);
	else
		snprintf(m->miss[USER][m->n].group, NAME, "%u", j->uid);
	snprintf(m->miss[PARTITION][m->n].group, NAME, "%s",
		 j->partition ? j->partition : "");
	week_of(j->end, m->miss[WEEK][m->n].group);
	m->n++;
	return 0;
}

static int by_group(const void *a, const void *b)
{
	const struct miss *x = a, *y = b;
	int rc = strcmp(x->group, y->group);

	return rc ? rc : (x->error > y->error) - (x->error < y->error);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of what the jobs of a group asked too much, or -1. */
static double median_asked(const struct miss *miss, size_t n, double *scratch)
{
	size_t asked = 0;

	for (size_t i = 0; i < n; i++)
		if (miss[i].asked >= 0)
			scratch[asked++] = miss[i].asked;
	qsort(scratch, asked, sizeof(*scratch), ascending);
	return asked ? (scratch[(asked - 1) / 2] + scratch[asked / 2]) / 2 : -1;
}

static struct json_object *group_json(const char *list, const struct miss *miss,
				      size_t n, double *scratch)
{
	struct json_object *obj = json_object_new_object();
	double sum = 0, asked = median_asked(miss, n, scratch);
	size_t under = 0, tight = 0, longer = 0;

	for (size_t i = 0; i < n; i++) {
		sum += miss[i].error;
		under += miss[i].under;
		tight += miss[i].tight;
		longer += miss[i].longer;
	}
	slu_json_set_str(obj, list, miss->group);
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
	return obj;
}

static struct json_object *list_json(const char *list, struct miss *miss,
				     size_t n, double *scratch)
{
	struct json_object *out = json_object_new_array();
	size_t from = 0;

	if (n)
		qsort(miss, n, sizeof(*miss), by_group);
	for (size_t i = 1; n && i <= n; i++)
		if (i == n || strcmp(miss[i].group, miss[from].group) != 0) {
			json_object_array_add(out,
					      group_json(list, &miss[from],
							 i - from, scratch));
			from = i;
		}
	return out;
}

int slu_history_accuracy(struct slu_db *db,
			 const struct slu_history_query *query,
			 struct json_object **out, struct slu_err *err)
{
	struct misses m = {0};
	double *scratch = NULL;
	int rc = slu_history_each(db, query, note_row, &m, err);

	if (rc == 0) {
		scratch = calloc(m.n + 1, sizeof(*scratch));
		if (!scratch)
			rc = slu_err(err, SLU_NOMEM, "out of memory");
	}
	if (rc == 0) {
		*out = json_object_new_object();
		for (int i = 0; i < LISTS; i++)
			json_object_object_add(*out, list_name[i],
					       list_json(list_name[i],
							 m.miss[i], m.n,
							 scratch));
	}
	for (int i = 0; i < LISTS; i++)
		free(m.miss[i]);
	free(scratch);
	return rc;
}
