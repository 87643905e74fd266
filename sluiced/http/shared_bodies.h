/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_SHARED_BODIES_H
#define SLU_SLUICED_HTTP_SHARED_BODIES_H

/*
 * Shares the bodies of answers that many nodes get at the same time, and read
 * slowly: a long body is in memory once, hashed once, and compressed once for
 * clients that accept gzip.
 */

#include <stdbool.h>
#include <stddef.h>
#include "common/text.h"

struct MHD_Response;

#define SLU_SHARED_LATEST 16

/* Long bodies that came one by one; all 0: none. */
struct slu_shared_bodies {
	struct slu_text *latest[SLU_SHARED_LATEST];
	size_t next; /* whose place the next one takes */
};

/* Takes data, from malloc(). The text of an equal body if there was one lately,
 * with a reference for the caller; NULL: no memory. */
struct slu_text *slu_shared_bodies_share(struct slu_shared_bodies *all,
					 char *data, size_t len);
/* Drops texts that are not being sent any more; cheap. */
void slu_shared_bodies_sweep(struct slu_shared_bodies *all);

/* The slu_sha256() of a text. */
const char *slu_shared_hash(struct slu_text *text);
/* Creates libmicrohttpd's response, which takes a reference of its own. gzip:
 * the client accepts that. Then a text of 64 KiB to 8 MiB is sent compressed if
 * there is a reference besides this answer's and the text's owner's: to
 * compress a text takes longer than to send it once. NULL: no memory. */
struct MHD_Response *slu_shared_respond(struct slu_text *text, bool gzip);

#endif
