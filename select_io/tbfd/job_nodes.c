/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the command, such as squeue, that lists each job's number of nodes,
 * which is its priority.
 *
 * The command may hang while slurmctld does not answer, so the main loop does
 * not wait for it: the command runs beside it and writes to a memfd, which is
 * read when the command has ended; after PATIENCE seconds it is killed. It is
 * also killed if the daemon dies.
 */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"

#define WORDS	 32 /* of the command, at most */
#define PATIENCE 20 /* s, timeout */

static void child(const char *command, int fd)
{
	char *word[WORDS + 1], *copy = strdup(command);
	int null = open("/dev/null", O_RDWR);
	sigset_t none;
	size_t n = copy ? slu_split(copy, " \t", word, WORDS) : 0;

	if (n == 0 || n > WORDS)
		_exit(127);
	word[n] = NULL;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(null, 0);
	dup2(fd, 1);
	dup2(null, 2);
	slu_close_from(3);
	execvp(word[0], word);
	_exit(127);
}

int slu_tbfd_nodes_start(struct slu_tbfd_nodes *nodes, const char *command,
			 double now, struct slu_err *err)
{
	if (nodes->pid > 0)
		return 0;
	nodes->fd = memfd_create("nodes", MFD_CLOEXEC);
	if (nodes->fd < 0)
		return slu_errno(err, SLU_IO, "memfd");
	nodes->pid = fork();
	if (nodes->pid == 0)
		child(command, nodes->fd);
	if (nodes->pid < 0) {
		close(nodes->fd);
		nodes->pid = 0;
		return slu_errno(err, SLU_IO, "fork");
	}
	nodes->since = now;
	return 0;
}

int slu_tbfd_nodes_done(struct slu_tbfd_nodes *nodes, double now,
			struct slu_buf *out, struct slu_err *err)
{
	int status, ret = 1;
	pid_t pid;

	if (nodes->pid == 0)
		return 0;
	pid = waitpid(nodes->pid, &status, WNOHANG);
	if (pid == 0) {
		if (now - nodes->since > PATIENCE)
			kill(nodes->pid, SIGKILL);
		return 0;
	}
	nodes->pid = 0;
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		ret = slu_err(err, SLU_IO, "it failed or took too long");
	slu_buf_reset(out);
	if (ret == 1 && (lseek(nodes->fd, 0, SEEK_SET) < 0 ||
			 slu_lustre_read(nodes->fd, out, err)))
		ret = -1;
	close(nodes->fd);
	return ret;
}
