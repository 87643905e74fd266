/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs srun in a process group of its own, and reads its output through a pipe;
 * ends it by SIGTERM, and SIGKILL GIVE_UP seconds later.
 */
#include "select_io/ionbench/step.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/str.h"

#define LOOK_MS	   100
#define GIVE_UP	   5.0 /* s from SIGTERM to SIGKILL for srun */
#define MAX_OUTPUT (16 << 20)

static pid_t start(char *const argv[], int *out, struct slu_err *err)
{
	int fd[2];
	pid_t pid;

	if (pipe(fd) < 0)
		return slu_errno(err, SLU_IO, "pipe");
	pid = fork();
	if (pid == 0) {
		signal(SIGTERM, SIG_DFL);
		signal(SIGINT, SIG_DFL);
		setpgid(0, 0);
		dup2(fd[1], 1);
		close(fd[0]);
		close(fd[1]);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return slu_errno(err, SLU_IO, "fork");
	}
	*out = fd[0];
	return pid;
}

/* Waits up to LOOK_MS for output of srun; false: end of file. */
static bool listen_to(int fd, struct slu_buf *out)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char data[4096];
	ssize_t n;

	if (poll(&p, 1, LOOK_MS) <= 0)
		return true;
	n = read(fd, data, sizeof(data));
	if (n > 0)
		slu_buf_add(out, data, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

/* On SIGTERM srun ends its tasks. */
static void end_it(pid_t pid)
{
	double until = slu_now_mono() + GIVE_UP;

	kill(-pid, SIGTERM);
	while (slu_now_mono() < until) {
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return;
		usleep(20000);
	}
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int add_up(char *text, struct slu_step_moved *all, struct slu_err *err)
{
	double first = 0, last = 0;
	char *line;
	int n = 0;

	*all = (struct slu_step_moved){0};
	while ((line = strsep(&text, "\n"))) {
		unsigned long long moved;
		double begun, ended;

		if (sscanf(line, "%llu %lf %lf", &moved, &begun, &ended) != 3)
			continue;
		first = n == 0 || begun < first ? begun : first;
		last = n == 0 || ended > last ? ended : last;
		all->least = n == 0 || moved < all->least ? moved : all->least;
		all->bytes += moved;
		n++;
	}
	if (n == 0)
		return slu_err(err, SLU_IO,
			       "no task reported the bytes that "
			       "it moved");
	all->seconds = last - first;
	return 0;
}

static int judge(int status, struct slu_err *err)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return slu_err(err, SLU_IO,
			       "srun was not found, or its tasks' "
			       "program");
	return slu_err(err, SLU_IO, "the step failed (%s %d)",
		       WIFEXITED(status) ? "exit code" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status)
					 : WTERMSIG(status));
}

int slu_step_run(const struct slu_step *step, struct slu_step_moved *moved,
		 struct slu_err *err)
{
	struct slu_buf out = {.max = MAX_OUTPUT};
	double until = slu_now_mono() + step->seconds;
	const char *why = NULL;
	bool late = false;
	int fd = -1, status = 0, rc;
	pid_t pid = start(step->argv, &fd, err);

	if (pid < 0)
		return -1;
	while (!why && !late && listen_to(fd, &out)) {
		why = step->stop(step->arg);
		late = slu_now_mono() > until;
	}
	close(fd);
	if (why || late) {
		end_it(pid);
		rc = why ? slu_err(err, SLU_BUSY, "%s", why)
			 : slu_err(err, SLU_TIMEOUT, "the step took too long");
	} else {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		rc = judge(status, err);
		if (rc == 0)
			rc = add_up(out.data ? out.data : (char[]){""}, moved,
				    err);
	}
	slu_buf_free(&out);
	return rc;
}
