/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves the stage cache (input files kept on a node for later jobs) to a
 * staging process over a socket: messages carry a request, and the descriptor
 * of a source or an entry. Both sides are here. */
#include "config.h"
#include "burst_buffer/node/cache/cache_proxy.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/node/cache/cache_source.h"

#define TICKETS 256 /* ranges that are being filled at once, at most */

struct question { /* with the source's descriptor */
	enum { OPEN, FILLED } word;
	uint32_t ticket;
	bool whole;
	uint64_t offset, length;
};

struct answer { /* of OPEN with a descriptor, if it has one */
	bool kept;
	uint32_t ticket;
};

/* A message and a descriptor (-1: none) to or from the other end. */

static int put(int to, const void *data, size_t len, int fd)
{
	struct iovec iov = {(void *)data, len};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (fd >= 0) {
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	do
		n = sendmsg(to, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)len ? 0 : -1;
}

static int get(int from, void *data, size_t len, int *fd)
{
	struct iovec iov = {data, len};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	struct cmsghdr *c;
	ssize_t n;

	*fd = -1;
	do
		n = recvmsg(from, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	if (n == (ssize_t)len)
		return 0;
	if (*fd >= 0)
		close(*fd);
	return -1;
}

/* The proxy's side */

struct serving {
	const struct slu_cache_of *of;
	struct slu_stage_cache cache;
	struct slu_cache_mounts mounts;
	dev_t own;
	struct slu_cache_key key[TICKETS]; /* ticket - 1; text {0}: free */
	bool logged;			   /* a cache error was reported */
};

static struct timespec now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t;
}

static void tell(struct serving *s, const struct slu_err *err)
{
	if (!s->logged && s->of->wrong && err->kind != SLU_NOTFOUND) {
		s->logged = true;
		s->of->wrong(s->of->arg, err->text);
	}
}

static bool make_key(struct serving *s, int in, uint64_t offset,
		     uint64_t length, struct slu_cache_key *key)
{
	struct slu_cache_record record;
	bool made;

	if (!slu_cache_source(&s->mounts, in, offset, length, s->own,
			      now().tv_sec, &record))
		return false;
	made = !slu_cache_key_make(key, &record, NULL);
	slu_cache_record_free(&record);
	return made;
}

static uint32_t free_ticket(const struct serving *s)
{
	for (uint32_t i = 0; i < TICKETS; i++)
		if (!s->key[i].text.data)
			return i + 1;
	return 0;
}

/* Starts to fill an entry; the key belongs to the ticket from now on. */
static int begin(struct serving *s, struct slu_cache_key *key, uint32_t *ticket,
		 struct slu_err *err)
{
	const struct timespec t = now();
	uint32_t is = free_ticket(s);
	int fd = is ? slu_stage_cache_begin(&s->cache, key, &t, err) : -1;

	if (fd < 0)
		return -1;
	*ticket = is;
	s->key[is - 1] = *key;
	*key = (struct slu_cache_key){0};
	return fd;
}

static int look_up(struct serving *s, const struct question *q, int in,
		   uint32_t *ticket, struct slu_err *err)
{
	const struct timespec t = now();
	struct slu_cache_key key;
	int fd;

	if (!make_key(s, in, q->offset, q->length, &key))
		return -1;
	fd = slu_stage_cache_get(&s->cache, &key, &t, err);
	if (fd < 0) {
		tell(s, err);
		fd = begin(s, &key, ticket, err);
	}
	slu_cache_key_free(&key);
	return fd;
}

static int serve_open(struct serving *s, int to, const struct question *q,
		      int in)
{
	struct slu_err err = {0};
	struct answer a = {0};
	int fd = look_up(s, q, in, &a.ticket, &err), rc;

	if (fd < 0 && err.kind)
		tell(s, &err);
	a.kept = fd >= 0;
	rc = put(to, &a, sizeof(a), fd);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* Is the source unchanged since its reading began? */
static bool is_same(struct serving *s, int in, const struct slu_cache_key *was)
{
	struct slu_cache_key is;
	bool same;

	if (!make_key(s, in, was->end - was->length, was->length, &is))
		return false;
	same = !strcmp(is.name, was->name);
	slu_cache_key_free(&is);
	return same;
}

static int serve_filled(struct serving *s, int to, const struct question *q,
			int in)
{
	const struct timespec t = now();
	struct slu_err err = {0};
	struct slu_cache_key *key;
	struct answer a = {0};
	bool whole;

	if (q->ticket < 1 || q->ticket > TICKETS)
		return -1;
	key = &s->key[q->ticket - 1];
	if (!key->text.data)
		return -1;
	whole = q->whole && is_same(s, in, key);
	a.kept = !slu_stage_cache_end(&s->cache, key, whole, &t, &err) && whole;
	if (err.kind)
		tell(s, &err);
	slu_cache_key_free(key);
	*key = (struct slu_cache_key){0};
	return put(to, &a, sizeof(a), -1);
}

static int serve(struct serving *s, int socket)
{
	struct question q;
	int in, rc;

	if (get(socket, &q, sizeof(q), &in))
		return -1;
	rc = in < 0	      ? -1
	     : q.word == OPEN ? serve_open(s, socket, &q, in)
			      : serve_filled(s, socket, &q, in);
	if (in >= 0)
		close(in);
	return rc;
}

static void run_proxy(struct serving *s, int socket)
{
	const struct slu_cache_of *of = s->of;
	struct slu_err err;
	struct stat st;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (slu_stage_cache_open(&s->cache, of->storage, &of->budget, of->uid,
				 of->job_id, of->buffer, &of->began, &err))
		tell(s, &err);
	else if (!fstat(s->cache.dir, &st))
		for (s->own = st.st_dev; !serve(s, socket);)
			;
	_exit(0);
}

/* The side of the copying process */

static int ask(struct slu_cache_proxy *p, const struct question *q, int in,
	       struct answer *a, int *fd)
{
	int rc;

	*fd = -1;
	pthread_mutex_lock(&p->lock);
	rc = put(p->fd, q, sizeof(*q), in) || get(p->fd, a, sizeof(*a), fd);
	pthread_mutex_unlock(&p->lock);
	return rc;
}

static int use_open(void *arg, int in, uint64_t offset, uint64_t len,
		    uint32_t *ticket)
{
	const struct question q = {
		.word = OPEN, .offset = offset, .length = len};
	struct answer a;
	int fd;

	if (ask(arg, &q, in, &a, &fd))
		return -1;
	*ticket = a.ticket;
	return fd;
}

static bool use_filled(void *arg, int in, uint32_t ticket, bool whole)
{
	const struct question q = {
		.word = FILLED, .ticket = ticket, .whole = whole};
	struct answer a;
	int fd;

	return !ask(arg, &q, in, &a, &fd) && a.kept;
}

int slu_cache_proxy_start(struct slu_cache_proxy *p,
			  const struct slu_cache_of *of, struct slu_err *err)
{
	struct serving *s = calloc(1, sizeof(*s));
	int fd[2];
	pid_t pid;

	if (!s)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd)) {
		free(s);
		return slu_errno(err, SLU_IO, "socketpair");
	}
	s->of = of;
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		run_proxy(s, fd[1]);
	}
	free(s);
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return slu_errno(err, SLU_IO, "fork");
	}
	*p = (struct slu_cache_proxy){.fd = fd[0],
				      .use = {use_open, use_filled, p}};
	pthread_mutex_init(&p->lock, NULL);
	return 0;
}
