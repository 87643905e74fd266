/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes and reads nodes' claims of chunks, shares of the files to be copied
 * (symbolic links in a directory, claims.h), also through a proxy process for
 * callers that have no right to write there. The proxy accepts only chunk
 * numbers below a maximum, as requests may come from the user's process.
 */
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

#define NUMBER 16 /* bytes of a claim's text */
#define TRIES  10 /* a new claim of another node may not be visible at once */
#define PAUSE  100000 /* us between two tries */

/* A number and nothing else, or -1. */
static long number(const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	return end == text || *end || n < 0 ? -1 : n;
}

static int unread(struct slu_err *err)
{
	return slu_errno(err, SLU_IO, "cannot read which node copies what");
}

/* Owner of a chunk that is claimed; claims are never removed. If it cannot be
 * read that is an error: otherwise each node would take the chunk for
 * another's, and none would copy or verify it. */
static int owner_of(int dir, const char *name, unsigned *owner,
		    struct slu_err *err)
{
	char text[NUMBER];
	ssize_t n = -1;
	long is;

	for (int i = 0; i < TRIES; i++) {
		n = readlinkat(dir, name, text, sizeof(text) - 1);
		if (n >= 0 || (errno != ENOENT && errno != ESTALE))
			break;
		usleep(PAUSE);
	}
	if (n < 0)
		return unread(err);
	text[n] = '\0';
	is = number(text);
	if (is < 0 || is >= SLU_NOBODY)
		return slu_err(err, SLU_IO,
			       "the record of which node copies "
			       "what is damaged");
	*owner = (unsigned)is;
	return 0;
}

int slu_claims_take(void *arg, unsigned chunk, struct slu_err *err)
{
	const struct slu_claims_dir *c = arg;
	char name[NUMBER], self[NUMBER];
	unsigned owner;

	snprintf(name, sizeof(name), "%u", chunk);
	snprintf(self, sizeof(self), "%u", c->self);
	if (!symlinkat(self, c->dir, name))
		return 1;
	if (errno != EEXIST)
		return slu_errno(err, SLU_IO,
				 "cannot share the work in the job's file "
				 "system");
	return owner_of(c->dir, name, &owner, err) ? -1 : owner == c->self;
}

static int note_owner(int dir, const char *name, bool who, unsigned *owner,
		      unsigned n, struct slu_err *err)
{
	long chunk = number(name);

	if (chunk < 0 || chunk >= (long)n)
		return 0;
	owner[chunk] = 0;
	return who ? owner_of(dir, name, &owner[chunk], err) : 0;
}

static int read_claims(DIR *dir, bool who, unsigned *owner, unsigned n,
		       struct slu_err *err)
{
	struct dirent *d;

	while (errno = 0, (d = readdir(dir)))
		if (note_owner(dirfd(dir), d->d_name, who, owner, n, err))
			return -1;
	return errno ? unread(err) : 0;
}

int slu_claims_look(void *arg, bool who, unsigned *owner, unsigned n,
		    struct slu_err *err)
{
	const struct slu_claims_dir *c = arg;
	int fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int rc;

	if (!dir) {
		unread(err);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (unsigned i = 0; i < n; i++)
		owner[i] = SLU_NOBODY;
	rc = read_claims(dir, who, owner, n, err);
	closedir(dir);
	return rc;
}

int slu_claims_whose(void *arg, unsigned first, unsigned *owner, unsigned n,
		     struct slu_err *err)
{
	const struct slu_claims_dir *c = arg;
	char name[NUMBER];

	for (unsigned i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%u", first + i);
		if (owner_of(c->dir, name, &owner[i], err))
			return -1;
	}
	return 0;
}

/* The proxy process */

enum word { TAKE, LOOK, LOOK_WHO, WHOSE };

struct question {
	enum word word;
	unsigned first, n; /* chunks; LOOK: from 0 */
};

struct answer { /* behind it, but to TAKE: the owners */
	int rc;
	struct slu_err err;
};

static int look_for(struct slu_claims_dir *c, const struct question *q,
		    unsigned *owner, struct slu_err *err)
{
	if (!owner)
		return slu_err(err, SLU_NOMEM, "out of memory");
	return q->word == WHOSE
		       ? slu_claims_whose(c, q->first, owner, q->n, err)
		       : slu_claims_look(c, q->word == LOOK_WHO, owner, q->n,
					 err);
}

/* The requests may come from the user: accept no chunk numbers beyond the
 * maximum. */
static int serve(int fd, struct slu_claims_dir *c, unsigned most,
		 const struct question *q)
{
	struct answer a = {0};
	unsigned *owner = NULL;
	int rc;

	if (q->n > most || q->first > most - q->n)
		return -1;
	if (q->word == TAKE) {
		a.rc = slu_claims_take(c, q->first, &a.err);
	} else {
		owner = calloc((size_t)q->n + 1, sizeof(*owner));
		a.rc = look_for(c, q, owner, &a.err);
	}
	rc = slu_write_all(fd, &a, sizeof(a)) ||
	     (owner && !a.rc &&
	      slu_write_all(fd, owner, q->n * sizeof(*owner)));
	free(owner);
	return rc;
}

static void run_proxy(int fd, const char *path, unsigned self, unsigned most)
{
	struct slu_claims_dir c = {.self = self};
	struct question q;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	c.dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	while (slu_read_up_to(fd, &q, sizeof(q), -1) == sizeof(q))
		if (serve(fd, &c, most, &q))
			break;
	_exit(0);
}

int slu_claims_proxy_start(struct slu_claims_proxy *p, const char *path,
			   unsigned self, unsigned most, struct slu_err *err)
{
	int fd[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		return slu_errno(err, SLU_IO, "socketpair");
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		run_proxy(fd[1], path, self, most);
	}
	close(fd[1]);
	p->fd = fd[0];
	if (pid > 0)
		return 0;
	close(fd[0]);
	return slu_errno(err, SLU_IO, "fork");
}

static int ask(const struct slu_claims_proxy *p, const struct question *q,
	       struct slu_err *err)
{
	struct answer a;

	if (slu_write_all(p->fd, q, sizeof(*q)) ||
	    slu_read_up_to(p->fd, &a, sizeof(a), -1) != sizeof(a))
		return slu_err(err, SLU_IO,
			       "the process that knows which "
			       "node copies what does not "
			       "answer");
	return a.rc < 0 ? slu_err(err, a.err.kind, "%s", a.err.text) : a.rc;
}

int slu_claims_proxy_take(void *proxy, unsigned chunk, struct slu_err *err)
{
	const struct question q = {TAKE, chunk, 1};

	return ask(proxy, &q, err);
}

static int ask_owners(const struct slu_claims_proxy *p,
		      const struct question *q, unsigned *owner,
		      struct slu_err *err)
{
	size_t size = q->n * sizeof(*owner);

	if (ask(p, q, err))
		return -1;
	return slu_read_up_to(p->fd, owner, size, -1) == (ssize_t)size
		       ? 0
		       : slu_err(err, SLU_IO,
				 "the process that knows which "
				 "node copies what does not "
				 "answer");
}

int slu_claims_proxy_look(void *proxy, bool who, unsigned *owner, unsigned n,
			  struct slu_err *err)
{
	const struct question q = {who ? LOOK_WHO : LOOK, 0, n};

	return ask_owners(proxy, &q, owner, err);
}

int slu_claims_proxy_whose(void *proxy, unsigned first, unsigned *owner,
			   unsigned n, struct slu_err *err)
{
	const struct question q = {WHOSE, first, n};

	return ask_owners(proxy, &q, owner, err);
}
