/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_SHARED_BODIES_H
#define SLU_SLUICED_HTTP_SHARED_BODIES_H

/*
 * The bodies of answers. The same long one, which many nodes get at the same
 * time and hear slowly, is in memory once: the plan of 10,000 nodes is a
 * megabyte for each of them.
 */

#include <stddef.h>

struct MHD_Response;
struct slu_text;

/* All 0: none. As long as a response lives, this stays where it is. */
struct slu_shared_bodies {
	struct slu_text *first; /* the latest */
};

/* Takes data, from malloc(). NULL: no memory. */
struct MHD_Response *slu_shared_bodies_respond(struct slu_shared_bodies *all,
					       char *data, size_t len);

/* The slu_sha256() of such a body, made once of one that is sent already. */
void slu_shared_bodies_hash(struct slu_shared_bodies *all, const char *data,
			    size_t len, char hash[65]);

#endif
