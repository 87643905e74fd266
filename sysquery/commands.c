/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of subcommands: letters of options are those of args.c. */
#include "config.h"
#include "sysquery/ask.h"

const struct slu_command slu_commands[] = {
	{"resources", "[HOSTS]", "which storage has each host", "neW",
	 SLU_OPERANDS_MAX, slu_cmd_resources},
	{"hosts", "[HOSTS]", "hosts in the resource map", "nW",
	 SLU_OPERANDS_MAX, slu_cmd_hosts},
	{"extractors", "", "kinds of documents in the map", "", 0,
	 slu_cmd_extractors},
	{"sql", "[SELECT]", "select by content; alone: the views", "", 1,
	 slu_cmd_sql},
	{"history", "HOSTS", "what hosts have and had, since when", "e",
	 SLU_OPERANDS_MAX, slu_cmd_history},
	{"diff", "HOST [HOST]", "how hosts differ, or one since", "eS", 2,
	 slu_cmd_diff},
	{"check", "[SLURM.CONF]", "the map against slurm.conf", "", 1,
	 slu_cmd_check},
	{"buffers", "[JOBID]", "job file systems, their phases and bytes", "",
	 1, slu_cmd_buffers},
	{"ions", "[JOBID]", "who holds which I/O nodes, and why", "AQIXO", 1,
	 slu_cmd_ions},
	{"jobs", "", "ended jobs, predicted and real", "AUY", 0, slu_cmd_jobs},
	{"predict", "", "how long a job would run", "UNCMPKZE", 0,
	 slu_cmd_predict},
	{"import", "FORMAT FILE",
	 "history of others: swf, sacct, json, darshan", "", 2, slu_cmd_import},
	{"osts", "[place]", "Lustre's targets; which to use", "1BF", 1,
	 slu_cmd_osts},
	{"stripe", "explain", "how to stripe a file, and why", "BDGH2", 1,
	 slu_cmd_stripe},
	{"dump", "[TABLE...]", "all rows of the database (needs -f)", "",
	 SLU_OPERANDS_MAX, slu_cmd_dump},
	{"check-integrity", "", "is the database sound? (needs -f)", "", 0,
	 slu_cmd_check_integrity},
	{.name = NULL},
};
