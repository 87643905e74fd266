/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets up libcurl handles and receives answers: the part that requests to
 * sluiced (http.c) and to other servers (http_get.c) share.
 */
#include "config.h"
#include "common/http_client.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define CONNECT_TIME 5.0 /* seconds */
#define TIMEOUT	     30.0

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

void slu_http_forget_answer(struct slu_http *http)
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
		http->clock_offset =
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
static CURL *new_easy(struct slu_http *http, const char *agent)
{
	CURL *easy = http->curl.easy_init();

	if (!easy)
		return NULL;
	http->curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	http->curl.easy_setopt(easy, CURLOPT_USERAGENT, agent);
	http->curl.easy_setopt(easy, CURLOPT_PROXY, "");
	http->curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	/* on a connection that is used again, curl may by itself send a
	 * request twice: its credential would be refused as a replay */
	http->curl.easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
	/* what this curl can unpack; body.max counts what comes out */
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

struct slu_http *slu_http_client_new(const char *agent, struct slu_err *err)
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
	http->timeout = TIMEOUT;
	http->clock_offset = http->verified_offset = NAN;
	http->body.max = SLU_HTTP_REPLY_MAX;
	http->easy = new_easy(http, agent);
	if (http->easy)
		return http;
no_memory:
	slu_http_client_free(http);
	slu_err(err, SLU_NOMEM, "no memory for an HTTP client");
	return NULL;
}

void slu_http_client_free(struct slu_http *http)
{
	if (!http)
		return;
	slu_http_forget_answer(http);
	slu_buf_free(&http->body);
	http->curl.easy_cleanup(http->easy);
	http->curl.global_cleanup();
	dlclose(http->curl.library);
	free(http);
}

struct curl_slist *slu_http_headers(const struct slu_http *http,
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
