/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTPD_H
#define SLU_SLUICED_HTTPD_H

/*
 * The HTTP server: libmicrohttpd without threads of its own, driven by our
 * loop. It collects a request's body within the limits, hands it over whole,
 * and takes the answer at once or later. What a request means and who may ask
 * is decided elsewhere (routes.h).
 *
 * Bounds: connections (as many as the descriptor limit allows), idle time, size
 * of one body (by route), and those of bounds.h.
 */

#include "common/cred.h"
#include "common/err.h"
#include "common/log.h"
#include "common/str.h"
#include "sluiced/http/bounds.h"
#include "sluiced/http/longpoll.h"
#include "sluiced/event_loop.h"

#define SLU_HTTPD_IDLE 30u /* seconds without a byte */

struct slu_httpd;
struct slu_route;
struct MHD_Connection;
struct MHD_Response;

/* One request, made and freed by the httpd. */
struct slu_req {
	char *method;
	char *uri;  /* path and query, as sent */
	char *path; /* without the query */
	struct slu_buf body;
	/* The handler's: */
	struct slu_parked parked;
	const struct slu_route *route;
	struct slu_caller caller;
	bool proven;  /* caller is who it says; answers carry a credential */
	void *msg;    /* the decoded body */
	char *host;   /* whom it speaks for, where that matters; owned */
	char *secret; /* for the caller's eyes, beside the answer; owned */
	/* Of one that is answered after a commit, see request_batch.h: */
	struct slu_req *next;
	struct slu_buf out;
	struct slu_err err;
	int rc;
	bool drop;    /* its body: the answer does not depend on it */
	uid_t payer;  /* on whose account it is, or SLU_STRANGER */
	bool trusted; /* on nobody's */
	/* The httpd's: */
	struct slu_httpd *httpd;
	struct MHD_Connection *conn;
	struct MHD_Response *response; /* NULL when answered: no memory */
	int status;
	struct slu_share share;
	size_t max, taken; /* bytes of the body: at most, so far */
	bool begun, answered, suspended;
};

struct slu_httpd_ops {
	/* The headers are there: set *max to the most bytes that the body may
	 * have, and req->payer or req->trusted, or refuse. */
	int (*begin)(void *arg, struct slu_req *req, size_t *max,
		     struct slu_err *err);
	/* The body is there: slu_httpd_answer() now or later, once. */
	void (*complete)(void *arg, struct slu_req *req);
	/* It is about to be freed; never while it waits for its answer. */
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

/* A header's value, or that of a query argument; NULL when absent. Borrowed
 * from the request. */
const char *slu_httpd_header(struct slu_req *req, const char *name);
const char *slu_httpd_argument(struct slu_req *req, const char *name);
/* The address that it came from, for people: nothing proves it. Returns it, in
 * text. */
#define SLU_HTTPD_PEER 46
const char *slu_httpd_peer(const struct slu_req *req,
			   char text[SLU_HTTPD_PEER]);

struct slu_answer_head {
	int status;
	const char *type;	/* Content-Type */
	const char *credential; /* Sluice-Credential; NULL: none */
	const char *conf;	/* Sluice-Conf; NULL: none */
};

/* Answer; takes the body's memory (and leaves it empty). */
void slu_httpd_answer(struct slu_req *req, const struct slu_answer_head *head,
		      struct slu_buf *body);
/* Refuse with err's sentence and the status of its kind, unproven. */
void slu_httpd_refuse(struct slu_req *req, const struct slu_err *err);

/* The HTTP status of a kind of error. */
int slu_httpd_status(enum slu_kind kind);
size_t slu_httpd_connections(const struct slu_httpd *httpd);
/* End connections whose deadline is before `now`; it does so by itself. */
void slu_httpd_sweep(struct slu_httpd *httpd, double now);

#endif
