/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetching what others serve, by libcurl. It is loaded when there is something
 * to fetch, for it brings two dozen libraries along.
 */
#include "config.h"
#include "common/http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <string.h>
#include "common/exchange.h"

#define REPLY_MAX (64u << 20)
#define CONNECT	  5000L	 /* milliseconds */
#define PATIENCE  30000L /* milliseconds */

struct curl {
	void *library;
	__typeof__(curl_global_init) *global_init;
	__typeof__(curl_global_cleanup) *global_cleanup;
	__typeof__(curl_easy_init) *easy_init;
	__typeof__(curl_easy_cleanup) *easy_cleanup;
	__typeof__(curl_easy_getinfo) *easy_getinfo;
	__typeof__(curl_easy_perform) *easy_perform;
	__typeof__(curl_easy_setopt) *easy_setopt;
	__typeof__(curl_easy_strerror) *easy_strerror;
	__typeof__(curl_slist_append) *slist_append;
	__typeof__(curl_slist_free_all) *slist_free_all;
};

/* It stays loaded: what it registered to run at exit must be there then. */
static int load_curl(struct curl *c, struct slu_err *err)
{
	static const char *const names[] = {"libcurl.so.4",
					    "libcurl-gnutls.so.4", NULL};
	const struct {
		const char *name;
		void *to; /* a pointer to a function; POSIX lets them be one */
	} symbols[] = {
		{"curl_global_init", &c->global_init},
		{"curl_global_cleanup", &c->global_cleanup},
		{"curl_easy_init", &c->easy_init},
		{"curl_easy_cleanup", &c->easy_cleanup},
		{"curl_easy_getinfo", &c->easy_getinfo},
		{"curl_easy_perform", &c->easy_perform},
		{"curl_easy_setopt", &c->easy_setopt},
		{"curl_easy_strerror", &c->easy_strerror},
		{"curl_slist_append", &c->slist_append},
		{"curl_slist_free_all", &c->slist_free_all},
	};
	void *symbol;

	for (const char *const *name = names; *name && !c->library; name++)
		c->library = dlopen(*name, RTLD_LAZY | RTLD_NODELETE);
	if (!c->library)
		return slu_err(err, SLU_IO, "libcurl is not installed");
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		symbol = dlsym(c->library, symbols[i].name);
		if (!symbol)
			return slu_err(err, SLU_IO, "libcurl has no %s",
				       symbols[i].name);
		memcpy(symbols[i].to, &symbol, sizeof(symbol));
	}
	return 0;
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct slu_buf *body = arg;

	slu_buf_add(body, data, size * n);
	return body->failed ? 0 : size * n;
}

static void set_up(const struct curl *c, CURL *easy, const char *url,
		   const char *socket, struct curl_slist *list,
		   struct slu_buf *body)
{
	c->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	c->easy_setopt(easy, CURLOPT_PROXY, "");
	c->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	c->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT);
	c->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	c->easy_setopt(easy, CURLOPT_WRITEDATA, body);
	c->easy_setopt(easy, CURLOPT_URL, url);
	if (socket)
		c->easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, socket);
	c->easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

/* Caller frees; NULL: no memory. */
static struct curl_slist *list_of(const struct curl *c,
				  const char *const *headers)
{
	struct curl_slist *list = NULL, *more;

	for (; *headers; headers++) {
		more = c->slist_append(list, *headers);
		if (!more) {
			c->slist_free_all(list);
			return NULL;
		}
		list = more;
	}
	return list;
}

static int fetch(const struct curl *c, CURL *easy, struct slu_buf *body,
		 struct slu_err *err)
{
	CURLcode code = c->easy_perform(easy);
	long status = 0;

	c->easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	if (body->failed)
		return slu_err(err, SLU_IO, "a reply of more than %zu bytes",
			       body->max);
	if (code != CURLE_OK)
		return slu_err(err, SLU_IO, "%s", c->easy_strerror(code));
	if (status != 200)
		return slu_http_refused(body, (int)status, false, err);
	return 0;
}

int slu_http_get(const char *url, const char *socket,
		 const char *const *headers, struct slu_buf *reply,
		 struct slu_err *err)
{
	struct slu_buf body = {.max = reply->max ? reply->max : REPLY_MAX};
	struct curl c = {0};
	struct curl_slist *list;
	CURL *easy;
	int ret = -1;

	if (load_curl(&c, err)) {
		if (c.library)
			dlclose(c.library);
		return -1;
	}
	c.global_init(CURL_GLOBAL_DEFAULT);
	list = list_of(&c, headers);
	easy = c.easy_init();
	if (!easy || (*headers && !list)) {
		slu_err(err, SLU_NOMEM, "no memory for an HTTP client");
	} else {
		set_up(&c, easy, url, socket, list, &body);
		ret = fetch(&c, easy, &body, err);
	}
	if (ret == 0) {
		slu_buf_free(reply);
		*reply = body;
		body = (struct slu_buf){0};
	}
	slu_buf_free(&body);
	c.slist_free_all(list);
	c.easy_cleanup(easy);
	c.global_cleanup();
	dlclose(c.library);
	return ret;
}
