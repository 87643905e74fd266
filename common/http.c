/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTTP client. One try ends in an answer that is proven, or in "no
 * answer" (inside: SLU_TIMEOUT), after which the next address is tried. What
 * nobody proves, a stranger may have said: a success without a proof is no
 * answer, and an error without one says only that it failed.
 */
#include "config.h"
#include "common/http.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "common/cred.h"
#include "common/exchange.h"

#define REPLY_MAX    (64u << 20)
#define CONNECT_TIME 5.0 /* seconds */
#define PATIENCE     30.0
#define PAUSE_FIRST  0.1
#define PAUSE_MAX    2.0

struct slu_http {
	char **addr; /* owned, NULL-ended */
	size_t n_addr;
	size_t next; /* address to try first */
	uid_t owner;
	double patience;
	double ahead; /* seconds */
	/* of the answer that came in: */
	struct slu_buf body;
	struct slu_reply reply;
	char *secret; /* that came in its credential */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void pause_for(double seconds)
{
	struct timespec t = {.tv_sec = (time_t)seconds};

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	nanosleep(&t, NULL);
}

static void forget_answer(struct slu_http *http)
{
	slu_buf_reset(&http->body);
	slu_reply_clear(&http->reply);
	if (http->secret)
		explicit_bzero(http->secret, strlen(http->secret));
	free(http->secret);
	http->secret = NULL;
}

static char **copy_list(char *const *list, size_t n)
{
	char **copy = calloc(n + 1, sizeof(*copy));

	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = strdup(list[i]);
		if (!copy[i]) {
			slu_strv_free(copy);
			return NULL;
		}
	}
	return copy;
}

struct slu_http *slu_http_new(char *const *addrs, uid_t owner,
			      struct slu_err *err)
{
	size_t n = slu_strv_len(addrs);
	struct slu_http *http;

	if (n == 0) {
		slu_err(err, SLU_INVALID, "no address of sluiced is known");
		return NULL;
	}
	http = calloc(1, sizeof(*http));
	if (http) {
		http->owner = owner;
		http->patience = PATIENCE;
		http->ahead = NAN;
		http->n_addr = n;
		http->addr = copy_list(addrs, n);
	}
	if (http && http->addr)
		return http;
	slu_http_free(http);
	slu_err(err, SLU_NOMEM, "no memory for an HTTP client");
	return NULL;
}

void slu_http_free(struct slu_http *http)
{
	if (!http)
		return;
	forget_answer(http);
	slu_buf_free(&http->body);
	slu_strv_free(http->addr);
	free(http);
}

void slu_http_patience(struct slu_http *http, double seconds)
{
	http->patience = seconds;
}

double slu_http_ahead(const struct slu_http *http)
{
	return http->ahead;
}

struct request {
	const char *path;
	const void *body;
	size_t len;
	char nonce[SLU_NONCE_TEXT]; /* of the latest try */
};

/* Send with a fresh credential, and receive into http. */
static int exchange(struct slu_http *http, struct request *req,
		    const char *addr, struct slu_err *err)
{
	char *cred = slu_cred_request("POST", req->path, req->body, req->len,
				      req->nonce, err);
	char *line = cred ? slu_asprintf("Sluice %s", cred) : NULL;
	struct slu_send send = {.path = req->path,
				.authorization = line,
				.body = req->body,
				.len = req->len,
				.connect = CONNECT_TIME,
				.patience = http->patience};
	int rc = -1;

	forget_answer(http);
	http->body.max = REPLY_MAX;
	if (!cred && err->kind == SLU_IO)
		err->kind = SLU_TIMEOUT; /* munged may come back */
	else if (cred && !line)
		slu_err(err, SLU_NOMEM, "no memory for a request");
	else if (line)
		rc = slu_exchange(addr, &send, &http->reply, &http->body, err);
	free(line);
	free(cred);
	if (!rc && http->reply.date)
		http->ahead = difftime(http->reply.date, time(NULL));
	return rc;
}

/* Is the answer proven? -1 when there is a proof, but not of this. */
static int prove(struct slu_http *http, const struct request *req, int status,
		 bool *proven, struct slu_err *err)
{
	const char *body = http->body.data ? http->body.data : "";

	*proven = http->reply.proof;
	if (!*proven)
		return 0;
	if (slu_cred_check_reply(http->reply.proof, http->owner, req->nonce,
				 status, body, http->body.len, &http->secret,
				 err) == 0)
		return 0;
	err->kind = SLU_TIMEOUT; /* someone else spoke */
	return -1;
}

static enum slu_kind kind_of(int status)
{
	switch (status) {
	case 400:
		return SLU_INVALID;
	case 401:
	case 403:
		return SLU_DENIED;
	case 404:
		return SLU_NOTFOUND;
	case 409:
		return SLU_BUSY;
	case 503:
		return SLU_TIMEOUT; /* not now: try again */
	default:
		return SLU_IO;
	}
}

int slu_http_refused(struct slu_buf *body, int status, bool proven,
		     struct slu_err *err)
{
	enum slu_kind kind = kind_of(status);
	char *sentence = body->data ? slu_trim(body->data) : "";

	if (!proven && kind != SLU_DENIED && kind != SLU_TIMEOUT)
		kind = SLU_IO;
	if (*sentence)
		return slu_err(err, kind, "%s", sentence);
	return slu_err(err, kind, "answered with status %d", status);
}

/* One try at one address. */
static int try(struct slu_http *http, struct request *req, const char *addr,
	       struct slu_buf *reply, struct slu_err *err)
{
	bool proven;
	int status;

	if (exchange(http, req, addr, err))
		return -1;
	status = http->reply.status;
	if (prove(http, req, status, &proven, err) < 0)
		return -1;
	if (status != 200)
		return slu_http_refused(&http->body, status, proven, err);
	if (!proven)
		return slu_err(err, SLU_TIMEOUT, "the reply is not proven");
	http->body.max = reply->max;
	slu_buf_free(reply);
	*reply = http->body;
	http->body = (struct slu_buf){0};
	return 0;
}

/* Each address once, beginning with the one that answered last. */
static int try_all(struct slu_http *http, struct request *req,
		   struct slu_buf *reply, struct slu_err *err)
{
	for (size_t i = 0; i < http->n_addr; i++) {
		const char *addr = http->addr[http->next];

		if (try(http, req, addr, reply, err) == 0)
			return 0;
		if (err->kind != SLU_TIMEOUT)
			return -1;
		slu_err_prefix(err, "no answer from sluiced at %s", addr);
		http->next = (http->next + 1) % http->n_addr;
	}
	return -1;
}

const char *slu_http_secret(const struct slu_http *http)
{
	return http->secret;
}

int slu_http_post(struct slu_http *http, const char *path, const void *body,
		  size_t len, double deadline, struct slu_buf *reply,
		  struct slu_err *err)
{
	struct request req = {.path = path, .body = body, .len = len};
	struct slu_err why;
	double end = now() + deadline, pause = PAUSE_FIRST, left;

	while (try_all(http, &req, reply, &why) < 0) {
		left = end - now();
		if (why.kind != SLU_TIMEOUT || left <= 0) {
			if (err)
				*err = why;
			return -1;
		}
		pause_for(fmin(pause, left));
		pause = fmin(2 * pause, PAUSE_MAX);
	}
	return 0;
}
