/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Claims of chunks, see the header. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "burst_buffer/staging/claims.h"
#include "common/file.h"

#define NUMBER 16 /* text of one */

/* A number and nothing else, or -1. */
static long number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return end == text || *end || n < 0 ? -1 : n;
}

static long owner_of(int dir, const char *name)
{
	char text[NUMBER];
	ssize_t n = readlinkat(dir, name, text, sizeof(text) - 1);

	if (n <= 0)
		return -1;
	text[n] = '\0';
	return number(text);
}

int slu_claims_take(void *arg, unsigned chunk, struct slu_err *err)
{
	const struct slu_claims_dir *c = arg;
	char name[NUMBER], self[NUMBER];

	snprintf(name, sizeof(name), "%u", chunk);
	snprintf(self, sizeof(self), "%u", c->self);
	if (!symlinkat(self, c->dir, name))
		return 1;
	if (errno != EEXIST)
		return slu_errno(err, SLU_IO,
				 "cannot share the work in the job's file "
				 "system");
	return owner_of(c->dir, name) == (long)c->self;
}

static void note_owner(int dir, const char *name, bool who, unsigned *owner,
		       unsigned n)
{
	long chunk = number(name), is = 0;

	if (chunk < 0 || chunk >= (long)n)
		return;
	if (who)
		is = owner_of(dir, name);
	owner[chunk] = is < 0 ? SLU_NOBODY : (unsigned)is;
}

int slu_claims_look(void *arg, bool who, unsigned *owner, unsigned n,
		    struct slu_err *err)
{
	const struct slu_claims_dir *c = arg;
	int fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		slu_errno(err, SLU_IO, "cannot read who does what");
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (unsigned i = 0; i < n; i++)
		owner[i] = SLU_NOBODY;
	while ((d = readdir(dir)))
		note_owner(c->dir, d->d_name, who, owner, n);
	closedir(dir);
	return 0;
}

/* The process */

enum word { TAKE, LOOK, LOOK_WHO };

struct question {
	enum word word;
	unsigned number; /* the chunk, or how many */
};

struct answer { /* behind it, to LOOK: the owners */
	int rc;
	struct slu_err err;
};

static int serve(int fd, struct slu_claims_dir *c, const struct question *q)
{
	struct answer a = {0};
	unsigned *owner = NULL, n = 0;
	int rc;

	if (q->word == TAKE) {
		a.rc = slu_claims_take(c, q->number, &a.err);
	} else {
		n = q->number;
		owner = calloc(n + 1, sizeof(*owner));
		a.rc = owner ? slu_claims_look(c, q->word == LOOK_WHO, owner, n,
					       &a.err)
			     : slu_err(&a.err, SLU_NOMEM, "out of memory");
	}
	rc = slu_write_all(fd, &a, sizeof(a)) ||
	     (owner && !a.rc && slu_write_all(fd, owner, n * sizeof(*owner)));
	free(owner);
	return rc;
}

static void run_proxy(int fd, const char *path, unsigned self)
{
	struct slu_claims_dir c = {.self = self};
	struct question q;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c.dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	while (slu_read_up_to(fd, &q, sizeof(q), -1) == sizeof(q))
		if (serve(fd, &c, &q))
			break;
	_exit(0);
}

int slu_claims_proxy_start(struct slu_claims_proxy *p, const char *path,
			   unsigned self, struct slu_err *err)
{
	int fd[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		return slu_errno(err, SLU_IO, "socketpair");
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		run_proxy(fd[1], path, self);
	}
	close(fd[1]);
	p->fd = fd[0];
	if (pid > 0)
		return 0;
	close(fd[0]);
	return slu_errno(err, SLU_IO, "fork");
}

static int ask(const struct slu_claims_proxy *p, enum word word,
	       unsigned number, struct slu_err *err)
{
	const struct question q = {word, number};
	struct answer a;

	if (slu_write_all(p->fd, &q, sizeof(q)) ||
	    slu_read_up_to(p->fd, &a, sizeof(a), -1) != sizeof(a))
		return slu_err(err, SLU_IO, "nobody says who does what");
	return a.rc < 0 ? slu_err(err, a.err.kind, "%s", a.err.text) : a.rc;
}

int slu_claims_proxy_take(void *proxy, unsigned chunk, struct slu_err *err)
{
	return ask(proxy, TAKE, chunk, err);
}

int slu_claims_proxy_look(void *arg, bool who, unsigned *owner, unsigned n,
			  struct slu_err *err)
{
	const struct slu_claims_proxy *p = arg;
	size_t size = n * sizeof(*owner);

	if (ask(p, who ? LOOK_WHO : LOOK, n, err))
		return -1;
	return slu_read_up_to(p->fd, owner, size, -1) == (ssize_t)size
		       ? 0
		       : slu_err(err, SLU_IO, "nobody says who does what");
}
