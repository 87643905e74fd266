/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_ROUTE_H
#define SLU_SLUICED_HTTP_ROUTE_H

/*
 * Describes one kind of HTTP request: its method and path, who may send it, its
 * message, and its handler.
 */

#include "sluiced/daemon.h"
#include "sluiced/http/request.h"

/* What a handler may return beside -1. */
enum {
	SLU_ANSWERED = 0, /* *out, or req->text, is the body of a 200 */
	SLU_KEPT = 1,	  /* it will call slu_routes_reply() itself */
};

struct slu_route {
	const char *method, *path;
	enum slu_who who;
	size_t max; /* bytes of body */
	/* The body's message; NULL: the handler reads req->body. */
	const struct slu_desc *desc;
	size_t node; /* offset in the message: char *, the host that the request
			is about */
	/* The same for a body that is not a message; the caller frees. */
	char *(*host)(struct slu_req *req, struct slu_err *err);
	/* Of a long poll, offsets in the message: job and run (uint32_t),
	 * buffer (uint64_t), and what it waits for (char *); 0: it has none. */
	size_t job, run, buffer, group;
	bool waits;	  /* a long poll: parked while the answer is SLU_BUSY */
	const char *type; /* Content-Type; NULL: JSON */
	/* The answer when a long poll expires; NULL: the error itself. */
	const char *over;
	int (*handle)(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *out, struct slu_err *err);
};

/* routes: a table that a path of NULL ends. NULL: there is none. */
const struct slu_route *slu_route_find(const struct slu_route *routes,
				       const char *method, const char *path);

#endif
