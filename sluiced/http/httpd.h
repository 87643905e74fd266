/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTPD_H
#define SLU_SLUICED_HTTPD_H

/*
 * The HTTP server: libmicrohttpd without threads of its own, driven by the
 * daemon's loop. It collects a request's body within the limits, passes the
 * whole request on, and takes the answer at once or later. What a request means
 * and who may send it is decided in routes.h.
 *
 * Limits: connections (as many as the descriptor limit allows), idle time, size
 * of one body (by route), and those of bounds.h.
 */

#include "common/err.h"
#include "common/log.h"
#include "common/str.h"
#include "common/text.h"
#include "sluiced/http/request.h"
#include "sluiced/event_loop.h"

#define SLU_HTTPD_IDLE 30u /* seconds without a byte */

struct slu_httpd;

struct slu_httpd_ops {
	/* The headers are there: set *max to the largest body, and req->payer
	 * or req->trusted, or refuse. */
	int (*begin)(void *arg, struct slu_req *req, size_t *max,
		     struct slu_err *err);
	/* The body is there: slu_httpd_answer() now or later, once. */
	void (*complete)(void *arg, struct slu_req *req);
	/* The request is about to be freed; never while it waits for its
	 * answer. */
	void (*end)(void *arg, struct slu_req *req);
	void *arg;
};

/* addr: "host:port"; listens on that port of every address. */
struct slu_httpd *slu_httpd_new(struct slu_loop *loop, const char *addr,
				const struct slu_httpd_ops *ops,
				const struct slu_log *log, struct slu_err *err);
/* Take no new connections, and drop the old ones; every request must have
 * been answered. */
void slu_httpd_free(struct slu_httpd *httpd);

struct slu_answer_head {
	int status;
	const char *type;	/* Content-Type */
	const char *credential; /* Sluice-Credential; NULL: none */
	const char *seal;	/* Sluice-Seal, in its place; NULL: none */
	const char *conf;	/* Sluice-Conf; NULL: none */
};

/* Turns a body into a text that equal bodies share; the caller gets a
 * reference. Takes the body's memory and leaves it empty. NULL: no memory. */
struct slu_text *slu_httpd_share(struct slu_req *req, struct slu_buf *body);
/* Answer; takes a reference of its own. */
void slu_httpd_answer(struct slu_req *req, const struct slu_answer_head *head,
		      struct slu_text *body);
/* Refuse with err's sentence and the status of its kind, unsigned. */
void slu_httpd_refuse(struct slu_req *req, const struct slu_err *err);

size_t slu_httpd_connections(const struct slu_httpd *httpd);
/* End connections whose deadline is before `now`; the server does that itself,
 * too. */
void slu_httpd_sweep(struct slu_httpd *httpd, double now);

#endif
