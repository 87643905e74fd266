/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Submits NUMBER batch jobs for two nodes and five minutes, by one process, for
 * bench/cycle.
 *
 *	submit CASE NUMBER
 *
 * Cases: `none` has no request, `short` requests a file system, `long` also 64
 * directories in it, together 13 KB. `text` has no request, but the script of
 * `long` as its submit line, which slurmctld keeps and never looks at. All
 * texts differ.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define DIRECTORIES 64
#define SCRIPT	    (DIRECTORIES * 256)

static void write_script(char script[SCRIPT], const char *kind, long i)
{
	bool is_long = !strcmp(kind, "long");
	FILE *out = fmemopen(script, SCRIPT, "w");

	if (!out)
		exit(1);
	fprintf(out, "#!/bin/sh\n");
	if (is_long || !strcmp(kind, "short"))
		fprintf(out, "#BB jobfs type=scratch capacity=%ld\n",
			(1L << 20) + i);
	for (int d = 0; d < DIRECTORIES && is_long; d++)
		fprintf(out,
			"#BB stage_in source=/pfs/%ld/%0140d/%d "
			"destination=$BB_JOBFS/%d type=directory\n",
			i, 0, d, d);
	fprintf(out, "true\n");
	fclose(out);
}

static int submit(const char *kind, long i)
{
	static char *env[] = {"PATH=/usr/bin:/bin", NULL};
	static char script[SCRIPT], text[SCRIPT];
	submit_response_msg_t *answer;
	job_desc_msg_t job;

	slurm_init_job_desc_msg(&job);
	write_script(script, kind, i);
	if (!strcmp(kind, "text")) {
		write_script(text, "long", i);
		job.submit_line = text;
	}
	job.name = "cycle";
	job.script = script;
	job.environment = env;
	job.env_size = 1;
	job.min_nodes = 2;
	job.time_limit = 5;
	job.user_id = getuid();
	job.group_id = getgid();
	job.work_dir = "/";
	job.std_out = "/dev/null";
	if (slurm_submit_batch_job(&job, &answer))
		return -1;
	slurm_free_submit_response_response_msg(answer);
	return 0;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : 0;

	slurm_init(NULL);
	for (long i = 1; i <= n; i++)
		if (submit(argv[1], i)) {
			slurm_perror("submit");
			return 1;
		}
	return n ? 0 : 2;
}
