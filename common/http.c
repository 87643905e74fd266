/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends requests to sluiced and verifies the answers. One attempt gives an
 * authenticated answer, or "no answer" (internally SLU_TIMEOUT), after which
 * the next address is tried. An answer without a valid credential may come from
 * a stranger: success or error, it counts as no answer.
 */
#include "config.h"
#include "common/http.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/cred.h"
#include "common/http_client.h"
#include "common/http_error.h"

#define PAUSE_FIRST 0.1
#define PAUSE_MAX   2.0

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
	http = slu_http_client_new(SLU_HTTP_AGENT, err);
	if (!http)
		return NULL;
	http->owner = owner;
	http->n_addr = n;
	http->addr = copy_list(addrs, n);
	if (http->addr)
		return http;
	slu_http_free(http);
	slu_err(err, SLU_NOMEM, "no memory for an HTTP client");
	return NULL;
}

void slu_http_free(struct slu_http *http)
{
	if (http)
		slu_strv_free(http->addr);
	slu_http_client_free(http);
}

void slu_http_timeout(struct slu_http *http, double seconds)
{
	http->timeout = seconds;
}

double slu_http_clock_offset(const struct slu_http *http)
{
	return http->clock_offset;
}

double slu_http_verified_clock_offset(const struct slu_http *http)
{
	return http->verified_offset;
}

struct request {
	const char *method, *path;
	const void *body;
	size_t len;
	char nonce[SLU_NONCE_TEXT]; /* of the latest try, */
	bool sealed;		    /* which http->peer alone can open */
};

/* The headers of one try, with a fresh credential. Caller frees. */
static struct curl_slist *new_headers(const struct slu_http *http,
				      struct request *req, struct slu_err *err)
{
	char *cred =
		http->is_peer
			? slu_cred_request_for(http->peer, req->method,
					       req->path, req->body, req->len,
					       req->nonce, err)
			: slu_cred_request(req->method, req->path, req->body,
					   req->len, req->nonce, err);
	const char *headers[] = {NULL, "Expect:" /* no "100 Continue" */, NULL};
	struct curl_slist *list = NULL;
	char *line;

	req->sealed = http->is_peer;
	if (!cred) {
		if (err->kind == SLU_IO)
			err->kind = SLU_TIMEOUT; /* munged may be restarting */
		return NULL;
	}
	headers[0] = line = slu_asprintf("Authorization: Sluice %s", cred);
	if (line)
		list = slu_http_headers(http, headers);
	if (!list)
		slu_err(err, SLU_NOMEM, "no memory for a request");
	free(line);
	free(cred);
	return list;
}

static void set_body(struct slu_http *http, const struct request *req)
{
	if (!strcmp(req->method, "GET")) {
		http->curl.easy_setopt(http->easy, CURLOPT_HTTPGET, 1L);
		return;
	}
	http->curl.easy_setopt(http->easy, CURLOPT_POSTFIELDSIZE_LARGE,
			       (curl_off_t)req->len);
	http->curl.easy_setopt(http->easy, CURLOPT_POSTFIELDS,
			       req->body ? req->body : "");
}

/* Send, and receive into http; *status is what came back. */
static int exchange(struct slu_http *http, const struct request *req,
		    const char *addr, struct curl_slist *headers, long *status,
		    struct slu_err *err)
{
	char *url = slu_asprintf("http://%s%s", addr, req->path);
	CURL *easy = http->easy;
	CURLcode code;

	if (!url)
		return slu_err(err, SLU_NOMEM, "no memory for a request");
	slu_http_forget_answer(http);
	*http->conf = '\0';
	http->curl.easy_setopt(easy, CURLOPT_URL, url);
	http->curl.easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	set_body(http, req);
	http->curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS,
			       (long)(http->timeout * 1000) + 1);
	code = http->curl.easy_perform(easy);
	http->curl.easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
	free(url);
	if (http->body.failed) /* its sender cannot be verified */
		return slu_err(err, SLU_TIMEOUT,
			       "a reply of more than %u bytes",
			       SLU_HTTP_REPLY_MAX);
	if (code != CURLE_OK)
		return slu_err(err, SLU_TIMEOUT, "%s",
			       http->curl.easy_strerror(code));
	http->curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, status);
	return 0;
}

/* Is the answer proven? -1 when there is a proof, but of another answer. */
static int verify(struct slu_http *http, const struct request *req, long status,
		  bool *verified, struct slu_err *err)
{
	const char *body = http->body.data ? http->body.data : "";
	time_t made;
	int ret;

	*verified = http->proof || (req->sealed && http->seal);
	if (!*verified)
		return 0;
	if (http->proof)
		ret = slu_cred_check_reply(
			http->proof, http->owner, req->nonce, (int)status, body,
			http->body.len, &http->secret, &made, &http->peer, err);
	else
		ret = slu_cred_check_seal(http->seal, req->nonce, (int)status,
					  body, http->body.len, &made, err);
	if (ret < 0) {
		err->kind = SLU_TIMEOUT; /* it comes from someone else */
		return -1;
	}
	http->is_peer = true;
	http->verified_offset = difftime(made, time(NULL));
	return 0;
}

/* The error for an answer other than success. */
static int refused(struct slu_http *http, long status, bool verified,
		   struct slu_err *err)
{
	if (verified)
		return slu_http_error(slu_http_kind(status), status,
				      http->body.data, err);
	slu_http_error(SLU_TIMEOUT, status, http->body.data, err);
	return slu_err_prefix(err, "not signed");
}

/* One try at one address. */
static int try(struct slu_http *http, struct request *req, const char *addr,
	       struct slu_buf *reply, struct slu_err *err)
{
	struct curl_slist *headers = new_headers(http, req, err);
	bool verified;
	long status;
	int ret;

	if (!headers)
		return -1;
	ret = exchange(http, req, addr, headers, &status, err);
	http->curl.slist_free_all(headers);
	if (ret < 0 || verify(http, req, status, &verified, err) < 0)
		return -1;
	if (status != 200)
		return refused(http, status, verified, err);
	if (!verified)
		return slu_err(err, SLU_TIMEOUT, "the reply is not proven");
	http->body.max = reply->max;
	slu_buf_free(reply);
	*reply = http->body;
	http->body = (struct slu_buf){.max = SLU_HTTP_REPLY_MAX};
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
		http->is_peer = false; /* another user may run it now */
		http->next = (http->next + 1) % http->n_addr;
	}
	return -1;
}

const char *slu_http_secret(const struct slu_http *http)
{
	return http->secret;
}

const char *slu_http_conf(const struct slu_http *http)
{
	return http->conf;
}

const char *slu_http_address(const struct slu_http *http)
{
	return http->addr[http->next];
}

static int ask(struct slu_http *http, struct request *req, double deadline,
	       struct slu_buf *reply, struct slu_err *err)
{
	struct slu_err why;
	double end = slu_now_mono() + deadline, pause = PAUSE_FIRST, left;

	while (try_all(http, req, reply, &why) < 0) {
		left = end - slu_now_mono();
		if (why.kind != SLU_TIMEOUT || left <= 0) {
			if (err)
				*err = why;
			return -1;
		}
		usleep((useconds_t)(fmin(pause, left) * 1e6));
		pause = fmin(2 * pause, PAUSE_MAX);
	}
	return 0;
}

int slu_http_post(struct slu_http *http, const char *path, const void *body,
		  size_t len, double deadline, struct slu_buf *reply,
		  struct slu_err *err)
{
	struct request req = {
		.method = "POST", .path = path, .body = body, .len = len};

	return ask(http, &req, deadline, reply, err);
}

int slu_http_fetch(struct slu_http *http, const char *path, double deadline,
		   struct slu_buf *reply, struct slu_err *err)
{
	struct request req = {.method = "GET", .path = path};

	return ask(http, &req, deadline, reply, err);
}
