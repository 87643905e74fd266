/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends and receives lines over a non-blocking Unix socket. connect() to a Unix
 * socket does not block, so there is no connecting state. The buffers grow as
 * needed and are compacted when half of them is used.
 */
#include "config.h"
#include "ctl/link/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire/control.h"

#define OUT_MAX	  (2 * (size_t)SLU_LINE_MAX)
#define PAUSE_MIN 0.1
#define PAUSE_MAX 5.0

static int check_peer(int fd, struct slu_err *err)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return slu_errno(err, SLU_IO, "SO_PEERCRED");
	if (cred.uid && cred.uid != geteuid())
		return slu_err(err, SLU_DENIED,
			       "the peer runs as uid %u, not as uid %u or root",
			       cred.uid, geteuid());
	return 0;
}

int slu_link_open(struct slu_link *link, const char *path, struct slu_err *err)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd, rc = -1;

	if (!slu_copy(addr.sun_path, sizeof(addr.sun_path), path))
		return slu_err(err, SLU_INVALID, "%s: path too long", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "socket");
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0)
		slu_errno(err, SLU_IO, "%s", path);
	else if (check_peer(fd, err) < 0)
		slu_err_prefix(err, "%s", path);
	else
		rc = 0;
	if (rc < 0) {
		close(fd);
		return -1;
	}
	link->fd = fd;
	return 0;
}

void slu_link_close(struct slu_link *link, double now)
{
	if (link->fd >= 0)
		close(link->fd);
	link->fd = -1;
	slu_buf_free(&link->in);
	slu_buf_free(&link->out);
	link->in_used = link->out_used = 0;
	link->pause = link->pause ? 2 * link->pause : PAUSE_MIN;
	if (link->pause > PAUSE_MAX)
		link->pause = PAUSE_MAX;
	link->retry_at = now + link->pause;
}

void slu_link_good(struct slu_link *link)
{
	link->pause = 0;
}

size_t slu_link_pending(const struct slu_link *link)
{
	return link->out.len - link->out_used;
}

int slu_link_send(struct slu_link *link, const struct slu_desc *desc,
		  const void *msg, struct slu_err *err)
{
	char *line = slu_envelope(desc, ++link->id, msg);
	size_t len = line ? strlen(line) : 0;

	if (line && len <= SLU_LINE_MAX &&
	    slu_link_pending(link) + len <= OUT_MAX)
		slu_buf_add(&link->out, line, len);
	else
		len = 0;
	free(line);
	if (!len || link->out.failed)
		return slu_err(err, SLU_NOMEM,
			       "%s: the message is too long "
			       "to be sent",
			       desc->name);
	return 0;
}

static void compact(struct slu_buf *buf, size_t *used)
{
	if (2 * *used < buf->len)
		return;
	slu_buf_drop(buf, *used);
	*used = 0;
}

int slu_link_flush(struct slu_link *link, struct slu_err *err)
{
	while (slu_link_pending(link)) {
		ssize_t n = send(link->fd, link->out.data + link->out_used,
				 slu_link_pending(link), MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return slu_errno(err, SLU_IO, "sending to sluiced");
		link->out_used += (size_t)n;
	}
	compact(&link->out, &link->out_used);
	return 0;
}

int slu_link_fill(struct slu_link *link, struct slu_err *err)
{
	char chunk[65536];

	compact(&link->in, &link->in_used);
	/* One chunk each time: a fast peer must not keep us from our events. */
	for (;;) {
		ssize_t n = recv(link->fd, chunk, sizeof(chunk), 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		if (n < 0)
			return slu_errno(err, SLU_IO, "reading from sluiced");
		if (n == 0)
			return slu_err(err, SLU_IO, "sluiced hung up");
		if (link->in.len - link->in_used + (size_t)n > SLU_LINE_MAX)
			return slu_err(err, SLU_NOMEM,
				       "sluiced sent too long a line");
		slu_buf_add(&link->in, chunk, (size_t)n);
		return link->in.failed ? slu_err(err, SLU_NOMEM,
						 "reading: out of memory")
				       : 0;
	}
}

bool slu_link_line(struct slu_link *link, const char **line, size_t *len)
{
	const char *start, *end;

	if (link->in_used >= link->in.len)
		return false;
	start = link->in.data + link->in_used;
	end = memchr(start, '\n', link->in.len - link->in_used);
	if (!end)
		return false;
	*line = start;
	*len = (size_t)(end - start);
	link->in_used += *len + 1;
	return true;
}
