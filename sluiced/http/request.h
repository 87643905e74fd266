/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_REQUEST_H
#define SLU_SLUICED_REQUEST_H

/*
 * Describes one HTTP request, from its first line to its answer: what httpd.c
 * collects, what its handler adds, and what can be read from its headers.
 */

#include "common/cred.h"
#include "common/err.h"
#include "common/str.h"
#include "common/text.h"
#include "sluiced/http/bounds.h"
#include "sluiced/http/longpoll.h"

struct slu_httpd;
struct slu_route;
struct MHD_Connection;
struct MHD_Response;

/* Made and freed by httpd.c. */
struct slu_req {
	char *method;
	char *uri;  /* path and query, as sent */
	char *path; /* without the query */
	struct slu_buf body;
	/* Set by the handler: */
	struct slu_parked parked;
	const struct slu_route *route;
	struct slu_caller caller;
	bool proven;  /* the caller is authenticated; answers carry a
		       * credential */
	void *msg;    /* the decoded body */
	char *host;   /* the node that it is about, if any; owned */
	char *secret; /* sent to the caller beside the answer; owned */
	/* Set for one that is answered after a commit (request_batch.h): */
	struct slu_req *next;
	struct slu_buf out;
	struct slu_text *text; /* in place of out; a reference; NULL: none */
	struct slu_err err;
	int rc;
	bool drop;    /* discard the body: the answer does not depend on it */
	uid_t payer;  /* the user whose bounds it counts for, or SLU_STRANGER */
	bool trusted; /* it counts for no bounds */
	/* Private to httpd.c: */
	struct slu_httpd *httpd;
	struct MHD_Connection *conn;
	struct MHD_Response *response; /* NULL when answered: no memory */
	int status;
	struct slu_share share;
	size_t max, taken; /* bytes of the body: at most, so far */
	bool begun, answered, suspended;
};

/* The value of a header, or of a query argument; NULL: there is none. Borrowed
 * from the request. */
const char *slu_httpd_header(struct slu_req *req, const char *name);
const char *slu_httpd_argument(struct slu_req *req, const char *name);

/* The client's address, for messages: it proves nothing. Returns a pointer into
 * text. */
#define SLU_HTTPD_PEER 46
const char *slu_httpd_peer(const struct slu_req *req,
			   char text[SLU_HTTPD_PEER]);

/* The HTTP status for an error of this kind. */
int slu_httpd_status(enum slu_kind kind);

#endif
