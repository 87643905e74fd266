/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sluiced/http/shared_bodies.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <microhttpd.h>

#include "common/cred.h"

#define LONG   (64u << 10)
#define LATEST 16 /* the latest ones are compared */

struct slu_text {
	size_t len;
	unsigned answers; /* answers that use it */
	struct slu_shared_bodies *all;
	struct slu_text *next;
	char hash[65]; /* "": not yet made */
	char data[];
};

/* libmicrohttpd before 0.9.73 passes only the address of the data. */
static void let_go(void *data)
{
	struct slu_text *t =
		(void *)((char *)data - offsetof(struct slu_text, data));
	struct slu_text **at = &t->all->first;

	if (--t->answers)
		return;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	free(t);
}

static struct slu_text *find(struct slu_shared_bodies *all, const char *data,
			     size_t len)
{
	struct slu_text *t = all->first;

	for (int i = 0; t && i < LATEST; i++, t = t->next)
		if (t->len == len && memcmp(t->data, data, len) == 0)
			return t;
	return NULL;
}

/* The one that there is already, if there is. Takes data. */
static struct slu_text *hold(struct slu_shared_bodies *all, char *data,
			     size_t len)
{
	struct slu_text *t = find(all, data, len);

	if (t) {
		free(data);
		t->answers++;
		return t;
	}
	t = malloc(sizeof(*t) + len);
	if (t) {
		*t = (struct slu_text){
			.len = len,
			.answers = 1,
			.all = all,
			.next = all->first,
		};
		memcpy(t->data, data, len);
		all->first = t;
	}
	free(data);
	return t;
}

static struct MHD_Response *respond_short(char *data, size_t len)
{
	struct MHD_Response *out = MHD_create_response_from_buffer(
		len, data, MHD_RESPMEM_MUST_FREE);

	if (!out)
		free(data);
	return out;
}

struct MHD_Response *slu_shared_bodies_respond(struct slu_shared_bodies *all,
					       char *data, size_t len)
{
	struct MHD_Response *out;
	struct slu_text *t;

	if (len < LONG)
		return respond_short(data, len);
	t = hold(all, data, len);
	if (!t)
		return NULL;
	out = MHD_create_response_from_buffer_with_free_callback(len, t->data,
								 let_go);
	if (!out)
		let_go(t->data);
	return out;
}

void slu_shared_bodies_hash(struct slu_shared_bodies *all, const char *data,
			    size_t len, char hash[65])
{
	struct slu_text *t = len < LONG ? NULL : find(all, data, len);

	if (!t) {
		slu_sha256(data, len, hash);
		return;
	}
	if (!*t->hash)
		slu_sha256(data, len, t->hash);
	memcpy(hash, t->hash, 65);
}
