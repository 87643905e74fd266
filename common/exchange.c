/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One POST, see the header. By hand, because it is all that nodes need and a
 * general client brings two dozen libraries along, whose loading takes ten
 * times the processor time of a request. What comes back may be from anybody:
 * nothing of it is believed here but its shape. A server may answer, and close,
 * before it has read everything.
 */
#include "config.h"
#include "common/exchange.h"

#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_MAX (64u << 10)
#define CHUNK	 (64u << 10)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The head of an answer */

void slu_reply_clear(struct slu_reply *reply)
{
	free(reply->proof);
	*reply = (struct slu_reply){0};
}

static time_t date_of(const char *text)
{
	struct tm tm = {0};
	time_t t;

	if (!strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm))
		return 0;
	t = timegm(&tm);
	return t > 0 ? t : 0;
}

static int read_length(const char *value, struct slu_reply *r)
{
	char *end;

	errno = 0;
	r->length = strtoll(value, &end, 10);
	return errno || end == value || *end || r->length < 0 ? -1 : 0;
}

/* "Name: value"; what we do not know does not matter. */
static int read_header(char *line, struct slu_reply *r)
{
	char *value = strchr(line, ':');

	if (!value)
		return -1;
	*value++ = '\0';
	value = slu_trim(value);
	if (!strcasecmp(line, "Transfer-Encoding"))
		return -1;
	if (!strcasecmp(line, "Content-Length"))
		return read_length(value, r);
	if (!strcasecmp(line, "Date"))
		r->date = date_of(value);
	if (!strcasecmp(line, "Sluice-Credential")) {
		free(r->proof);
		r->proof = strdup(value);
	}
	return 0;
}

static int read_head(char *text, struct slu_reply *r)
{
	char *line = strsep(&text, "\n");
	int end = 0;

	if (sscanf(line, "HTTP/1.%*1[01] %3d%n", &r->status, &end) != 1 ||
	    !end || r->status < 100 || !strchr(" \r", line[end]))
		return -1;
	while ((line = strsep(&text, "\n")) && *line && *line != '\r')
		if (read_header(line, r))
			return -1;
	return 0;
}

int slu_reply_parse(const char *head, size_t len, struct slu_reply *out,
		    struct slu_err *err)
{
	struct slu_reply r = {.length = -1};
	char *text = strndup(head, len);

	if (!text)
		return slu_err(err, SLU_NOMEM, "no memory for an answer");
	if (read_head(text, &r)) {
		free(text);
		slu_reply_clear(&r);
		return slu_err(err, SLU_INVALID,
			       "what answers does not speak our HTTP");
	}
	free(text);
	*out = r;
	return 0;
}

/* The connection */

static int no_answer(struct slu_err *err, const char *what, int number)
{
	return slu_err(err, SLU_TIMEOUT, "%s: %s", what, strerror(number));
}

/* Wait for events; which of them came, 0 and errno: none until then. */
static short wait_until(int fd, short events, double end)
{
	struct pollfd p = {.fd = fd, .events = events};
	double left;

	while ((left = end - now()) > 0) {
		int n = poll(&p, 1, (int)(fmin(left, 3600) * 1e3) + 1);

		if (n > 0)
			return p.revents;
		if (n < 0 && errno != EINTR)
			return 0;
	}
	errno = ETIMEDOUT;
	return 0;
}

/* A descriptor; -1 and errno. */
static int connect_one(const struct addrinfo *a, double end)
{
	int fd = socket(a->ai_family,
			a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
			a->ai_protocol);
	int failed = 0;
	socklen_t len = sizeof(failed);

	if (fd < 0)
		return -1;
	if (!connect(fd, a->ai_addr, a->ai_addrlen))
		return fd;
	if (errno != EINPROGRESS || !wait_until(fd, POLLOUT, end))
		failed = errno;
	else
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len);
	if (!failed)
		return fd;
	close(fd);
	errno = failed;
	return -1;
}

/* "host:port" in two; false: it is not that. */
static bool split(char *addr, char **host, char **port)
{
	*host = addr;
	*port = strrchr(addr, ':');
	if (!*port)
		return false;
	*(*port)++ = '\0';
	if (*addr == '[' && (*port)[-2] == ']') {
		(*port)[-2] = '\0';
		(*host)++;
	}
	return true;
}

/* All addresses of a name, each with its part of the time. */
static int connect_any(const struct addrinfo *list, double end)
{
	int fd = -1, n = 0;

	for (const struct addrinfo *a = list; a; a = a->ai_next)
		n++;
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = connect_one(a, now() + (end - now()) / n--);
	return fd;
}

static int connect_to(const char *addr, double end, struct slu_err *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	char *copy = strdup(addr), *host, *port;
	int fd, rc;

	if (!copy || !split(copy, &host, &port)) {
		free(copy);
		return slu_err(err, SLU_TIMEOUT, "not host:port");
	}
	rc = getaddrinfo(host, port, &hints, &list);
	free(copy);
	if (rc)
		return slu_err(err, SLU_TIMEOUT, "%s", gai_strerror(rc));
	fd = connect_any(list, end);
	freeaddrinfo(list);
	return fd < 0 ? no_answer(err, "cannot connect", errno) : fd;
}

/* What is under way on a connection. */
struct talk {
	int fd;
	double end;
	struct slu_buf out, in;
	size_t sent; /* of out */
};

/* Send what goes; whoever does not read it may have answered already. */
static void push(struct talk *t)
{
	ssize_t n = send(t->fd, t->out.data + t->sent, t->out.len - t->sent,
			 MSG_NOSIGNAL);

	if (n >= 0)
		t->sent += (size_t)n;
	else if (errno != EAGAIN && errno != EINTR)
		t->sent = t->out.len;
}

/* 1: some may have come, 0: the end, -1: error. */
static int pull(struct talk *t, struct slu_err *err)
{
	char chunk[CHUNK];
	ssize_t n = recv(t->fd, chunk, sizeof(chunk), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 1;
	if (n < 0)
		return no_answer(err, "no answer", errno);
	slu_buf_add(&t->in, chunk, (size_t)n);
	return n > 0;
}

/* Some more of the answer, or of what is sent. As pull(). */
static int go_on(struct talk *t, struct slu_err *err)
{
	bool more = t->sent < t->out.len;
	short seen = wait_until(t->fd, (short)(POLLIN | (more ? POLLOUT : 0)),
				t->end);

	if (!seen)
		return no_answer(err, "no answer", errno);
	if (seen & POLLOUT)
		push(t);
	return seen & ~POLLOUT ? pull(t, err) : 1;
}

/* Everything up to the empty line. */
static int receive_head(struct talk *t, struct slu_reply *reply,
			struct slu_err *err)
{
	const char *end = NULL;
	int rc = 1;

	while (rc == 1 && !end && t->in.len < HEAD_MAX) {
		rc = go_on(t, err);
		end = t->in.data ? strstr(t->in.data, "\r\n\r\n") : NULL;
	}
	if (rc < 0 && !end)
		return -1;
	if (!end)
		return slu_err(err, SLU_TIMEOUT, "no answer came");
	if (slu_reply_parse(t->in.data, (size_t)(end + 4 - t->in.data), reply,
			    err)) {
		err->kind = SLU_TIMEOUT;
		return -1;
	}
	slu_buf_drop(&t->in, (size_t)(end + 4 - t->in.data));
	return 0;
}

static int receive_body(struct talk *t, int64_t length, struct slu_err *err)
{
	const size_t max = t->in.max;
	int rc = 1;

	while (rc == 1 && length <= (int64_t)max && !t->in.failed &&
	       (length < 0 || t->in.len < (size_t)length))
		rc = go_on(t, err);
	if (length > (int64_t)max || t->in.failed)
		return slu_err(err, SLU_IO, "a reply of more than %zu bytes",
			       max);
	if (rc < 0)
		return -1;
	if (length >= 0 && t->in.len < (size_t)length)
		return slu_err(err, SLU_TIMEOUT, "the answer was cut off");
	if (length >= 0)
		slu_buf_cut(&t->in, (size_t)length);
	return 0;
}

static void write_request(const struct slu_send *s, const char *addr,
			  struct slu_buf *out)
{
	slu_buf_printf(out,
		       "POST %s HTTP/1.1\r\nHost: %s\r\n"
		       "Authorization: %s\r\nContent-Length: %zu\r\n"
		       "Connection: close\r\n\r\n",
		       s->path, addr, s->authorization, s->len);
	slu_buf_add(out, s->body, s->len);
}

int slu_exchange(const char *addr, const struct slu_send *s,
		 struct slu_reply *reply, struct slu_buf *body,
		 struct slu_err *err)
{
	double start = now();
	struct talk t = {.end = start + s->patience, .in.max = body->max};
	struct slu_reply r = {0};
	int rc = -1;

	t.fd = connect_to(addr, start + fmin(s->connect, s->patience), err);
	if (t.fd < 0)
		return -1;
	write_request(s, addr, &t.out);
	if (t.out.failed)
		slu_err(err, SLU_NOMEM, "no memory for a request");
	else if (!receive_head(&t, &r, err))
		rc = receive_body(&t, r.length, err);
	close(t.fd);
	slu_buf_free(&t.out);
	if (rc) {
		slu_buf_free(&t.in);
		slu_reply_clear(&r);
		return -1;
	}
	slu_buf_free(body);
	*body = t.in;
	*reply = r;
	return 0;
}
