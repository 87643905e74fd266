/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_SHARED_BODIES_H
#define SLU_SLUICED_HTTP_SHARED_BODIES_H

/*
 * Bodies of answers. A long body that many nodes get at the same time, and read
 * slowly, is in memory once: the plan of 10,000 nodes takes a megabyte for each
 * of them.
 */

#include <stddef.h>

struct MHD_Response;
struct slu_text;

/* All 0: none. It must not move as long as a response lives. */
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
