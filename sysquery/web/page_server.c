/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the HTTP server of sluice-web with libmicrohttpd in one thread: checks
 * the token, and sends the page of the last few seconds or a new one. */
#include "config.h"
#include "sysquery/web/page_server.h"

#include <microhttpd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "common/clock.h"

#define BEARER "Bearer "

/* Security headers: no scripts, no other servers, no frames, no disk cache, and
 * no token in a Referer. */
static const char *const headers[][2] = {
	{MHD_HTTP_HEADER_CACHE_CONTROL, "no-store"},
	{"Content-Security-Policy",
	 "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
	 "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Referrer-Policy", "no-referrer"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
};

static enum MHD_Result send_answer(struct MHD_Connection *conn, unsigned status,
				   struct MHD_Response *r)
{
	enum MHD_Result rc;

	if (!r)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		MHD_add_response_header(r, headers[i][0], headers[i][1]);
	rc = MHD_queue_response(conn, status, r);
	MHD_destroy_response(r);
	return rc;
}

static struct MHD_Response *response(const char *data, size_t len,
				     const char *type)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		len, (void *)(uintptr_t)data, MHD_RESPMEM_MUST_COPY);

	if (r)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return r;
}

static enum MHD_Result say(struct MHD_Connection *conn, unsigned status,
			   const char *header, const char *value,
			   const char *sentence)
{
	char text[SLU_ERR_TEXT + 2];
	struct MHD_Response *r;

	snprintf(text, sizeof(text), "%s\n", sentence);
	r = response(text, strlen(text), "text/plain; charset=utf-8");
	if (r && header)
		MHD_add_response_header(r, header, value);
	return send_answer(conn, status, r);
}

/* Redirects to the URL without the token, which is now in a cookie.
 * SameSite=Lax: links in mails should work, and there is nothing that a request
 * could change.
 */
static enum MHD_Result enter(const struct slu_web *web,
			     struct MHD_Connection *conn)
{
	struct MHD_Response *r = response("", 0, "text/plain");
	char cookie[256];

	snprintf(cookie, sizeof(cookie),
		 "%s=%s; Path=/; HttpOnly; SameSite=Lax", web->cookie,
		 web->session);
	if (r) {
		MHD_add_response_header(r, MHD_HTTP_HEADER_SET_COOKIE, cookie);
		MHD_add_response_header(r, MHD_HTTP_HEADER_LOCATION, "/");
	}
	return send_answer(conn, MHD_HTTP_SEE_OTHER, r);
}

/* Connections */

static struct slu_web_client *client_of(struct slu_web *web,
					struct MHD_Connection *conn)
{
	for (size_t i = 0; i < SLU_WEB_CLIENTS; i++)
		if (web->client[i].conn == conn)
			return &web->client[i];
	return NULL;
}

static void cut(const struct slu_web_client *client)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		client->conn, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
}

/* Keeps one connection free, so that another client can connect. */
static void make_room(struct slu_web *web)
{
	struct slu_web_client *oldest = NULL, *one;

	for (size_t i = 0; i < SLU_WEB_CLIENTS; i++) {
		one = &web->client[i];
		if (!one->conn)
			return;
		if (!one->known && (!oldest || one->since < oldest->since))
			oldest = one;
	}
	if (oldest)
		cut(oldest);
}

static void notify(void *arg, struct MHD_Connection *conn, void **context,
		   enum MHD_ConnectionNotificationCode what)
{
	struct slu_web *web = arg;
	struct slu_web_client *client = client_of(
		web, what == MHD_CONNECTION_NOTIFY_STARTED ? NULL : conn);

	(void)context;
	if (!client)
		return;
	*client = (struct slu_web_client){0};
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		client->conn = conn;
		client->since = slu_now_mono();
		make_room(web);
	}
}

/* Called before arguments are parsed, for which the server has little memory: a
 * URL that is too long has none. Returns whether it was, for handle(). */
static void *look_at_url(void *arg, const char *url,
			 struct MHD_Connection *conn)
{
	char *args = strchr((char *)(uintptr_t)url, '?');

	(void)conn;
	if (strlen(url) <= SLU_WEB_URL)
		return NULL;
	if (args)
		args[1] = '\0'; /* the buffer is the server's */
	return arg;
}

static const char *value(struct MHD_Connection *conn, enum MHD_ValueKind kind,
			 const char *name)
{
	return MHD_lookup_connection_value(conn, kind, name);
}

static bool is_known(const struct slu_web *web, struct MHD_Connection *conn)
{
	const char *auth =
		value(conn, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);

	if (auth && !strncmp(auth, BEARER, strlen(BEARER)))
		return slu_token_is(web->token, auth + strlen(BEARER));
	return slu_token_is(web->session,
			    value(conn, MHD_COOKIE_KIND, web->cookie));
}

/* Returns the cached page, or a new one. */
static int renew(struct slu_web *web, struct slu_err *err)
{
	double now = slu_now_mono();
	struct slu_buf out = {0};

	if (web->made > 0 && now - web->made < web->keep)
		return 0;
	if (web->page(web->arg, &out, err) < 0) {
		slu_buf_free(&out);
		return -1;
	}
	slu_buf_free(&web->text);
	web->text = out;
	web->made = now;
	return 0;
}

static enum MHD_Result show(struct slu_web *web, struct MHD_Connection *conn)
{
	struct slu_err err = {0};

	if (renew(web, &err) < 0)
		return say(conn, MHD_HTTP_SERVICE_UNAVAILABLE,
			   MHD_HTTP_HEADER_RETRY_AFTER, "10", err.text);
	return send_answer(conn, MHD_HTTP_OK,
			   response(web->text.data, web->text.len,
				    "text/html; charset=utf-8"));
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *conn,
			      const char *url, const char *method,
			      const char *version, const char *data,
			      size_t *size, void **slot)
{
	static const char denied[] =
		"open the address that sluice-web printed, with its token";
	struct slu_web *web = arg;
	struct slu_web_client *client;

	(void)version, (void)data;
	if (*size) { /* a request with a body */
		*size = 0;
		return MHD_YES;
	}
	if (*slot)
		return say(conn, MHD_HTTP_URI_TOO_LONG, NULL, NULL,
			   "there is only /");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return say(conn, MHD_HTTP_METHOD_NOT_ALLOWED,
			   MHD_HTTP_HEADER_ALLOW, "GET, HEAD",
			   "there is only something to read");
	if (slu_token_is(web->token,
			 value(conn, MHD_GET_ARGUMENT_KIND, "token")))
		return enter(web, conn);
	client = client_of(web, conn);
	if (!is_known(web, conn))
		return say(conn, MHD_HTTP_FORBIDDEN, NULL, NULL, denied);
	if (client)
		client->known = true;
	if (strcmp(url, "/") != 0)
		return say(conn, MHD_HTTP_NOT_FOUND, NULL, NULL,
			   "there is only /");
	return show(web, conn);
}

struct MHD_Daemon *slu_web_start(struct slu_web *web, int fd, unsigned port,
				 struct slu_err *err)
{
	struct MHD_Daemon *server;

	if (slu_token_make(web->session, err) < 0)
		return NULL;
	snprintf(web->cookie, sizeof(web->cookie), "sluice-web-%u", port);
	server = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL,
		handle, web, MHD_OPTION_LISTEN_SOCKET, fd,
		MHD_OPTION_CONNECTION_LIMIT, SLU_WEB_CLIENTS,
		MHD_OPTION_CONNECTION_TIMEOUT, SLU_WEB_IDLE,
		MHD_OPTION_NOTIFY_CONNECTION, notify, web,
		MHD_OPTION_URI_LOG_CALLBACK, look_at_url, web,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)131072,
		MHD_OPTION_END);
	if (!server)
		slu_err(err, SLU_IO, "the HTTP server could not be started");
	return server;
}

void slu_web_stop(struct slu_web *web, struct MHD_Daemon *server)
{
	if (server)
		MHD_stop_daemon(server);
	slu_buf_free(&web->text);
}
