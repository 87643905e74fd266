/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the manifest (the list of files to be staged) to its file: the child
 * that walks the source runs as the user, but only root may write there, so a
 * process of root's reads the manifest from a pipe. */
#include "config.h"
#include "burst_buffer/node/stage/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"

/* Overwrites the space that was reserved, as the rest of the file system may be
 * full. Returns 0 or errno. */
static int drain(int pipe_end, int file)
{
	static char chunk[1 << 16];
	off_t size = 0;
	ssize_t n;

	while ((n = read(pipe_end, chunk, sizeof(chunk))) != 0) {
		if ((n < 0 && errno != EINTR) ||
		    (n > 0 && slu_write_all(file, chunk, (size_t)n)))
			return errno;
		size += n > 0 ? n : 0;
	}
	return ftruncate(file, size) || fsync(file) || close(file) ? errno : 0;
}

int slu_drain_start(const char *path, pid_t *pid, struct slu_err *err)
{
	int file, fd[2];

	file = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0 || pipe2(fd, O_CLOEXEC))
		return slu_errno(err, SLU_IO, "cannot write the manifest");
	*pid = fork();
	if (*pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(fd[1]);
		_exit(drain(fd[0], file));
	}
	close(fd[0]);
	close(file);
	if (*pid > 0)
		return fd[1];
	close(fd[1]);
	return slu_errno(err, SLU_IO, "cannot write the manifest");
}

int slu_drain_end(int fd, pid_t pid, struct slu_err *err)
{
	int status, why;

	close(fd);
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return slu_err(err, SLU_IO, "cannot write the manifest");
	why = WEXITSTATUS(status);
	if (why == ENOSPC || why == EDQUOT)
		return slu_err(err, SLU_IO,
			       "no space for the list of what is to be staged: "
			       "the job's file system is full; the next job "
			       "needs more capacity");
	errno = why;
	return why ? slu_errno(err, SLU_IO,
			       "cannot write the manifest to the job's file "
			       "system")
		   : 0;
}
