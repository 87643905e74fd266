/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shares equal bodies of answers (shared_bodies.h): an answer's text is
 * compared with the last few long ones, and takes a reference to an equal one.
 * A text is compressed in the daemon's only thread, which takes 6 ms per MB.
 */
#include "config.h"
#include "sluiced/http/shared_bodies.h"

#include <stdlib.h>
#include <string.h>
#include <microhttpd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "common/cred.h"

#define LONG	 (64u << 10)
#define PACK_MAX (8u << 20) /* 6 ms a MB, in which all else waits */

static struct slu_text *find(const struct slu_shared_bodies *all,
			     const char *data, size_t len)
{
	for (size_t i = 0; i < SLU_SHARED_LATEST; i++) {
		struct slu_text *t = all->latest[i];

		if (t && t->len == len && memcmp(t->data, data, len) == 0)
			return slu_text_ref(t);
	}
	return NULL;
}

static void keep(struct slu_shared_bodies *all, struct slu_text *t)
{
	struct slu_text **slot = &all->latest[all->next];

	slu_text_unref(*slot);
	*slot = slu_text_ref(t);
	all->next = (all->next + 1) % SLU_SHARED_LATEST;
}

struct slu_text *slu_shared_bodies_share(struct slu_shared_bodies *all,
					 char *data, size_t len)
{
	const bool is_long = len >= LONG;
	struct slu_text *known = is_long ? find(all, data, len) : NULL;
	struct slu_text *t = known ? known : slu_text_new(data, len);

	free(data);
	if (is_long && t && !known)
		keep(all, t);
	return t;
}

static bool is_sent(const struct slu_text *t)
{
	return t->refs > 1 || (t->packed && t->packed->refs > 1);
}

void slu_shared_bodies_sweep(struct slu_shared_bodies *all)
{
	for (size_t i = 0; i < SLU_SHARED_LATEST; i++)
		if (all->latest[i] && !is_sent(all->latest[i])) {
			slu_text_unref(all->latest[i]);
			all->latest[i] = NULL;
		}
}

const char *slu_shared_hash(struct slu_text *text)
{
	if (!*text->hash)
		slu_sha256(text->data, text->len, text->hash);
	return text->hash;
}

/* As gzip, at the fastest level: our JSON shrinks to a fortieth by it. NULL: no
 * memory, or no zlib. */
static struct slu_text *pack(const struct slu_text *t)
{
	struct slu_text *packed = NULL;
#ifdef HAVE_ZLIB
	z_stream z = {.next_in = (Bytef *)(uintptr_t)t->data,
		      .avail_in = (uInt)t->len};
	Bytef *out;
	uLong room;

	if (deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	room = deflateBound(&z, t->len);
	out = malloc(room);
	z.next_out = out;
	z.avail_out = (uInt)room;
	if (out && deflate(&z, Z_FINISH) == Z_STREAM_END)
		packed = slu_text_new((char *)out, z.total_out);
	free(out);
	deflateEnd(&z);
#else
	(void)t;
#endif
	return packed;
}

/* libmicrohttpd before 0.9.73 passes only the address of the data. */
static void let_go(void *data)
{
	slu_text_unref(
		(void *)((char *)data - offsetof(struct slu_text, data)));
}

static struct MHD_Response *respond(struct slu_text *text)
{
	struct MHD_Response *out =
		MHD_create_response_from_buffer_with_free_callback(
			text->len, text->data, let_go);

	return out ? (slu_text_ref(text), out) : NULL;
}

struct MHD_Response *slu_shared_respond(struct slu_text *text, bool gzip)
{
	struct MHD_Response *out;

	gzip = gzip && text->len >= LONG && text->len <= PACK_MAX;
	if (gzip && !text->packed && text->refs > 2)
		text->packed = pack(text);
	if (!gzip || !text->packed)
		return respond(text);
	out = respond(text->packed);
	if (out)
		MHD_add_response_header(out, MHD_HTTP_HEADER_CONTENT_ENCODING,
					"gzip");
	return out;
}
