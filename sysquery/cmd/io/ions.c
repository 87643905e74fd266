/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery ions: shows the I/O nodes of each job now, and the changes at each
 * start and end of a job. */
#include "config.h"
#include "sysquery/cli/ask.h"
#include "sysquery/cmd/io/ions_replay.h"

#include <stdio.h>

#include "common/jsonx.h"

static const struct slu_column events[] = {
	{"time", "TIME", .type = SLU_COL_TIME},
	{"event", "EVENT", .type = SLU_COL_PLAIN},
	{"policy", "POLICY", .type = SLU_COL_PLAIN, .drop = 2},
	{"total", "MB/s", .type = SLU_COL_ROUND},
	{"static_total", "STATIC", .type = SLU_COL_ROUND, .drop = 1},
	{"measured_jobs", "ENDED", .type = SLU_COL_PLAIN, .drop = 3},
	{"predicted", "THEIRS", .type = SLU_COL_ROUND, .drop = 3},
	{"reached", "REACHED", .type = SLU_COL_ROUND, .drop = 4},
	{"now", "NOW_HOLD", .type = SLU_COL_TEXT},
	{.key = NULL},
};

/* Formats [{job_id, name, ions}] as "17 (ior): 2". */
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

/* Measured and predicted bandwidth; that of STATIC is an estimate. */
static void show_estimate(const struct slu_ask *ask, struct json_object *gain,
			  struct slu_buf *out)
{
	slu_ask_say(ask, out,
		    "%.0f runs of %.0f applications that ended in that time "
		    "reached %.6g MB/s on average",
		    slu_json_number_at(gain, "runs"),
		    slu_json_number_at(gain, "applications"),
		    slu_json_number_at(gain, "reached"));
	if (slu_json_number_at(gain, "high") > 0)
		slu_ask_say(ask, out,
			    "estimated from these: %.3g times what STATIC "
			    "would give (95 %%: %.3g to %.3g)",
			    slu_json_number_at(gain, "estimate"),
			    slu_json_number_at(gain, "low"),
			    slu_json_number_at(gain, "high"));
	else
		slu_ask_say(ask, out,
			    "too few applications to estimate what STATIC "
			    "would give");
}

static void show_gain(const struct slu_ask *ask, struct json_object *gain,
		      struct slu_buf *out)
{
	double hours = (slu_json_number_at(gain, "until") -
			slu_json_number_at(gain, "since")) /
		       3600;

	if (slu_json_number_at(gain, "static_total") > 0)
		slu_ask_say(ask, out,
			    "in the last %.4g hours, %.3g of them on record: "
			    "%.6g MB/s predicted (STATIC: %.6g)",
			    hours, slu_json_number_at(gain, "seconds") / 3600,
			    slu_json_number_at(gain, "total"),
			    slu_json_number_at(gain, "static_total"));
	if (slu_json_number_at(gain, "runs") > 0)
		show_estimate(ask, gain, out);
}

/* With --since: the gain of the divisions, in total and by application. */
static int show_past(const struct slu_ask *ask, struct json_object *answer,
		     struct slu_buf *out, struct slu_err *err)
{
	static const struct {
		const char *key, *heading;
	} part[] = {
		{"applications", "predicted and reached, by application"},
		{"days", "by day"},
		{"users", "by user and week, beside STATIC as predicted"},
	};

	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		if (slu_ask_part(ask, part[i].heading, answer,
				 slu_form_ions.keys, part[i].key, out, err))
			return -1;
	return 0;
}

/* The upper bound, if anything is predicted, and the gain since yesterday. */
static void show_sums(const struct slu_ask *ask, struct json_object *answer,
		      struct slu_buf *out)
{
	double bound = slu_json_number_at(answer, "bound");
	struct json_object *gain;

	if (bound > 0 && slu_json_number_at(answer, "total") > 0)
		slu_ask_say(ask, out,
			    "no assignment can reach more than "
			    "%.6g MB/s",
			    bound);
	if (slu_json_number_at(answer, "table_total") > 0)
		slu_ask_say(ask, out,
			    "in addition, by PerformanceTable, for jobs that "
			    "were not measured yet: %.6g MB/s (STATIC: "
			    "%.6g)",
			    slu_json_number_at(answer, "table_total"),
			    slu_json_number_at(answer, "table_static"));
	if (!json_object_object_get_ex(answer, "gain", &gain))
		return;
	show_gain(ask, gain, out);
}

static int show_what_if(const struct slu_ask *ask, struct json_object *what,
			struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = NULL;
	const char *policy = "";
	char head[192], table[64] = "";

	slu_json_str_opt(what, "policy", &policy, NULL);
	json_object_object_get_ex(what, "jobs", &list);
	if (slu_json_number_at(what, "table_total") > 0)
		snprintf(table, sizeof(table), ", %.6g by PerformanceTable",
			 slu_json_number_at(what, "table_total"));
	snprintf(head, sizeof(head),
		 "what if: policy %.16s, %.0f I/O node%s: %.6g MB/s "
		 "predicted%s",
		 policy, slu_json_number_at(what, "pool"),
		 slu_json_number_at(what, "pool") == 1 ? "" : "s",
		 slu_json_number_at(what, "total"), table);
	if (list && json_object_array_length(list) == 0)
		slu_buf_puts(out, "\n"), slu_ask_say(ask, out, "%s", head);
	return slu_ask_part(ask, head, what,
			    slu_key_find(slu_form_ions.keys, "what_if")->of,
			    "jobs", out, err);
}

/* The curve of the job that was asked for. */
static int show_curve(const struct slu_ask *ask, struct json_object *jobs,
		      struct slu_buf *out, struct slu_err *err)
{
	if (json_object_array_length(jobs) != 1)
		return 0;
	return slu_ask_part(ask, "what is known of it",
			    json_object_array_get_idx(jobs, 0),
			    slu_key_find(slu_form_ions.keys, "jobs")->of,
			    "curve", out, err);
}

static int show_jobs(const struct slu_ask *ask, struct json_object *jobs,
		     struct slu_buf *out, struct slu_err *err)
{
	if (!json_object_is_type(jobs, json_type_array))
		return slu_err(err, SLU_IO, "the answer is not a list");
	if (json_object_array_length(jobs) == 0 && !ask->fields)
		return 0;
	if (!ask->fields)
		slu_buf_puts(out, "\n");
	if (slu_ask_list(ask, &slu_form_ions, jobs, out, err))
		return -1;
	return show_curve(ask, jobs, out, err);
}

/* Totals, in a few sentences. */
static void show_totals(const struct slu_ask *ask, struct json_object *answer,
			struct slu_buf *out)
{
	const char *policy = NULL, *ions = NULL;

	slu_json_str_opt(answer, "policy", &policy, NULL);
	slu_json_str_opt(answer, "ions", &ions, NULL);
	if (!policy && !ions) {
		slu_ask_say(ask, out,
			    "no job has been assigned I/O nodes: the site "
			    "has none (IONodes in sluice.conf), or none has "
			    "begun");
		return;
	}
	slu_ask_say(ask, out,
		    "policy %s, I/O nodes %s: %.6g MB/s predicted (STATIC: "
		    "%.6g)",
		    policy ? policy : "-", ions ? ions : "-",
		    slu_json_number_at(answer, "total"),
		    slu_json_number_at(answer, "static_total"));
	show_sums(ask, answer, out);
}

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *list = NULL;

	if (!ask->fields)
		show_totals(ask, answer, out);
	if (json_object_object_get_ex(answer, "what_if", &list))
		return show_what_if(ask, list, out, err);
	if (json_object_object_get_ex(answer, "jobs", &list) &&
	    show_jobs(ask, list, out, err))
		return -1;
	if (ask->fields || !json_object_object_get_ex(answer, "history", &list))
		return 0;
	for (size_t i = 0; i < json_object_array_length(list); i++)
		add_words(json_object_array_get_idx(list, i));
	if (slu_ask_section(ask, NULL, list, events, out, err))
		return -1;
	return show_past(ask, answer, out, err);
}

/* The total run times of recorded jobs by policy and pool size. */
static int show_replay(const struct slu_ask *ask, struct json_object *answer,
		       struct slu_buf *out, struct slu_err *err)
{
	const struct slu_answer_key *keys =
		slu_key_find(slu_form_ions.keys, "replay")->of;
	struct json_object *replay = NULL, *pools;

	json_object_object_get_ex(answer, "replay", &replay);
	slu_ask_say(ask, out,
		    "%.0f jobs again, on %.0f nodes; the bandwidth by number "
		    "of I/O nodes is known for %.0f, and those are summed",
		    slu_json_number_at(replay, "jobs"),
		    slu_json_number_at(replay, "compute"),
		    slu_json_number_at(replay, "known"));
	if (slu_ask_part(ask, "by policy", replay, keys, "policies", out,
			 err) ||
	    slu_ask_part(ask, "by number of I/O nodes", replay, keys, "pools",
			 out, err))
		return -1;
	if (json_object_object_get_ex(replay, "pools", &pools))
		slu_ask_say(ask, out,
			    "up to %.0f I/O nodes each saves more node hours "
			    "than it takes itself",
			    slu_json_number_at(replay, "worth"));
	return 0;
}

static int run_replay(struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *answer;
	int rc;

	if (ask->server || ask->n_operands)
		return slu_err(err, SLU_INVALID,
			       "--replay reads the database itself: want -f DB "
			       "or the host of sluiced, and no job");
	answer = slu_ions_replay(ask, err);
	if (!answer)
		return -1;
	rc = slu_ask_present(ask, "ions", answer, show_replay, err);
	json_object_put(answer);
	return rc;
}

int slu_cmd_ions(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->explain && slu_ask_job(ask, ask->explain, err) < 0)
		return slu_err_prefix(err, "--explain");
	if (ask->replay)
		return run_replay(ask, err);
	if (ask->n_operands && slu_ask_job(ask, ask->operand[0], err))
		return -1;
	return slu_ask_render(ask, "ions", show, err);
}
