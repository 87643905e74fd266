/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles one HTTP request of sluiced, from its headers to its answer.
 *
 * begin() finds the route and authenticates the caller by the headers;
 * complete() checks that the caller signed this body, decodes it, authorises
 * the caller, and calls the route's handler.
 *
 * Routes with `waits` are long polls. They are handled in a batch, one database
 * transaction for all that arrived together (request_batch.h). When the handler
 * returns SLU_BUSY the request is parked, and handled again whenever its job
 * changes, for at most HOLD seconds.
 */
#include "sluiced/http/api/exchange.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/http.h"
#include "sluiced/http/api/reply.h"
#include "sluiced/http/api/request_batch.h"

#define HOLD 30.0 /* seconds for which a request is parked */

static char *text_at(const void *msg, size_t offset)
{
	return *(char *const *)((const char *)msg + offset);
}

static uint32_t number_at(const void *msg, size_t offset)
{
	return *(const uint32_t *)((const char *)msg + offset);
}

static uint64_t long_at(const void *msg, size_t offset)
{
	return *(const uint64_t *)((const char *)msg + offset);
}

/* Authenticates the caller by the headers; verify_body() does the rest. */
static int verify(struct slu_daemon *d, struct slu_req *req,
		  struct slu_err *err)
{
	struct slu_auth_request ask = {
		.method = req->method,
		.uri = req->uri,
		.authorization = slu_httpd_header(req, "Authorization"),
	};

	if (req->route->who == SLU_WHO_ANYBODY)
		return 0;
	if (slu_auth_verify(&d->auth, &ask, &req->caller, err) < 0)
		return -1;
	/* an authenticated caller gets even its refusal signed */
	req->proven =
		slu_auth_user(&d->auth, req->route->who, &req->caller, err) < 0;
	return req->proven ? -1 : 0;
}

static int verify_body(struct slu_req *req, struct slu_err *err)
{
	if (req->route->who == SLU_WHO_ANYBODY)
		return 0;
	if (slu_cred_check_body(&req->caller, req->body.data, req->body.len,
				err) < 0)
		return -1;
	req->proven = true;
	return 0;
}

static int decode(struct slu_req *req, struct slu_err *err)
{
	const struct slu_desc *desc = req->route->desc;

	if (!desc)
		return 0;
	req->msg = calloc(1, desc->size);
	if (!req->msg)
		return slu_err(err, SLU_NOMEM, "out of memory");
	return slu_decode_text(desc, req->body.data ? req->body.data : "",
			       req->body.len, req->msg, err);
}

/* Sets req->host: the node that the request is about. */
static int find_host(struct slu_req *req, struct slu_err *err)
{
	const struct slu_route *route = req->route;

	slu_err(err, SLU_NOMEM, "out of memory");
	if (route->host)
		req->host = route->host(req, err);
	else
		req->host = strdup(text_at(req->msg, route->node));
	return req->host ? 0 : -1;
}

/* Records when this host was last heard of, and the release that it claims in
 * User-Agent (not authenticated, for display only). */
static void note_heard(struct slu_daemon *d, struct slu_req *req)
{
	const size_t len = strlen(SLU_HTTP_PRODUCT);
	const char *agent = slu_httpd_header(req, "User-Agent");
	bool ours = agent && !strncmp(agent, SLU_HTTP_PRODUCT, len);

	slu_nodes_heard(d->auth.nodes, req->host, ours ? agent + len : "",
			slu_now_wall());
}

static int allow(struct slu_daemon *d, struct slu_req *req, struct slu_err *err)
{
	enum slu_who who = req->route->who;

	if (who == SLU_WHO_HOST && find_host(req, err) < 0)
		return -1;
	if (slu_auth_allow(&d->auth, who, &req->caller, req->host, err) < 0)
		return -1;
	if (who == SLU_WHO_HOST)
		note_heard(d, req);
	return 0;
}

/* Parks a long poll. `what` is the key of its group: parked requests with the
 * same key get the same answer at the same time. */
static int park(struct slu_daemon *d, struct slu_req *req)
{
	const struct slu_route *route = req->route;
	const char *group =
		route->group ? text_at(req->msg, route->group) : NULL;
	uint32_t run = route->run ? number_at(req->msg, route->run) : 0;
	char what[160];

	snprintf(what, sizeof(what), "%s %llu %u %s", route->path,
		 (unsigned long long)long_at(req->msg, route->buffer), run,
		 group ? group : "");
	if (slu_longpoll_park(d->longpoll, &req->parked,
			      number_at(req->msg, route->job), what,
			      slu_now_mono() + HOLD) < 0)
		return -1;
	slu_timer_soon(d->loop, &d->poll, HOLD);
	return 0;
}

/* The headers have arrived. If the caller is refused here, the body is received
 * and discarded: clients read no answer before they have sent all of it. */
static int begin(void *arg, struct slu_req *req, size_t *max,
		 struct slu_err *err)
{
	struct slu_daemon *d = arg;

	req->route = slu_route_find(d->routes, req->method, req->path);
	if (!req->route)
		return slu_err(err, SLU_NOTFOUND, "there is no %.8s %.80s",
			       req->method, req->path);
	*max = req->route->max;
	req->rc = verify(d, req, &req->err);
	req->drop = req->rc < 0;
	if (req->rc < 0 || req->route->who == SLU_WHO_ANYBODY) {
		req->payer = SLU_STRANGER;
	} else {
		req->payer = req->caller.uid;
		req->trusted = slu_auth_admin(&d->auth, &req->caller);
	}
	return 0;
}

static void note_refused(struct slu_daemon *d, const struct slu_req *req,
			 int rc, const struct slu_err *err)
{
	if (rc < 0 && (err->kind == SLU_DENIED || err->kind == SLU_IO))
		slu_routes_log_refused(d, req, err);
}

/* Calls the route's handler, unless d->failed: then the buffers in memory may
 * differ from the database (restart_buffers() in startup.c). */
static int handle(struct slu_daemon *d, struct slu_req *req,
		  struct slu_buf *out, struct slu_err *err)
{
	if (d->failed)
		return slu_err(err, SLU_IO, "sluiced is stopping, try again");
	return req->route->handle(d, req, out, err);
}

static void complete(void *arg, struct slu_req *req)
{
	const struct slu_route *route = req->route;
	struct slu_daemon *d = arg;
	struct slu_buf out = {0};
	struct slu_err err = req->err;
	int rc = req->rc;

	if (rc == 0 && (verify_body(req, &err) || decode(req, &err) ||
			allow(d, req, &err)))
		rc = -1;
	if (rc == 0 && route->waits) {
		slu_request_batch_add(&d->turn, req);
		return;
	}
	if (rc == 0)
		rc = handle(d, req, &out, &err);
	if (rc == SLU_KEPT)
		return;
	note_refused(d, req, rc, &err);
	slu_routes_reply(d, req, &out, rc < 0 ? &err : NULL);
}

void slu_routes_handle(void *arg, struct slu_req *req)
{
	struct slu_daemon *d = arg;

	req->rc = handle(d, req, &req->out, &req->err);
	if (req->rc < 0 && req->err.kind == SLU_BUSY && park(d, req) == 0)
		return;
	note_refused(d, req, req->rc, &req->err);
	slu_request_batch_answer(&d->turn, req);
}

bool slu_routes_parked(void *arg, struct slu_parked *parked, bool expired)
{
	struct slu_req *req =
		(struct slu_req *)((char *)parked -
				   offsetof(struct slu_req, parked));
	struct slu_daemon *d = arg;

	req->rc = handle(d, req, &req->out, &req->err);
	if (req->rc < 0 && req->err.kind == SLU_BUSY && !expired)
		return false;
	if (req->rc < 0 && req->err.kind == SLU_BUSY && req->route->over) {
		slu_buf_puts(&req->out, req->route->over);
		req->rc = SLU_ANSWERED;
	}
	slu_request_batch_answer(&d->turn, req);
	return true;
}

static void end(void *arg, struct slu_req *req)
{
	(void)arg;
	if (req->msg)
		slu_msg_free(req->route->desc, req->msg);
}

const struct slu_httpd_ops slu_httpd_glue = {
	.begin = begin,
	.complete = complete,
	.end = end,
};
