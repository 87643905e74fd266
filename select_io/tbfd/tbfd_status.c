/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints a saved state: which jobs are throttled, which lend, which borrow. */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <math.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/table.h"

static const struct slu_column job_columns[] = {
	{"job", "JOB", .type = SLU_COL_PLAIN},
	{"state", "STATE", .type = SLU_COL_PLAIN},
	{"nodes", "NODES", .type = SLU_COL_PLAIN},
	{"served", "RPC/s", .type = SLU_COL_ROUND},
	{"limit", "LIMIT", .type = SLU_COL_ROUND},
	{"record", "RECORD", .type = SLU_COL_PLAIN},
	{.key = NULL},
};

static struct json_object *list(struct json_object *obj, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(obj, key, &value);
	return json_object_is_type(value, json_type_array) ? value : NULL;
}

static double sum_of(struct json_object *rows, const char *key)
{
	double all = 0;

	for (size_t i = 0; rows && i < json_object_array_length(rows); i++) {
		double v = 0;

		slu_json_double_opt(json_object_array_get_idx(rows, i), key, &v,
				    NULL);
		all += v;
	}
	return all;
}

int slu_tbfd_status(struct json_object *state, double now, struct slu_buf *out,
		    struct slu_err *err)
{
	struct json_object *jobs = list(state, "jobs");
	struct json_object *targets = list(state, "targets");
	double saved = now, crowd = 0, limit = 0;

	slu_json_double_opt(state, "saved", &saved, NULL);
	slu_buf_printf(out,
		       "%zu targets, %.6g tokens a second, %.6g RPC/s served; "
		       "as of %.0f s ago\n",
		       targets ? json_object_array_length(targets) : 0,
		       sum_of(targets, "rate"), sum_of(jobs, "served"),
		       fmax(now - saved, 0));
	slu_json_double_opt(state, "crowd", &crowd, NULL);
	slu_json_double_opt(state, "crowd_limit", &limit, NULL);
	if (crowd > 0)
		slu_buf_printf(out,
			       "%.0f jobs without rules of their own (more "
			       "than the %d that are kept in mind, or with ids "
			       "that fit in none): each has the part of one "
			       "node, %.6g RPC/s\n",
			       crowd, SLU_TBF_UNTOLD, limit);
	if (!jobs || json_object_array_length(jobs) == 0) {
		slu_buf_puts(out, "No job has read or written here yet.\n");
		return 0;
	}
	return slu_table(jobs, job_columns, NULL, out, err);
}

static void metric(struct slu_buf *out, const char *name, const char *help,
		   double value)
{
	slu_buf_printf(out,
		       "# HELP sluice_tbf_%s %s\n# TYPE sluice_tbf_%s gauge\n"
		       "sluice_tbf_%s %.15g\n",
		       name, help, name, name, value);
}

/* A counter, for a release also by its former name. */
static void counter(struct slu_buf *out, const char *name, const char *help,
		    double value)
{
	slu_buf_printf(out,
		       "# HELP sluice_tbf_%s_total %s\n"
		       "# TYPE sluice_tbf_%s_total counter\n"
		       "sluice_tbf_%s_total %.15g\n",
		       name, help, name, name, value);
	metric(out, name, "As with _total, which replaces it.", value);
}

static size_t count_state(struct json_object *jobs, const char *word)
{
	size_t n = 0;

	for (size_t i = 0; jobs && i < json_object_array_length(jobs); i++) {
		const char *s = "";

		slu_json_str_opt(json_object_array_get_idx(jobs, i), "state",
				 &s, NULL);
		n += strcmp(s, word) == 0;
	}
	return n;
}

void slu_tbfd_metrics(struct json_object *state, struct slu_buf *out)
{
	static const char *const states[] = {"throttled", "lends", "borrows",
					     "even",	  "idle",  "exempt",
					     "crowd"};
	struct json_object *jobs = list(state, "jobs");
	double v = 0;

	slu_buf_puts(out, "# HELP sluice_tbf_jobs Jobs, by what they do.\n"
			  "# TYPE sluice_tbf_jobs gauge\n");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		slu_buf_printf(out, "sluice_tbf_jobs{state=\"%s\"} %zu\n",
			       states[i], count_state(jobs, states[i]));
	metric(out, "served", "RPCs served a second.", sum_of(jobs, "served"));
	metric(out, "limit", "RPCs a second that all rules let through.",
	       sum_of(jobs, "limit"));
	metric(out, "tokens", "Tokens a second of all targets.",
	       sum_of(list(state, "targets"), "rate"));
	slu_json_double_opt(state, "crowd", &v, NULL);
	metric(out, "crowd",
	       "Jobs without rules of their own: each has the part of one node.",
	       v);
	v = 0;
	slu_json_double_opt(state, "commands", &v, NULL);
	counter(out, "commands", "Rule commands written since the start.", v);
	v = 0;
	slu_json_double_opt(state, "refused", &v, NULL);
	counter(out, "refused", "Rule commands that Lustre refused.", v);
	v = 0;
	slu_json_double_opt(state, "saved", &v, NULL);
	metric(out, "saved", "When this was written (Unix seconds).", v);
}
