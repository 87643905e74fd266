/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The HTTP client. One try ends in an answer that is proven, or in "no answer"
 * (inside: SLU_TIMEOUT), after which the next address is tried. An answer
 * without a proof may come from a stranger: it counts as no answer, whether it
 * is a success or an error.
 */
#include "config.h"
#include "common/http.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/cred.h"
#include "common/curl_library.h"
#include "common/http_error.h"

#define REPLY_MAX    (64u << 20)
#define CONNECT_TIME 5.0 /* seconds */
#define PATIENCE     30.0
#define SILENCE	     600L /* seconds without a byte, of a plain GET */
#define PAUSE_FIRST  0.1
#define PAUSE_MAX    2.0

struct slu_http {
	struct slu_curl curl;
	CURL *easy;
	char **addr; /* owned, NULL-ended */
	size_t n_addr;
	size_t next; /* address to try first */
	uid_t owner;
	double patience;
	double ahead, proven_ahead; /* seconds */
	uid_t peer;   /* maker of the last answer's credential, the only user
		       * who can read requests */
	bool is_peer; /* there is one */
	/* of the answer that comes in: */
	struct slu_buf body;
	char *proof;   /* Sluice-Credential */
	char *seal;    /* Sluice-Seal */
	char *secret;  /* that came in it */
	char conf[65]; /* Sluice-Conf */
};

/* The value behind "name:" in a header line, fresh; NULL: another header. */
static char *header_value(const char *line, size_t len, const char *name)
{
	size_t skip = strlen(name);
	char *copy, *value;

	if (len <= skip || line[skip] != ':' ||
	    strncasecmp(line, name, skip) != 0)
		return NULL;
	copy = strndup(line + skip + 1, len - skip - 1);
	value = copy ? strdup(slu_trim(copy)) : NULL;
	free(copy);
	return value;
}

static void forget_answer(struct slu_http *http)
{
	slu_buf_reset(&http->body);
	free(http->proof);
	free(http->seal);
	http->proof = http->seal = NULL;
	if (http->secret)
		explicit_bzero(http->secret, strlen(http->secret));
	free(http->secret);
	http->secret = NULL;
}

static size_t on_header(char *line, size_t size, size_t n, void *arg)
{
	struct slu_http *http = arg;
	size_t len = size * n;
	char *proof = header_value(line, len, "Sluice-Credential");
	char *seal = header_value(line, len, "Sluice-Seal");
	char *date = header_value(line, len, "Date");
	char *conf = header_value(line, len, "Sluice-Conf");

	if (proof) {
		free(http->proof);
		http->proof = proof;
	}
	if (seal) {
		free(http->seal);
		http->seal = seal;
	}
	if (date && http->curl.getdate(date, NULL) > 0)
		http->ahead =
			difftime(http->curl.getdate(date, NULL), time(NULL));
	if (conf)
		slu_copy(http->conf, sizeof(http->conf), conf);
	free(conf);
	free(date);
	return len;
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct slu_http *http = arg;

	slu_buf_add(&http->body, data, size * n);
	return http->body.failed ? 0 : size * n;
}

/* Options of every request. */
static CURL *new_easy(struct slu_http *http)
{
	CURL *easy = http->curl.easy_init();

	if (!easy)
		return NULL;
	http->curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	http->curl.easy_setopt(easy, CURLOPT_USERAGENT, SLU_HTTP_AGENT);
	http->curl.easy_setopt(easy, CURLOPT_PROXY, "");
	http->curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	/* on a connection that is used again, curl may by itself send a
	 * request twice: its credential would be refused as a replay */
	http->curl.easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
	/* what this curl can unpack; REPLY_MAX counts what comes out */
	http->curl.easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
	http->curl.easy_setopt(easy, CURLOPT_HTTP_VERSION,
			       (long)CURL_HTTP_VERSION_1_1);
	http->curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
			       (long)(CONNECT_TIME * 1000));
	http->curl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	http->curl.easy_setopt(easy, CURLOPT_HEADERDATA, http);
	http->curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	http->curl.easy_setopt(easy, CURLOPT_WRITEDATA, http);
	return easy;
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

/* A client without an address. */
static struct slu_http *new_client(struct slu_err *err)
{
	struct slu_http *http = calloc(1, sizeof(*http));

	if (!http)
		goto no_memory;
	if (slu_curl_load(&http->curl, err)) {
		if (http->curl.library)
			dlclose(http->curl.library);
		free(http);
		return NULL;
	}
	http->curl.global_init(CURL_GLOBAL_DEFAULT);
	http->patience = PATIENCE;
	http->ahead = http->proven_ahead = NAN;
	http->body.max = REPLY_MAX;
	http->easy = new_easy(http);
	if (http->easy)
		return http;
no_memory:
	slu_http_free(http);
	slu_err(err, SLU_NOMEM, "no memory for an HTTP client");
	return NULL;
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
	http = new_client(err);
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
	if (!http)
		return;
	forget_answer(http);
	slu_buf_free(&http->body);
	slu_strv_free(http->addr);
	http->curl.easy_cleanup(http->easy);
	http->curl.global_cleanup();
	dlclose(http->curl.library);
	free(http);
}

void slu_http_timeout(struct slu_http *http, double seconds)
{
	http->patience = seconds;
}

double slu_http_clock_ahead(const struct slu_http *http)
{
	return http->ahead;
}

double slu_http_proven_clock_ahead(const struct slu_http *http)
{
	return http->proven_ahead;
}

struct request {
	const char *method, *path;
	const void *body;
	size_t len;
	char nonce[SLU_NONCE_TEXT]; /* of the latest try, */
	bool sealed;		    /* which http->peer alone can open */
};

/* Caller frees; NULL: no memory. */
static struct curl_slist *list_of(const struct slu_http *http,
				  const char *const *headers)
{
	struct curl_slist *list = NULL, *more;

	for (; *headers; headers++) {
		more = http->curl.slist_append(list, *headers);
		if (!more) {
			http->curl.slist_free_all(list);
			return NULL;
		}
		list = more;
	}
	return list;
}

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
		list = list_of(http, headers);
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
	forget_answer(http);
	*http->conf = '\0';
	http->curl.easy_setopt(easy, CURLOPT_URL, url);
	http->curl.easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	set_body(http, req);
	http->curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS,
			       (long)(http->patience * 1000) + 1);
	code = http->curl.easy_perform(easy);
	http->curl.easy_setopt(easy, CURLOPT_HTTPHEADER, NULL);
	free(url);
	if (http->body.failed) /* its sender cannot be verified */
		return slu_err(err, SLU_TIMEOUT,
			       "a reply of more than %u bytes", REPLY_MAX);
	if (code != CURLE_OK)
		return slu_err(err, SLU_TIMEOUT, "%s",
			       http->curl.easy_strerror(code));
	http->curl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, status);
	return 0;
}

/* Is the answer proven? -1 when there is a proof, but of another answer. */
static int prove(struct slu_http *http, const struct request *req, long status,
		 bool *proven, struct slu_err *err)
{
	const char *body = http->body.data ? http->body.data : "";
	time_t made;
	int ret;

	*proven = http->proof || (req->sealed && http->seal);
	if (!*proven)
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
	http->proven_ahead = difftime(made, time(NULL));
	return 0;
}

/* The error for an answer other than success. */
static int refused(struct slu_http *http, long status, bool proven,
		   struct slu_err *err)
{
	if (proven)
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
	bool proven;
	long status;
	int ret;

	if (!headers)
		return -1;
	ret = exchange(http, req, addr, headers, &status, err);
	http->curl.slist_free_all(headers);
	if (ret < 0 || prove(http, req, status, &proven, err) < 0)
		return -1;
	if (status != 200)
		return refused(http, status, proven, err);
	if (!proven)
		return slu_err(err, SLU_TIMEOUT, "the reply is not proven");
	http->body.max = reply->max;
	slu_buf_free(reply);
	*reply = http->body;
	http->body = (struct slu_buf){.max = REPLY_MAX};
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

int slu_http_get(const char *url, const char *socket,
		 const char *const *headers, struct slu_buf *reply,
		 struct slu_err *err)
{
	struct slu_http *http = new_client(err);
	struct curl_slist *list;
	size_t max = reply->max ? reply->max : REPLY_MAX;
	char *leads = NULL;
	long status = 0;
	CURLcode code;
	int ret = -1;

	if (!http)
		return -1;
	list = list_of(http, headers);
	http->body.max = max;
	http->curl.easy_setopt(http->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
	http->curl.easy_setopt(http->easy, CURLOPT_LOW_SPEED_TIME, SILENCE);
	http->curl.easy_setopt(http->easy, CURLOPT_URL, url);
	if (socket)
		http->curl.easy_setopt(http->easy, CURLOPT_UNIX_SOCKET_PATH,
				       socket);
	http->curl.easy_setopt(http->easy, CURLOPT_HTTPHEADER, list);
	code = http->curl.easy_perform(http->easy);
	http->curl.easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
	http->curl.easy_getinfo(http->easy, CURLINFO_REDIRECT_URL, &leads);
	if (http->body.failed) {
		slu_err(err, SLU_NOMEM, "a reply of more than %zu bytes", max);
	} else if (code != CURLE_OK) {
		slu_err(err, SLU_IO, "%s", http->curl.easy_strerror(code));
	} else if (leads) {
		slu_err(err, SLU_IO, "it leads on to %s: name that", leads);
	} else if (status != 200) {
		slu_http_error(slu_http_kind(status), status, http->body.data,
			       err);
	} else {
		slu_buf_free(reply);
		*reply = http->body;
		http->body = (struct slu_buf){0};
		ret = 0;
	}
	http->curl.slist_free_all(list);
	slu_http_free(http);
	return ret;
}
