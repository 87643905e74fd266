/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery prestage: shows which pending jobs' inputs are copied to nodes
 * before the jobs start (PrestageTo), and how much of the data copied so far
 * was used.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include "common/jsonx.h"
#include "common/size.h"

static void say_use(const struct slu_ask *ask, struct json_object *answer,
		    struct slu_buf *out)
{
	char prefetched[SLU_SIZE_TEXT], wasted[SLU_SIZE_TEXT];

	if (!slu_json_bool_at(answer, "on"))
		slu_ask_say(ask, out,
			    "nothing is brought ahead of jobs: PrestageTo is "
			    "off in sluice.conf");
	if (slu_json_u64_at(answer, "jobs"))
		slu_ask_say(
			ask, out,
			"since sluiced started %s were brought ahead of "
			"jobs and are over; %s of it were not used",
			slu_size_text(slu_json_u64_at(answer, "brought_bytes"),
				      prefetched),
			slu_size_text(slu_json_u64_at(answer, "wasted_bytes"),
				      wasted));
}

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	static const struct slu_column columns[] = {
		{"job_id", "JOB", .type = SLU_COL_PLAIN},
		{"node", "NODE", .type = SLU_COL_PLAIN},
		{"state", "INPUT", .type = SLU_COL_PLAIN},
		{"since", "PROBABLE_SINCE", .type = SLU_COL_TIME, .drop = 2},
		{"brought_bytes", "BROUGHT", .type = SLU_COL_BYTES},
		{"why", "WHY", .type = SLU_COL_PLAIN, .drop = 1},
		{.key = NULL}};
	struct json_object *rows = slu_json_at(answer, "waiting");
	int ret = slu_json_length(rows)
			  ? slu_ask_tabulate(ask, rows, columns, out, err)
			  : 0;

	if (ret == 0 && slu_json_bool_at(answer, "on") &&
	    !slu_json_length(rows))
		slu_ask_say(ask, out,
			    "no job waits whose inputs could be brought ahead "
			    "of it");
	if (ret == 0)
		say_use(ask, answer, out);
	return ret;
}

int slu_cmd_prestage(struct slu_ask *ask, struct slu_err *err)
{
	return slu_ask_render(ask, "prestage", show, err);
}
