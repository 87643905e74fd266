/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_HTTP_H
#define SLU_COMMON_HTTP_H

/*
 * The HTTP client of all our programs: libcurl, authenticated in both
 * directions by MUNGE, except for slu_http_get(). Tries every address of
 * DaemonAddr, again with growing pauses, until there is an answer or the
 * deadline has passed; each attempt has a new credential. Proxies and redirects
 * are not followed. Link with $(libslunet).
 */

#include <stddef.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/str.h"

struct slu_http;

/* User-Agent of requests, before the release. */
#define SLU_HTTP_PRODUCT "sluice/"
#define SLU_HTTP_AGENT	 SLU_HTTP_PRODUCT PACKAGE_VERSION

/* addrs: NULL-ended host:port list (copied). owner: uid besides root whose
 * answers are accepted (SlurmUser). One object per thread. */
struct slu_http *slu_http_new(char *const *addrs, uid_t owner,
			      struct slu_err *err);
void slu_http_free(struct slu_http *http);

/* The same for the sluiced that sluice.conf names: DaemonAddr, and SlurmUser,
 * who must be known here. */
struct slu_conf;
struct slu_http *slu_http_of_site(const struct slu_conf *conf,
				  struct slu_err *err);
/* The uid of a SlurmUser, by name or number; SLU_NOTFOUND. */
int slu_http_slurm_user(const char *user, uid_t *uid, struct slu_err *err);

/* Wait at most this long for one answer (long polls need more than their
 * server's hold); default 30 s. */
void slu_http_timeout(struct slu_http *http, double seconds);

/* By how many seconds the clock of the server that answered last was ahead of
 * ours, by its Date header, which counts whole seconds. NaN: none has answered.
 * Only for messages, as the header is not protected. */
double slu_http_clock_offset(const struct slu_http *http);
/* The same of the last answer that was proven, by its credential or seal. */
double slu_http_verified_clock_offset(const struct slu_http *http);

/*
 * POST body to path (and query). `deadline` is seconds from now in which tries
 * are repeated while the daemon cannot be reached or says 503; 0 tries each
 * address once. A try may outlast it by the timeout. Success is status 200
 * with a proof; *reply is the body, at most 64 MiB (its old content is freed).
 * Other answers are errors whose text is the server's sentence: 400
 * SLU_INVALID, 401/403 SLU_DENIED, 404 SLU_NOTFOUND, 409 SLU_BUSY, else SLU_IO.
 * No answer within the deadline is SLU_TIMEOUT; one without a proof, whatever
 * it says, or of more than 64 MiB, is none.
 */
int slu_http_post(struct slu_http *http, const char *path, const void *body,
		  size_t len, double deadline, struct slu_buf *reply,
		  struct slu_err *err);
/* The same by GET, of what has no body. */
int slu_http_fetch(struct slu_http *http, const char *path, double deadline,
		   struct slu_buf *reply, struct slu_err *err);
/*
 * GET what others serve: url (http or https), of the Unix socket at `socket`
 * unless that is NULL, with these header lines (NULL-ended). *reply, of at most
 * reply->max bytes (0: 64 MiB), is the body of a success; one that is longer is
 * SLU_NOMEM. Errors as above (404 is SLU_NOTFOUND here), but nothing is tried
 * again, and it waits for as long as no ten minutes pass without a byte.
 */
int slu_http_get(const char *url, const char *socket,
		 const char *const *headers, struct slu_buf *reply,
		 struct slu_err *err);
/* The secret that came with the latest answer, beside its body; NULL: none.
 * Borrowed until the next request. */
const char *slu_http_secret(const struct slu_http *http);
/* The SHA-256 of sluiced's sluice.conf, by the latest answer. It is not
 * protected, so it is only a reason to ask. "": none. */
const char *slu_http_conf(const struct slu_http *http);
/* The address that answered last; borrowed. */
const char *slu_http_address(const struct slu_http *http);

#endif
