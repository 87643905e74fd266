/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HTTP_CLIENT_H
#define SLU_HTTP_CLIENT_H

/* An HTTP client over libcurl and the answer that it receives, for http.c and
 * http_get.c. */

#include <stdbool.h>
#include <sys/types.h>
#include "common/curl_library.h"
#include "common/str.h"

#define SLU_HTTP_REPLY_MAX (64u << 20)

struct slu_http {
	struct slu_curl curl;
	CURL *easy;
	char **addr; /* owned, NULL-ended */
	size_t n_addr;
	size_t next; /* address to try first */
	uid_t owner;
	double timeout;
	double clock_offset, verified_offset; /* seconds */
	uid_t peer; /* uid that made the last answer's credential: the only user
		       who can read requests */
	bool is_peer; /* there is one */
	/* of the answer that comes in: */
	struct slu_buf body;
	char *proof;   /* Sluice-Credential */
	char *seal;    /* Sluice-Seal */
	char *secret;  /* that came in it */
	char conf[65]; /* Sluice-Conf */
};

/* A client without an address; agent: User-Agent. NULL: *err. */
struct slu_http *slu_http_client_new(const char *agent, struct slu_err *err);
/* All but the addresses. NULL is fine. */
void slu_http_client_free(struct slu_http *http);
/* Drops the latest answer, which is received anew. */
void slu_http_forget_answer(struct slu_http *http);
/* NULL-ended header lines for curl; the caller frees the list with
 * curl.slist_free_all. NULL: no memory. */
struct curl_slist *slu_http_headers(const struct slu_http *http,
				    const char *const *headers);

#endif
