/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves the socket for early stage-out, in the watcher (the process that
 * `sluice-node up` leaves on each node of a job): a task sends "PATH", absolute
 * and without symbolic links, of a file that it declares ready. Only the job's
 * own user and root may. The path must be the source of a stage-out request or
 * lie below it; request and path are written to the queue before the answer
 * "ok". Any other request is answered with a sentence that says what is wrong.
 */
#include "config.h"
#include "burst_buffer/node/stage/early.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/walk/selection.h"
#include "common/file.h"

/* seconds in which a task has to send its request */
#define ANSWER	2
#define COLLECT 5.0 /* seconds between two checks of the staging node */

int slu_early_listen(struct slu_node *n)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int dir, fd;
	bool out = false;

	for (size_t i = 0; i < n->plan.n_stage; i++)
		out |= n->plan.stage[i].out;
	if (!out || n->driver->interposed)
		return -1;
	dir = open(n->dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The path of the directory may be too long for a socket's address. */
	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/%s", dir,
		 SLU_EARLY_SOCKET);
	if (dir >= 0 && fd >= 0) {
		slu_note_drop(n, SLU_EARLY_SOCKET);
		if (!bind(fd, (struct sockaddr *)&at, sizeof(at)) &&
		    !chmod(at.sun_path, 0666) && !listen(fd, 64)) {
			close(dir);
			return fd;
		}
	}
	slu_node_log(n, SLU_WARN, "nothing can be staged out early: %s",
		     strerror(errno));
	if (dir >= 0)
		close(dir);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The part of this request's source that the path names; NULL: it is not below
 * the source. */
static const char *part_of(const struct slu_stage *s, const char *there,
			   const char *path)
{
	size_t n = strlen(there);

	while (n > 1 && there[n - 1] == '/')
		n--;
	if (!s->out || strncmp(path, there, n) || slu_eq(s->type, "list") ||
	    slu_pattern(s->source))
		return NULL;
	if (!path[n])
		return path + n;
	return path[n] == '/' && !slu_eq(s->type, "file") ? path + n + 1 : NULL;
}

/* The source may contain symbolic links, and RunDir, too. */

struct sought {
	struct slu_node *n;
	const char *path;
};

struct found {
	bool is;
	size_t r, at; /* the request, and where in the path its part begins */
};

static int seek(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	const struct sought *s = arg;
	const struct slu_plan *plan = &s->n->plan;
	struct found *found = out;

	if (slu_aside_become(aside, plan->uid, plan->gid, err))
		return -1;
	for (size_t i = 0; i < plan->n_stage && !found->is; i++) {
		char there[PATH_MAX];
		const char *part = NULL;

		if (plan->stage[i].out &&
		    realpath(plan->stage[i].source, there))
			part = part_of(&plan->stage[i], there, s->path);
		if (part)
			*found = (struct found){true, i,
						(size_t)(part - s->path)};
	}
	return 0;
}

/* Tries the path as written, then as the links resolve now. */
static bool find(struct slu_node *n, const char *path, size_t *r,
		 const char **part)
{
	struct sought sought = {n, path};
	struct slu_aside aside = {
		.fn = seek, .arg = &sought, .seconds = ANSWER};
	_Alignas(16) char out[SLU_ASIDE_OUT];
	const struct found *found = (const void *)out;

	for (*r = 0; *r < n->plan.n_stage; (*r)++) {
		const struct slu_stage *s = &n->plan.stage[*r];

		if ((*part = part_of(s, s->source, path)))
			return true;
	}
	if (slu_aside(&aside, "the job's file system", out, NULL) || !found->is)
		return false;
	*r = found->r;
	*part = path + found->at;
	return true;
}

static int refuse(const struct slu_node *n, const char *path,
		  struct slu_err *err)
{
	struct slu_buf sources = {0};

	for (size_t i = 0; i < n->plan.n_stage; i++)
		if (n->plan.stage[i].out)
			slu_buf_printf(&sources, "%s%s",
				       sources.len ? ", " : "",
				       n->plan.stage[i].source);
	slu_err(err, SLU_INVALID,
		"%.200s is not below the source of a stage_out of this job: "
		"%.200s",
		path, sources.data ? sources.data : "");
	slu_buf_free(&sources);
	return -1;
}

static int declare(struct slu_node *n, const char *path, struct slu_err *err)
{
	const struct slu_stage *s;
	const char *part;
	size_t r;

	if (*path != '/' || !slu_plain_path(path + 1) ||
	    !find(n, path, &r, &part))
		return refuse(n, path, err);
	s = &n->plan.stage[r];
	if (!slu_eq(s->on, "always"))
		return slu_err(err, SLU_INVALID,
			       "%.200s is staged out on=%s only, and whether "
			       "that holds is not known before the job's "
			       "end",
			       path, s->on);
	return slu_early_add(n, r, part, err);
}

static bool may_speak(const struct slu_node *n, int fd)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) &&
	       (who.uid == n->plan.uid || who.uid == 0);
}

/* Reads one path, up to the end of the message. */
static int hear(struct slu_node *n, int fd, struct slu_err *err)
{
	const struct timeval patience = {.tv_sec = ANSWER};
	char path[SLU_EARLY_MAX + 1];
	double end = slu_now_mono() + ANSWER;
	size_t len = 0;
	ssize_t got = 1;

	if (!may_speak(n, fd))
		return slu_err(err, SLU_DENIED, "the job is another user's");
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	while (got > 0 && len < sizeof(path) && slu_now_mono() < end) {
		got = read(fd, path + len, sizeof(path) - len);
		len += got > 0 ? (size_t)got : 0;
	}
	if (got || !len || len > SLU_EARLY_MAX)
		return slu_err(err, SLU_INVALID, "not a path");
	path[len] = '\0';
	if (strlen(path) != len)
		return slu_err(err, SLU_INVALID, "not a path");
	return declare(n, path, err);
}

static void answer(struct slu_node *n, int socket)
{
	struct slu_err err;
	const char *text = "ok";
	int fd = accept4(socket, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if (hear(n, fd, &err))
		text = err.text;
	(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
	close(fd);
	slu_early_start(n);
}

void slu_early_serve(struct slu_node *n, int socket, double seconds)
{
	bool collects = n->driver->shared && slu_early_any_apart(&n->plan) &&
			slu_early_node(&n->plan) == n->self;
	double end = slu_now_mono() + seconds, left;
	struct pollfd p = {.fd = socket, .events = POLLIN};

	while ((left = end - slu_now_mono()) > 0) {
		if (collects && left > COLLECT)
			left = COLLECT;
		if (poll(&p, 1, (int)(left * 1000) + 1) > 0)
			answer(n, socket);
		else
			slu_early_start(n);
	}
}
