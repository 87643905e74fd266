/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends GET requests to servers other than sluiced, such as slurmrestd: without
 * MUNGE credentials and without retries. Declared in http.h.
 */
#include "config.h"
#include "common/http.h"

#include "common/http_client.h"
#include "common/http_error.h"

#define SILENCE 600L /* seconds without a byte */

int slu_http_get(const char *url, const char *socket,
		 const char *const *headers, struct slu_buf *reply,
		 struct slu_err *err)
{
	struct slu_http *http = slu_http_client_new(SLU_HTTP_AGENT, err);
	struct curl_slist *list;
	size_t max = reply->max ? reply->max : SLU_HTTP_REPLY_MAX;
	char *leads = NULL;
	long status = 0;
	CURLcode code;
	int ret = -1;

	if (!http)
		return -1;
	list = slu_http_headers(http, headers);
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
	slu_http_client_free(http);
	return ret;
}
