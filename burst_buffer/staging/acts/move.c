/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the site's own copier (Mover in sluice.conf) for a large tree, so that
 * no process of it outlives the caller, even if the caller is killed. */

/*
 * There are four processes, each the child of the one before:
 *
 *	caller	may be killed at any time; holds the write end of the pipe
 *		`life`;
 *	guard	in a session of its own, and a subreaper, so that it inherits
 *		daemons that the mover leaves behind; kills all of them when
 *		`life` is closed or the runner has ended;
 *	runner	runs the mover and writes the result (struct said) to the pipe
 *		`tell`; if it dies, the mover is killed too;
 *	mover	the site's program.
 */
#include "config.h"
#include "burst_buffer/staging/acts/move.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burst_buffer/staging/walk/path_rules.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/str.h"

#define FOREVER 1e9   /* seconds: no timeout here, the caller has a deadline */
#define ASK	500   /* ms between two calls of part->progress */
#define GONE	10000 /* ms to wait until the guard has killed everything */

struct said {
	int rc;
	struct slu_err err;
};
_Static_assert(sizeof(struct said) <= PIPE_BUF, "written at once");

static int path_of(int dir, char path[PATH_MAX], struct slu_err *err)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir);
	n = readlink(link, path, PATH_MAX - 1);
	if (n < 0)
		return slu_errno(err, SLU_IO, "%s", link);
	path[n] = '\0';
	return 0;
}

/* Replaces %s, %d and %% in a word of the command. Caller frees. */
static char *expand(const char *word, const char *source,
		    const char *destination)
{
	struct slu_buf out = {0};

	for (; *word; word++) {
		if (*word != '%' || !strchr("sd%", word[1]) || !word[1])
			slu_buf_add(&out, word, 1);
		else if (*++word == '%')
			slu_buf_add(&out, "%", 1);
		else
			slu_buf_printf(&out, "%s",
				       *word == 's' ? source : destination);
	}
	return out.data;
}

static char **make_argv(const struct slu_mover *m,
			const struct slu_stage_places *places,
			struct slu_err *err)
{
	char source[PATH_MAX], destination[PATH_MAX];
	size_t n = 0;
	char **argv;

	if (path_of(places->src, source, err) ||
	    path_of(places->dst, destination, err))
		return NULL;
	while (m->words[n])
		n++;
	argv = calloc(n + 1, sizeof(*argv));
	for (size_t i = 0; argv && i < n; i++) {
		argv[i] = expand(m->words[i], source, destination);
		if (!argv[i]) {
			slu_strv_free(argv);
			argv = NULL;
		}
	}
	if (!argv)
		slu_err(err, SLU_NOMEM, "out of memory");
	return argv;
}

/* The runner's main function. */
static void run(char *const *argv, char *const *env, int tell)
{
	struct said said = {0};

	clearenv();
	for (; env && *env; env++)
		putenv(*env);
	said.rc = slu_run(argv, FOREVER, NULL, &said.err);
	_exit(slu_write_all(tell, &said, sizeof(said)) ? 1 : 0);
}

/* Kills all children of this process, again and again: as a subreaper it
 * inherits the children of those that it has killed. */
static void end_children(void)
{
	char path[64], text[4096], *at, *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	do {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
		if (fd >= 0)
			close(fd);
		text[n > 0 ? n : 0] = '\0';
		for (at = text; strtol(at, &end, 10) > 1 && *end; at = end)
			kill((pid_t)strtol(at, NULL, 10), SIGKILL);
	} while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

/* The guard's main function: waits for the end of the runner or the caller,
 * then kills what is left. */
static void guard(int life, int tell, char *const *argv, char *const *env)
{
	struct pollfd p = {.fd = life, .events = POLLIN};
	pid_t pid;

	setsid(); /* a kill of the caller's group must not reach the guard */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0) {
		close(life);
		run(argv, env, tell);
	}
	close(tell);
	while (pid > 0 && waitpid(pid, NULL, WNOHANG) == 0 &&
	       poll(&p, 1, 50) <= 0)
		;
	end_children();
	_exit(pid > 0 ? 0 : 1);
}

/* Waits for the runner's result, calling part->progress meanwhile. 1: the mover
 * has succeeded; else -1. */
static int hear(const struct slu_stage_part *part, int fd, struct slu_err *err)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct said said;

	while (poll(&p, 1, ASK) <= 0)
		if (part->progress && part->progress(part->arg, 0, 0))
			return slu_err(err, SLU_BUSY, "stopped");
	if (read(fd, &said, sizeof(said)) != sizeof(said))
		return slu_err(err, SLU_IO,
			       "the process that ran it ended "
			       "without a result");
	return said.rc ? slu_err(err, SLU_IO, "%s", said.err.text) : 1;
}

/* Waits until the guard has killed everything. Normally that is at once; a
 * process that hangs in the kernel is not waited for longer than GONE. */
static void wait_for_guard(pid_t pid)
{
	for (int ms = 0; ms < GONE && waitpid(pid, NULL, WNOHANG) == 0; ms += 5)
		usleep(5000);
}

static int run_guarded(const struct slu_stage_part *part, char *const *argv,
		       char *const *env, struct slu_err *err)
{
	int life[2], tell[2], rc;
	pid_t pid;

	if (pipe2(life, O_CLOEXEC))
		return slu_errno(err, SLU_IO, "pipe");
	if (pipe2(tell, O_CLOEXEC)) {
		close(life[0]);
		close(life[1]);
		return slu_errno(err, SLU_IO, "pipe");
	}
	pid = fork();
	if (pid == 0) {
		close(life[1]);
		close(tell[0]);
		guard(life[0], tell[1], argv, env);
	}
	close(life[0]);
	close(tell[1]);
	rc = pid < 0 ? slu_errno(err, SLU_IO, "fork")
		     : hear(part, tell[0], err);
	close(life[1]);
	close(tell[0]);
	if (pid > 0)
		wait_for_guard(pid);
	return rc;
}

int slu_stage_move(const struct slu_stage_part *part,
		   const struct slu_mover *mover, struct slu_err *err)
{
	struct slu_stage_places places;
	char **argv;
	int rc = 0;

	if (slu_places_open(part, false, &places, err))
		return -1;
	if (!places.from && !places.list && !places.pattern && !part->only) {
		argv = make_argv(mover, &places, err);
		rc = argv ? run_guarded(part, argv, mover->env, err) : -1;
		slu_strv_free(argv);
		if (rc < 0 && err->kind != SLU_BUSY)
			slu_err_prefix(err, "mover");
	}
	slu_places_close(&places);
	return rc;
}
