/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats the state that sluice-tbfd has saved to its file: as a table of jobs
 * for people (sluice-tbfd status: who is throttled, lends, borrows), and as
 * metrics for Prometheus. Reads only the JSON document, not the daemon or
 * Lustre. Numbers are RPCs, or bytes if the daemon's --rate is in bytes.
 */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/size.h"
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

/* The columns if tokens are bytes. */
static const struct slu_column byte_columns[] = {
	{"job", "JOB", .type = SLU_COL_PLAIN},
	{"state", "STATE", .type = SLU_COL_PLAIN},
	{"nodes", "NODES", .type = SLU_COL_PLAIN},
	{"served", "SERVED", .type = SLU_COL_PLAIN},
	{"limit", "LIMIT", .type = SLU_COL_PLAIN},
	{"record", "RECORD", .type = SLU_COL_PLAIN},
	{"rpc_bytes", "RPC", .type = SLU_COL_BYTES},
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

static bool in_bytes(struct json_object *state)
{
	const char *unit = "";

	slu_json_str_opt(state, "unit", &unit, NULL);
	return strcmp(unit, "bytes") == 0;
}

static double number_of(struct json_object *row, const char *key)
{
	double v = 0;

	slu_json_double_opt(row, key, &v, NULL);
	return v;
}

/* A copy of a job's row with its byte counts formatted as text. Caller puts. */
static struct json_object *byte_row(struct json_object *job)
{
	double record = number_of(job, "record");
	char text[SLU_RATE_TEXT], size[SLU_SIZE_TEXT], signed_size[32];
	struct json_object *row = json_object_new_object();

	json_object_object_foreach(job, key, value)
		json_object_object_add(row, key, json_object_get(value));
	slu_json_set_str(row, "served",
			 slu_rate_text(number_of(job, "served"), text));
	slu_json_set_str(row, "limit",
			 slu_rate_text(number_of(job, "limit"), text));
	snprintf(signed_size, sizeof(signed_size), "%s%s",
		 record < 0 ? "-" : "", slu_bytes_text(fabs(record), size));
	slu_json_set_str(row, "record", signed_size);
	return row;
}

static int byte_table(struct json_object *jobs, struct slu_buf *out,
		      struct slu_err *err)
{
	struct json_object *rows = json_object_new_array();
	int ret;

	for (size_t i = 0; i < json_object_array_length(jobs); i++)
		json_object_array_add(
			rows, byte_row(json_object_array_get_idx(jobs, i)));
	ret = slu_table(rows, byte_columns, NULL, out, err);
	json_object_put(rows);
	return ret;
}

/* "tokens a second, RPC/s served" */
static void say_totals(double rate, double served, bool bytes,
		       struct slu_buf *out)
{
	char a[SLU_RATE_TEXT], b[SLU_RATE_TEXT];

	if (bytes)
		slu_buf_printf(out, "%s, %s served", slu_rate_text(rate, a),
			       slu_rate_text(served, b));
	else
		slu_buf_printf(out, "%.6g tokens a second, %.6g RPC/s served",
			       rate, served);
}

/* I/O whose owner is not known, so that no rule limits it (--class). */
static void say_nobody(struct json_object *state, bool bytes,
		       struct slu_buf *out)
{
	double nobody = number_of(state, "nobody");
	char text[SLU_RATE_TEXT];

	if (!(nobody > 0))
		return;
	if (bytes)
		slu_buf_puts(out, slu_rate_text(nobody, text));
	else
		slu_buf_printf(out, "%.6g RPC/s", nobody);
	slu_buf_puts(out, " more of unknown owner, without a rule: neither "
			  "--nodes nor the job names (--class) say whose it "
			  "is\n");
}

int slu_tbfd_status(struct json_object *state, double now, struct slu_buf *out,
		    struct slu_err *err)
{
	struct json_object *jobs = list(state, "jobs");
	struct json_object *targets = list(state, "targets");
	double saved = now, crowd = 0, limit = 0;
	const char *of = "jobid";
	bool bytes = in_bytes(state);

	slu_json_double_opt(state, "saved", &saved, NULL);
	slu_buf_printf(out, "%zu targets, ",
		       targets ? json_object_array_length(targets) : 0);
	say_totals(sum_of(targets, "rate"), sum_of(jobs, "served"), bytes, out);
	slu_buf_printf(out, "; as of %.0f s ago\n", fmax(now - saved, 0));
	slu_json_double_opt(state, "crowd", &crowd, NULL);
	slu_json_double_opt(state, "crowd_limit", &limit, NULL);
	slu_json_str_opt(state, "class", &of, NULL);
	if (crowd > 0)
		slu_buf_printf(out,
			       "%.0f jobs have no rules of their own (more "
			       "than the %d that are remembered, or ids that "
			       "do not fit into a rule): ",
			       crowd, SLU_TBF_UNLISTED);
	if (crowd > 0 && strcmp(of, "jobid") == 0)
		slu_buf_printf(out,
			       "each has the share of one node, %.6g "
			       "%s\n",
			       limit, bytes ? "bytes/s" : "RPC/s");
	else if (crowd > 0)
		slu_buf_puts(out, "their I/O is charged to no class\n");
	say_nobody(state, bytes, out);
	if (!jobs || json_object_array_length(jobs) == 0) {
		slu_buf_puts(out, "No job has read or written here yet.\n");
		return 0;
	}
	return bytes ? byte_table(jobs, out, err)
		     : slu_table(jobs, job_columns, NULL, out, err);
}

static void metric(struct slu_buf *out, const char *name, const char *help,
		   double value)
{
	slu_buf_printf(out,
		       "# HELP sluice_tbf_%s %s\n# TYPE sluice_tbf_%s gauge\n"
		       "sluice_tbf_%s %.15g\n",
		       name, help, name, name, value);
}

/* A counter NAME_total; for one release also NAME, its former name. */
static void counter(struct slu_buf *out, const char *name, const char *help,
		    double value)
{
	slu_buf_printf(out,
		       "# HELP sluice_tbf_%s_total %s\n"
		       "# TYPE sluice_tbf_%s_total counter\n"
		       "sluice_tbf_%s_total %.15g\n",
		       name, help, name, name, value);
	metric(out, name, "Deprecated: the same as the counter with _total.",
	       value);
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

static void rates(struct json_object *state, bool bytes, struct slu_buf *out)
{
	struct json_object *jobs = list(state, "jobs");

	metric(out, bytes ? "served_bytes" : "served",
	       bytes ? "Bytes served a second." : "RPCs served a second.",
	       sum_of(jobs, "served"));
	metric(out, bytes ? "limit_bytes" : "limit",
	       bytes ? "Bytes a second that all rules let through."
		     : "RPCs a second that all rules let through.",
	       sum_of(jobs, "limit"));
	metric(out, bytes ? "tokens_bytes" : "tokens",
	       bytes ? "Bytes a second of all targets (--rate)."
		     : "Tokens a second of all targets.",
	       sum_of(list(state, "targets"), "rate"));
}

void slu_tbfd_metrics(struct json_object *state, struct slu_buf *out)
{
	static const char *const states[] = {"throttled", "lends", "borrows",
					     "even",	  "idle",  "exempt",
					     "crowd"};
	struct json_object *jobs = list(state, "jobs");
	double v = 0;

	slu_buf_puts(out, "# HELP sluice_tbf_jobs Jobs by state: throttled, "
			  "lends, borrows, even, idle, exempt, crowd.\n"
			  "# TYPE sluice_tbf_jobs gauge\n");
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		slu_buf_printf(out, "sluice_tbf_jobs{state=\"%s\"} %zu\n",
			       states[i], count_state(jobs, states[i]));
	rates(state, in_bytes(state), out);
	slu_json_double_opt(state, "crowd", &v, NULL);
	metric(out, "crowd",
	       "Jobs without rules of their own: each has the share of one "
	       "node.",
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
