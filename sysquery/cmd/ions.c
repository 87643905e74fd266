/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery ions: what each job holds now, and what changed at each start and
 * end of a job. */
#include "config.h"
#include "sysquery/ask.h"

#include <stdio.h>

#include "common/jsonx.h"

static const struct slu_column jobs[] = {
	{"job_id", "JOB", .type = SLU_COL_PLAIN},
	{"name", "NAME", .type = SLU_COL_PLAIN},
	{"nodes", "NODES", .type = SLU_COL_PLAIN, .drop = 2},
	{"ions", "IONS", .type = SLU_COL_PLAIN, .drop = 1},
	{"in_effect", "HOLDS", .type = SLU_COL_PLAIN},
	{"wanted", "WANTED", .type = SLU_COL_PLAIN},
	{"bandwidth", "MB/s", .type = SLU_COL_ROUND},
	{"why", "CURVE", .type = SLU_COL_TEXT, .drop = 3},
	{.key = NULL},
};
static const struct slu_column points[] = {
	{"ions", "IONS", .type = SLU_COL_PLAIN},
	{"runs", "RUNS", .type = SLU_COL_PLAIN},
	{"mean", "MEAN_MB/s", .type = SLU_COL_ROUND},
	{"spread", "SPREAD", .type = SLU_COL_ROUND},
	{"bandwidth", "BELIEVED", .type = SLU_COL_ROUND},
	{.key = NULL},
};
static const struct slu_column would[] = {
	{"job_id", "JOB", .type = SLU_COL_PLAIN},
	{"name", "NAME", .type = SLU_COL_PLAIN},
	{"now", "NOW", .type = SLU_COL_PLAIN},
	{"ions", "WOULD_HOLD", .type = SLU_COL_PLAIN},
	{"shared", "SHARED", .type = SLU_COL_PLAIN},
	{"bandwidth", "MB/s", .type = SLU_COL_ROUND},
	{.key = NULL},
};
static const struct slu_column events[] = {
	{"time", "TIME", .type = SLU_COL_TIME},
	{"event", "EVENT", .type = SLU_COL_PLAIN},
	{"policy", "POLICY", .type = SLU_COL_PLAIN, .drop = 2},
	{"total", "MB/s", .type = SLU_COL_ROUND},
	{"static_total", "STATIC", .type = SLU_COL_ROUND, .drop = 1},
	{"now", "NOW_HOLD", .type = SLU_COL_TEXT},
	{.key = NULL},
};

/* [{job_id, name, ions}] in a few words: "17 (ior): 2". */
static void add_words(struct json_object *event)
{
	struct json_object *list = NULL, *one;
	const char *name, *comma = "";
	struct slu_buf out = {0};
	uint64_t job, ions;

	json_object_object_get_ex(event, "changed", &list);
	for (size_t i = 0; json_object_is_type(list, json_type_array) &&
			   i < json_object_array_length(list);
	     i++) {
		one = json_object_array_get_idx(list, i);
		name = "";
		job = ions = 0;
		slu_json_u64_opt(one, "job_id", &job, NULL);
		slu_json_u64_opt(one, "ions", &ions, NULL);
		slu_json_str_opt(one, "name", &name, NULL);
		slu_buf_printf(&out, "%s%lu (%s): %lu", comma, job, name, ions);
		comma = ", ";
	}
	slu_json_set_str(event, "now", out.data);
	slu_buf_free(&out);
}

static double number(struct json_object *obj, const char *key)
{
	double v = 0;

	slu_json_double_opt(obj, key, &v, NULL);
	return v;
}

/* The bound, if anything is predicted at all, and what was gained since
 * yesterday. */
static void show_sums(const struct slu_ask *ask, struct json_object *answer,
		      struct slu_buf *out)
{
	double bound = number(answer, "bound"), fixed;
	struct json_object *gain;

	if (bound > 0 && number(answer, "total") > 0)
		slu_ask_say(ask, out, "no division reaches more than %.6g MB/s",
			    bound);
	if (number(answer, "table_total") > 0)
		slu_ask_say(ask, out,
			    "and by PerformanceTable, of jobs that were not "
			    "measured yet: %.6g MB/s (STATIC: %.6g)",
			    number(answer, "table_total"),
			    number(answer, "table_static"));
	if (!json_object_object_get_ex(answer, "gain", &gain))
		return;
	fixed = number(gain, "static_total");
	if (fixed > 0)
		slu_ask_say(ask, out,
			    "in the last 24 hours, %.3g of them on record: "
			    "%.6g MB/s, %.3g times what STATIC would have "
			    "reached",
			    number(gain, "seconds") / 3600,
			    number(gain, "total"),
			    number(gain, "total") / fixed);
}

static int show_what_if(const struct slu_ask *ask, struct json_object *what,
			struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = NULL;
	const char *policy = "";
	char head[192], table[64] = "";

	slu_json_str_opt(what, "policy", &policy, NULL);
	json_object_object_get_ex(what, "jobs", &list);
	if (number(what, "table_total") > 0)
		snprintf(table, sizeof(table), ", %.6g by PerformanceTable",
			 number(what, "table_total"));
	snprintf(head, sizeof(head),
		 "what if: policy %.16s, %.0f I/O node%s: %.6g MB/s "
		 "predicted%s",
		 policy, number(what, "pool"),
		 number(what, "pool") == 1 ? "" : "s", number(what, "total"),
		 table);
	if (list && json_object_array_length(list) == 0)
		slu_buf_puts(out, "\n"), slu_ask_say(ask, out, "%s", head);
	return slu_ask_section(ask, head, list, would, out, err);
}

/* The curve of the one job that was asked for. */
static int show_curve(const struct slu_ask *ask, struct json_object *jobs,
		      struct slu_buf *out, struct slu_err *err)
{
	struct json_object *curve;

	if (json_object_array_length(jobs) != 1 ||
	    !json_object_object_get_ex(json_object_array_get_idx(jobs, 0),
				       "curve", &curve))
		return 0;
	return slu_ask_section(ask, "what is known of it", curve, points, out,
			       err);
}

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = NULL;
	const char *policy = "-", *ions = "-";
	double total = 0, fixed = 0;

	slu_json_str_opt(answer, "policy", &policy, NULL);
	slu_json_str_opt(answer, "ions", &ions, NULL);
	slu_json_double_opt(answer, "total", &total, NULL);
	slu_json_double_opt(answer, "static_total", &fixed, NULL);
	slu_ask_say(ask, out,
		    "policy %s, I/O nodes %s: %.6g MB/s predicted (STATIC: "
		    "%.6g)",
		    policy, ions, total, fixed);
	show_sums(ask, answer, out);
	if (json_object_object_get_ex(answer, "what_if", &list))
		return show_what_if(ask, list, out, err);
	if (json_object_object_get_ex(answer, "jobs", &list) &&
	    (slu_ask_section(ask, NULL, list, jobs, out, err) ||
	     show_curve(ask, list, out, err)))
		return -1;
	if (!json_object_object_get_ex(answer, "history", &list))
		return 0;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		add_words(json_object_array_get_idx(list, i));
	return slu_ask_section(ask, NULL, list, events, out, err);
}

int slu_cmd_ions(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->n_operands &&
	    slu_ask_number(ask, "job_id", ask->operand[0], err))
		return -1;
	return slu_ask_render(ask, "ions", show, err);
}
