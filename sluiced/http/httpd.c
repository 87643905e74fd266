/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the HTTP server on libmicrohttpd, which calls back for a request's line,
 * its headers, each piece of its body and its end. A request whose answer comes
 * later is suspended, and then costs only a descriptor. Invariants: a request
 * is answered once; `suspended` is true exactly while libmicrohttpd does not
 * touch it; a connection has a deadline exactly while the server waits for the
 * client.
 */
#include "config.h"
#include "sluiced/http/httpd.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <microhttpd.h>
#include "common/file.h"
#include "common/str.h"
#include "sluiced/http/listen.h"
#include "sluiced/http/shared_bodies.h"

#define MEMORY_PER_CONN (16u << 10)
#define CONN_MAX	65536
#define FD_RESERVE	64  /* for everything that is not a connection */
#define SWEEP		5.0 /* seconds */
#define TOO_LARGE	413 /* the macro has had three names in libmicrohttpd */

struct slu_httpd {
	struct slu_loop *loop;
	struct slu_httpd_ops ops;
	const struct slu_log *log;
	struct MHD_Daemon *mhd;
	int epoll;
	struct slu_timer timer;
	struct slu_bounds bounds;
	struct slu_conns conns;
	size_t most_conns; /* beyond that some are ended */
	struct slu_shared_bodies texts;
	struct slu_timer sweep;
	bool stopping; /* nothing may be suspended any more */
};

static struct slu_conn *conn_of(struct slu_req *req)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		req->conn, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static void trust(struct slu_req *req)
{
	struct slu_conn *conn = conn_of(req);

	if (conn)
		conn->trusted = req->trusted;
}

/* The client has to transfer so many bytes of body or answer. */
static void travels(struct slu_req *req, uint64_t n)
{
	struct slu_conn *conn = conn_of(req);

	if (conn)
		slu_conn_set_deadline(conn, slu_now_mono(), n);
}

/* The server works on the request now, so the client has no deadline. */
static void waits(struct slu_req *req)
{
	struct slu_conn *conn = conn_of(req);

	if (conn)
		conn->deadline = 0;
}

struct slu_text *slu_httpd_share(struct slu_req *req, struct slu_buf *body)
{
	const size_t len = body->len;
	char *data = slu_buf_steal(body);

	return data ? slu_shared_bodies_share(&req->httpd->texts, data, len)
		    : NULL;
}

static bool reads_gzip(struct slu_req *req)
{
	const char *accepts =
		slu_httpd_header(req, MHD_HTTP_HEADER_ACCEPT_ENCODING);

	return accepts && strstr(accepts, "gzip");
}

static void answer(struct slu_req *req, const struct slu_answer_head *head,
		   struct slu_text *body)
{
	req->answered = true;
	travels(req, body ? body->len : 0);
	req->status = head->status;
	if (body)
		req->response = slu_shared_respond(body, reads_gzip(req));
	if (req->response) {
		MHD_add_response_header(req->response,
					MHD_HTTP_HEADER_CONTENT_TYPE,
					head->type);
		if (head->conf)
			MHD_add_response_header(req->response, "Sluice-Conf",
						head->conf);
		if (head->seal)
			MHD_add_response_header(req->response, "Sluice-Seal",
						head->seal);
		if (head->credential)
			MHD_add_response_header(req->response,
						"Sluice-Credential",
						head->credential);
	}
	if (req->suspended) {
		req->suspended = false;
		MHD_resume_connection(req->conn);
		/* it has no thread of its own that would wake it */
		slu_timer_soon(req->httpd->loop, &req->httpd->timer, 0);
	}
}

static void refuse(struct slu_req *req, int status, const char *sentence)
{
	struct slu_answer_head head = {.status = status, .type = "text/plain"};
	struct slu_buf body = {0};
	struct slu_text *text;

	slu_buf_printf(&body, "%s\n", sentence);
	text = slu_httpd_share(req, &body);
	answer(req, &head, text);
	slu_text_unref(text);
}

void slu_httpd_answer(struct slu_req *req, const struct slu_answer_head *head,
		      struct slu_text *body)
{
	if (slu_bounds_answer(&req->httpd->bounds, &req->share, body->len)) {
		answer(req, head, body);
		return;
	}
	refuse(req, MHD_HTTP_SERVICE_UNAVAILABLE,
	       "too many answers have not been read yet, try again");
}

void slu_httpd_refuse(struct slu_req *req, const struct slu_err *err)
{
	refuse(req, slu_httpd_status(err->kind), err->text);
}

static void *on_uri(void *arg, const char *uri, struct MHD_Connection *conn)
{
	struct slu_req *req = calloc(1, sizeof(*req));

	if (!req)
		return NULL;
	req->httpd = arg;
	req->conn = conn;
	req->uri = strdup(uri);
	req->path = req->uri ? strndup(uri, strcspn(uri, "?")) : NULL;
	return req;
}

static void on_end(void *arg, struct MHD_Connection *conn, void **slot,
		   enum MHD_RequestTerminationCode why)
{
	struct slu_httpd *httpd = arg;
	struct slu_req *req = *slot;

	(void)conn;
	(void)why;
	if (!req)
		return;
	if (req->begun)
		httpd->ops.end(httpd->ops.arg, req);
	slu_bounds_end(&httpd->bounds, &req->share);
	travels(req, 0);
	if (req->response)
		MHD_destroy_response(req->response);
	slu_buf_free(&req->body);
	slu_buf_free(&req->out);
	slu_text_unref(req->text);
	free(req->host);
	free(req->secret);
	free(req->method);
	free(req->uri);
	free(req->path);
	free(req);
	*slot = NULL;
}

static void begin(struct slu_httpd *httpd, struct slu_req *req,
		  const char *method)
{
	const char *length =
		slu_httpd_header(req, MHD_HTTP_HEADER_CONTENT_LENGTH);
	struct slu_err err;

	req->begun = true;
	req->method = strdup(method);
	if (!req->method || !req->path)
		refuse(req, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory");
	else if (httpd->ops.begin(httpd->ops.arg, req, &req->max, &err) < 0)
		slu_httpd_refuse(req, &err);
	else if (length && strtoull(length, NULL, 10) > req->max)
		refuse(req, TOO_LARGE, "the body is too long");
	else if (!slu_bounds_begin(&httpd->bounds, &req->share, req->payer,
				   req->trusted))
		refuse(req, MHD_HTTP_SERVICE_UNAVAILABLE,
		       "too many requests of one user at once, try again");
	trust(req);
	req->body.max = req->max;
	if (!req->answered)
		travels(req, req->max);
}

static void take_piece(struct slu_httpd *httpd, struct slu_req *req,
		       const char *data, size_t len)
{
	if (req->answered)
		return;
	req->taken += len;
	if (req->taken > req->max) {
		refuse(req, TOO_LARGE, "the body is too long");
		return;
	}
	if (req->drop)
		return;
	if (slu_bounds_body(&httpd->bounds, &req->share, len))
		slu_buf_add(&req->body, data, len);
	else
		req->body.failed = true;
	if (req->body.failed)
		refuse(req, MHD_HTTP_SERVICE_UNAVAILABLE,
		       "too many requests at once, try again");
}

/* Without memory for an answer, MHD_NO closes the connection. */
static enum MHD_Result queue(struct slu_req *req)
{
	if (!req->response)
		return MHD_NO;
	return MHD_queue_response(req->conn, (unsigned)req->status,
				  req->response);
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *conn,
				  const char *url, const char *method,
				  const char *version, const char *data,
				  size_t *len, void **slot)
{
	struct slu_httpd *httpd = arg;
	struct slu_req *req = *slot;

	(void)url;
	(void)version;
	if (!req)
		return MHD_NO;
	if (!req->begun) {
		begin(httpd, req, method);
		return req->answered ? queue(req) : MHD_YES;
	}
	if (*len) {
		take_piece(httpd, req, data, *len);
		*len = 0;
		return MHD_YES;
	}
	if (!req->answered)
		waits(req);
	if (!req->answered && httpd->stopping)
		refuse(req, MHD_HTTP_SERVICE_UNAVAILABLE,
		       "sluiced is stopping, try again");
	if (!req->answered)
		httpd->ops.complete(httpd->ops.arg, req);
	if (req->answered)
		return queue(req);
	req->suspended = true;
	MHD_suspend_connection(conn);
	return MHD_YES;
}

static void run(void *arg)
{
	struct slu_httpd *httpd = arg;
	MHD_UNSIGNED_LONG_LONG ms;

	MHD_run(httpd->mhd);
	slu_shared_bodies_sweep(&httpd->texts);
	if (MHD_get_timeout(httpd->mhd, &ms) == MHD_YES)
		slu_timer_set(httpd->loop, &httpd->timer, (double)ms / 1000);
	else
		slu_timer_stop(httpd->loop, &httpd->timer);
}

static void ready(void *arg, short revents)
{
	(void)revents;
	run(arg);
}

/* NULL: no memory, and then it has no deadline. The two answers of
 * libmicrohttpd share one place in memory. */
static struct slu_conn *begin_conn(struct slu_httpd *httpd,
				   struct MHD_Connection *mhd)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
	int fd = info ? info->connect_fd : -1;
	struct slu_conn *conn;

	info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	conn = fd >= 0 && info ? calloc(1, sizeof(*conn)) : NULL;
	if (!conn)
		return NULL;
	conn->fd = fd;
	conn->net = slu_net(info->client_addr);
	slu_conn_add(&httpd->conns, conn, slu_now_mono());
	if (httpd->conns.n > httpd->most_conns)
		slu_conns_cut(&httpd->conns);
	return conn;
}

/* A connection begins or ends. */
static void on_connection(void *arg, struct MHD_Connection *mhd, void **slot,
			  enum MHD_ConnectionNotificationCode what)
{
	struct slu_httpd *httpd = arg;
	struct slu_conn *conn = *slot;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*slot = begin_conn(httpd, mhd);
	} else if (conn) {
		slu_conn_remove(&httpd->conns, conn);
		free(conn);
		*slot = NULL;
	}
}

void slu_httpd_sweep(struct slu_httpd *httpd, double now)
{
	slu_conns_sweep(&httpd->conns, now);
}

static void sweep(void *arg)
{
	struct slu_httpd *httpd = arg;

	run(httpd); /* what has arrived while others were served counts */
	slu_httpd_sweep(httpd, slu_now_mono());
	slu_timer_set(httpd->loop, &httpd->sweep, SWEEP);
}

/* As many connections as there can be descriptors. */
static unsigned connection_limit(const struct slu_log *log)
{
	rlim_t n = slu_most_files();

	n = n > FD_RESERVE * 2 ? n - FD_RESERVE : FD_RESERVE;
	if (n > CONN_MAX)
		n = CONN_MAX;
	if (n < 2048)
		slu_log(log, SLU_WARN,
			"only %u connections at a time: raise the limit of "
			"open files (LimitNOFILE=)",
			(unsigned)n);
	return (unsigned)n;
}

static void mhd_log(void *arg, const char *fmt, va_list args)
{
	const struct slu_log *log = arg;
	char line[256];

	vsnprintf(line, sizeof(line), fmt, args);
	line[strcspn(line, "\n")] = '\0';
	slu_log(log, SLU_DEBUG, "http: %s", line);
}

static int start_mhd(struct slu_httpd *httpd, int fd, struct slu_err *err)
{
	const union MHD_DaemonInfo *info;
	unsigned conns = connection_limit(httpd->log);

	httpd->most_conns = conns - conns / 8;
	httpd->mhd = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0,
		NULL, NULL, on_request, httpd, MHD_OPTION_EXTERNAL_LOGGER,
		mhd_log, (void *)httpd->log, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, conns,
		MHD_OPTION_CONNECTION_TIMEOUT, SLU_HTTPD_IDLE,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_PER_CONN,
#if HAVE_DECL_MHD_OPTION_SIGPIPE_HANDLED_BY_APP
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
#endif
		MHD_OPTION_URI_LOG_CALLBACK, on_uri, httpd,
		MHD_OPTION_NOTIFY_COMPLETED, on_end, httpd,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, httpd,
		MHD_OPTION_END);
	if (!httpd->mhd)
		return slu_err(err, SLU_IO, "cannot start the HTTP server");
	info = MHD_get_daemon_info(httpd->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info)
		return slu_err(err, SLU_INTERNAL, "no epoll in libmicrohttpd");
	httpd->epoll = info->epoll_fd;
	sweep(httpd);
	return slu_loop_watch(httpd->loop, httpd->epoll, POLLIN, ready, httpd,
			      err);
}

struct slu_httpd *slu_httpd_new(struct slu_loop *loop, const char *addr,
				const struct slu_httpd_ops *ops,
				const struct slu_log *log, struct slu_err *err)
{
	struct slu_httpd *httpd = calloc(1, sizeof(*httpd));
	int fd;

	if (!httpd) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	*httpd = (struct slu_httpd){.loop = loop,
				    .ops = *ops,
				    .log = log,
				    .epoll = -1,
				    .sweep = {.fn = sweep, .arg = httpd},
				    .timer = {.fn = run, .arg = httpd}};
	fd = slu_listen(addr, err);
	if (fd < 0 || start_mhd(httpd, fd, err) < 0) {
		if (fd >= 0 && !httpd->mhd)
			close(fd);
		slu_httpd_free(httpd);
		return NULL;
	}
	return httpd;
}

void slu_httpd_free(struct slu_httpd *httpd)
{
	if (!httpd)
		return;
	if (httpd->epoll >= 0)
		slu_loop_unwatch(httpd->loop, httpd->epoll);
	slu_timer_stop(httpd->loop, &httpd->timer);
	slu_timer_stop(httpd->loop, &httpd->sweep);
	if (httpd->mhd) {
		/* Resumed requests get their answers, as far as their sockets
		 * accept them; libmicrohttpd aborts if one is still
		 * suspended. */
		httpd->stopping = true;
		MHD_run(httpd->mhd);
		MHD_run(httpd->mhd);
		MHD_stop_daemon(httpd->mhd);
	}
	slu_shared_bodies_sweep(&httpd->texts);
	free(httpd);
}

size_t slu_httpd_connections(const struct slu_httpd *httpd)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(
		httpd->mhd, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info ? info->num_connections : 0;
}
