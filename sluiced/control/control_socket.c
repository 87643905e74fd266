/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves the control socket: listens, splits what slurmctld sends into lines,
 * and queues what slurmctld has not read yet. Nothing here blocks. A client
 * that breaks the protocol or does not read is disconnected; it connects again,
 * and both sides then send their whole state, so nothing is lost.
 */
#include "sluiced/control/control_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sluiced/control/line.h"

struct slu_control {
	struct slu_loop *loop;
	struct slu_control_ops ops;
	const struct slu_log *log;
	uid_t owner;
	char *path;
	int listener;
	int fd; /* -1: no client */
	struct slu_lines in;
	struct slu_buf out;
	size_t sent; /* of out */
	struct slu_orders *orders;
	bool saw_unknown;
	/* Why the last client was disconnected; while that happens to each one
	 * at once, it is logged once. */
	char why[64];
};

static void client_ready(void *arg, short revents);

static void watch_client(struct slu_control *c)
{
	short events = POLLIN;

	if (slu_control_queued(c))
		events |= POLLOUT;
	slu_loop_watch(c->loop, c->fd, events, client_ready, c, NULL);
}

static void disconnect(struct slu_control *c, const char *why)
{
	if (c->fd < 0)
		return;
	if (strncmp(c->why, why, sizeof(c->why) - 1) != 0)
		slu_log(c->log, SLU_WARN, "slurmctld disconnected: %s", why);
	slu_copy(c->why, sizeof(c->why), why);
	slu_loop_unwatch(c->loop, c->fd);
	close(c->fd);
	c->fd = -1;
	slu_lines_free(&c->in);
	slu_buf_free(&c->out);
	c->sent = 0;
	c->ops.gone(c->ops.arg);
}

/* Queues a line, which is sent after the handler that caused it has returned.
 */
static void send_line(struct slu_control *c, const char *line)
{
	if (c->fd < 0)
		return;
	if (c->sent > c->out.len / 2) {
		slu_buf_drop(&c->out, c->sent);
		c->sent = 0;
	}
	if (line)
		slu_buf_puts(&c->out, line);
	else
		c->out.failed = true;
	watch_client(c);
}

void slu_control_send(struct slu_control *c, const struct slu_desc *desc,
		      const void *msg)
{
	char *line;

	if (c->fd < 0)
		return;
	line = slu_envelope(desc, 0, msg);
	send_line(c, line);
	free(line);
}

int slu_control_order(struct slu_control *c, const struct slu_desc *desc,
		      uint32_t job_id, const char *node, const void *msg)
{
	const char *line;
	struct slu_err err;

	if (slu_orders_add(c->orders, desc, job_id, node, msg, &line, &err) <
	    0) {
		slu_log(c->log, SLU_ERROR, "%s: %s", desc->name, err.text);
		return -1;
	}
	if (line)
		send_line(c, line);
	return 0;
}

void slu_control_drop(struct slu_control *c, const char *why)
{
	disconnect(c, why);
}

void slu_control_forget(struct slu_control *c)
{
	const struct slu_order *first;

	disconnect(c, "it was sent state that has since been undone");
	while ((first = slu_orders_first(c->orders)))
		slu_order_free(slu_orders_take(c->orders, first->id));
}

static void handle_done(struct slu_control *c, const struct slu_done *done)
{
	struct slu_order *order = slu_orders_take(c->orders, done->id);

	if (order)
		c->ops.done(c->ops.arg, order, done->ok, done->text);
	slu_order_free(order);
}

static void handle_line(struct slu_control *c, const char *line, size_t len)
{
	const struct slu_desc *desc;
	struct slu_err err;
	uint64_t id;
	void *msg;

	if (slu_envelope_parse(line, len, slu_to_daemon, &desc, &id, &msg,
			       &err) < 0) {
		if (err.kind != SLU_NOTFOUND || !c->saw_unknown)
			slu_log(c->log, SLU_WARN, "message refused: %s",
				err.text);
		c->saw_unknown |= err.kind == SLU_NOTFOUND;
		return;
	}
	if (desc == &slu_done_desc)
		handle_done(c, msg);
	else
		c->ops.message(c->ops.arg, desc, msg);
	slu_msg_free(desc, msg);
}

/* Reads once per turn of the loop, so that other descriptors are served too. */
static void client_read(struct slu_control *c)
{
	char piece[1 << 16];
	struct slu_err err;
	const char *line;
	size_t len;
	ssize_t n = read(c->fd, piece, sizeof(piece));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		disconnect(c, n < 0 ? strerror(errno) : "it closed the socket");
		return;
	}
	if (slu_lines_add(&c->in, piece, (size_t)n, &err) < 0) {
		disconnect(c, err.text);
		return;
	}
	while (c->fd >= 0 && (line = slu_lines_next(&c->in, &len)))
		handle_line(c, line, len);
}

static void client_write(struct slu_control *c)
{
	size_t left = slu_control_queued(c);
	ssize_t n;

	if (c->out.failed) {
		disconnect(c, "it does not read its socket");
		return;
	}
	if (!left)
		return;
	n = send(c->fd, c->out.data + c->sent, left, MSG_NOSIGNAL);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		disconnect(c, strerror(errno));
		return;
	}
	if (n > 0)
		c->sent += (size_t)n;
	if (c->sent == c->out.len) {
		slu_buf_reset(&c->out);
		c->sent = 0;
		c->ops.drained(c->ops.arg);
	}
}

static void client_ready(void *arg, short revents)
{
	struct slu_control *c = arg;

	if (revents & (POLLIN | POLLHUP | POLLERR))
		client_read(c);
	if (c->fd >= 0)
		client_write(c);
	if (c->fd >= 0)
		watch_client(c);
}

static void start_client(struct slu_control *c, int fd, pid_t pid)
{
	disconnect(c, "a newer one connected");
	c->fd = fd;
	c->in.max = SLU_LINE_MAX;
	c->out.max = SLU_CONTROL_QUEUE_MAX;
	c->saw_unknown = false;
	watch_client(c);
	c->ops.connected(c->ops.arg);
	if (c->fd < 0)
		return;
	*c->why = '\0';
	slu_log(c->log, SLU_INFO, "slurmctld connected (pid %d)", (int)pid);
	for (const struct slu_order *o = slu_orders_first(c->orders); o;
	     o = o->next)
		send_line(c, o->line);
}

static void accept_ready(void *arg, short revents)
{
	struct slu_control *c = arg;
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int fd = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)revents;
	if (fd < 0)
		return;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0) {
		slu_log(c->log, SLU_WARN, "control socket: %s",
			strerror(errno));
		close(fd);
		return;
	}
	if (peer.uid != 0 && peer.uid != c->owner) {
		slu_log(c->log, SLU_WARN,
			"control socket: uid %u is neither root nor SlurmUser",
			(unsigned)peer.uid);
		close(fd);
		return;
	}
	start_client(c, fd, peer.pid);
}

static int listen_at(const char *path, struct slu_err *err)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	mode_t mask;
	int fd, rc;

	if (!slu_copy(addr.sun_path, sizeof(addr.sun_path), path))
		return slu_err(err, SLU_INVALID,
			       "ControlSocket %s: longer than %zu bytes", path,
			       sizeof(addr.sun_path) - 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "socket");
	unlink(path);
	mask = umask(0177);
	rc = bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	umask(mask);
	if (rc < 0 || listen(fd, 16) < 0) {
		slu_errno(err, SLU_IO, "ControlSocket %s", path);
		close(fd);
		return -1;
	}
	return fd;
}

struct slu_control *slu_control_new(struct slu_loop *loop, const char *path,
				    uid_t owner, uint64_t first_id,
				    const struct slu_control_ops *ops,
				    const struct slu_log *log,
				    struct slu_err *err)
{
	struct slu_control *c = calloc(1, sizeof(*c));

	if (!c) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	*c = (struct slu_control){.loop = loop,
				  .ops = *ops,
				  .log = log,
				  .owner = owner,
				  .listener = -1,
				  .fd = -1};
	c->path = strdup(path);
	c->orders = slu_orders_new(first_id, err);
	if (!c->path || !c->orders ||
	    (c->listener = listen_at(path, err)) < 0 ||
	    slu_loop_watch(loop, c->listener, POLLIN, accept_ready, c, err) <
		    0) {
		slu_control_free(c);
		return NULL;
	}
	return c;
}

void slu_control_free(struct slu_control *c)
{
	if (!c)
		return;
	if (c->fd >= 0) {
		slu_loop_unwatch(c->loop, c->fd);
		close(c->fd);
	}
	if (c->listener >= 0) {
		slu_loop_unwatch(c->loop, c->listener);
		close(c->listener);
		unlink(c->path);
	}
	slu_lines_free(&c->in);
	slu_buf_free(&c->out);
	slu_orders_free(c->orders);
	free(c->path);
	free(c);
}

bool slu_control_connected(const struct slu_control *c)
{
	return c->fd >= 0;
}

size_t slu_control_queued(const struct slu_control *c)
{
	return c->out.len - c->sent;
}

size_t slu_control_orders(const struct slu_control *c)
{
	return slu_orders_count(c->orders);
}
