/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin cli_filter/sluice: runs sluice-preview on the request of a job, in
 * sbatch, salloc and srun, as the user. This only prints warnings: nothing is
 * refused here, and a submission is delayed by WAIT_MS at most. Links none of
 * our libraries.
 *
 * A script from sbatch's standard input is not checked, because it can be read
 * only once.
 */
#include "config.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include "src/common/slurm_opt.h"

#define WAIT_MS 3000
#define PREVIEW SLU_BINDIR "/sluice-preview"
#define WORDS	12

const char plugin_name[] = "Sluice command line filter plugin";
const char plugin_type[] = "cli_filter/sluice";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void);
int fini(void);
int cli_filter_p_setup_defaults(slurm_opt_t *opt, bool early);
int cli_filter_p_pre_submit(slurm_opt_t *opt, int offset);
void cli_filter_p_post_submit(int offset, uint32_t job, uint32_t step);

int init(void)
{
	return SLURM_SUCCESS;
}

int fini(void)
{
	return SLURM_SUCCESS;
}

int cli_filter_p_setup_defaults(slurm_opt_t *opt, bool early)
{
	(void)opt, (void)early;
	return SLURM_SUCCESS;
}

/* Runs sluice-preview in a grandchild, so that no process has to wait for it.
 * It inherits only the pipe: if it hangs, it does not keep the submitter's
 * files open. */
static void become_preview(char *const *argv, int out)
{
	int null = open("/dev/null", O_RDWR);

	if (fork() != 0 || null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    dup2(out, 2) < 0)
		_exit(0);
	close_range(3, ~0U, 0);
	execv(argv[0], argv);
	_exit(0);
}

static int left_ms(const struct timespec *from)
{
	struct timespec now;
	long ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (now.tv_sec - from->tv_sec) * 1000 +
	     (now.tv_nsec - from->tv_nsec) / 1000000;
	return ms < WAIT_MS ? (int)(WAIT_MS - ms) : 0;
}

/* Copies its output to standard error until it ends or the time is over. */
static void relay(int in)
{
	struct pollfd p = {.fd = in, .events = POLLIN};
	struct timespec from;
	char text[4096];
	ssize_t n;

	clock_gettime(CLOCK_MONOTONIC, &from);
	while (poll(&p, 1, left_ms(&from)) > 0 &&
	       (n = read(in, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)n, stderr);
}

static void run(char *const *argv)
{
	int out[2], status;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC))
		return;
	pid = fork();
	if (pid == 0)
		become_preview(argv, out[1]);
	close(out[1]);
	if (pid > 0) {
		waitpid(pid, &status, 0);
		relay(out[0]);
	}
	close(out[0]);
}

/* The path of sbatch's script. Before 23.02 it is the first of sbatch's own
 * arguments. */
static char *script_of(const slurm_opt_t *opt)
{
	const sbatch_opt_t *sbatch = opt->sbatch_opt;

	if (!sbatch || sbatch->wrap)
		return NULL;
#ifdef HAVE_SBATCH_OPT_T_SCRIPT_ARGV
	return sbatch->script_argc > 0 ? sbatch->script_argv[0] : NULL;
#else
	return opt->argc > 0 ? opt->argv[0] : NULL;
#endif
}

int cli_filter_p_pre_submit(slurm_opt_t *opt, int offset)
{
	char *script = script_of(opt), nodes[16];
	char *argv[WORDS] = {PREVIEW, "--quiet"};
	size_t n = 2;

	(void)offset; /* of a heterogeneous job */
	/* A step within a job has no request. */
	if ((!script && !opt->burst_buffer) ||
	    (opt->srun_opt && getenv("SLURM_JOB_ID")))
		return SLURM_SUCCESS;
	if (opt->burst_buffer) {
		argv[n++] = "--bb";
		argv[n++] = opt->burst_buffer;
	}
	if (opt->min_nodes > 0) {
		snprintf(nodes, sizeof(nodes), "%d", opt->min_nodes);
		argv[n++] = "--nodes";
		argv[n++] = nodes;
	}
	if (opt->job_name) {
		argv[n++] = "--name";
		argv[n++] = opt->job_name;
	}
	argv[n++] = "--";
	argv[n++] = script;
	run(argv);
	return SLURM_SUCCESS;
}

void cli_filter_p_post_submit(int offset, uint32_t job, uint32_t step)
{
	(void)offset, (void)job, (void)step;
}
