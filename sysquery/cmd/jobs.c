/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery jobs: what was predicted, and what it took. */
#include "config.h"
#include "sysquery/ask.h"

int slu_cmd_jobs(struct slu_ask *ask, struct slu_err *err)
{
	static const struct slu_column columns[] = {
		{"job_id", "JOB", SLU_COL_PLAIN},
		{"user", "USER", SLU_COL_PLAIN},
		{"name", "NAME", SLU_COL_PLAIN},
		{"nodes", "NODES", SLU_COL_PLAIN},
		{"state", "STATE", SLU_COL_PLAIN},
		{"limit", "LIMIT_MIN", SLU_COL_PLAIN},
		{"predicted", "PREDICTED", SLU_COL_SECONDS},
		{"predicted_from", "FROM", SLU_COL_PLAIN},
		{"run", "RAN", SLU_COL_SECONDS},
		{"ions", "IONS", SLU_COL_PLAIN},
		{"read_bytes", "READ", SLU_COL_BYTES},
		{"written_bytes", "WRITTEN", SLU_COL_BYTES},
		{.key = NULL}};

	return slu_ask_show(ask, "jobs", columns, err);
}
