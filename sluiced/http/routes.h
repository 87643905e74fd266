/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_ROUTES_H
#define SLU_SLUICED_ROUTES_H

/*
 * The table of HTTP requests: who may call, how long the body may be, its
 * message, the handler. sluiced(8) has the same table, and a test compares the
 * two.
 */

#include "sluiced/http/auth.h"
#include "sluiced/daemon.h"

/* What a handler may return beside -1. */
enum {
	SLU_ANSWERED = 0, /* *out is the body of a 200 */
	SLU_KEPT = 1,	  /* it will call slu_routes_reply() itself */
};

struct slu_route {
	const char *method, *path;
	enum slu_who who;
	size_t max; /* bytes of body */
	/* The body's message; NULL: the handler reads req->body. */
	const struct slu_desc *desc;
	size_t node; /* in the message: char *, the host it speaks for */
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

extern const struct slu_route slu_routes[]; /* path NULL ends it */

const struct slu_route *slu_routes_find(const char *method, const char *path);

/* Answer, with a credential of ours if the caller is authenticated. err NULL:
 * 200 with the body; else the error's status and sentence. Takes the body. */
void slu_routes_reply(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *body, const struct slu_err *err);

/* Handle an authenticated request of a node; its answer may come later. */
void slu_routes_handle(struct slu_daemon *d, struct slu_req *req);

/* Handlers in files of their own. */
int slu_handle_conf(struct slu_daemon *d, struct slu_req *req,
		    struct slu_buf *out, struct slu_err *err);
int slu_handle_hashes(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *out, struct slu_err *err);
int slu_handle_documents(struct slu_daemon *d, struct slu_req *req,
			 struct slu_buf *out, struct slu_err *err);
int slu_handle_io(struct slu_daemon *d, struct slu_req *req,
		  struct slu_buf *out, struct slu_err *err);
int slu_handle_import(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *out, struct slu_err *err);
int slu_handle_jobstats(struct slu_daemon *d, struct slu_req *req,
			struct slu_buf *out, struct slu_err *err);
int slu_handle_osts(struct slu_daemon *d, struct slu_req *req,
		    struct slu_buf *out, struct slu_err *err);
int slu_handle_query(struct slu_daemon *d, struct slu_req *req,
		     struct slu_buf *out, struct slu_err *err);
int slu_handle_metrics(struct slu_daemon *d, struct slu_req *req,
		       struct slu_buf *out, struct slu_err *err);

#endif
