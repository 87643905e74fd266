/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_LINK_H
#define SLU_CTL_LINK_H

/*
 * The Unix socket to sluiced, non-blocking both ways: lines in, lines out, both
 * buffers bounded. After an error of any call the link is closed; the next
 * slu_link_open() is due after a growing pause. One thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"
#include "common/str.h"
#include "wire/codec.h"

struct slu_link {
	int fd; /* -1: closed */
	struct slu_buf in, out;
	size_t in_used, out_used; /* bytes at their beginning that are done */
	double retry_at;	  /* when it may be opened again, seconds */
	double pause;
	uint64_t id; /* of the last message sent */
};

#define SLU_LINK_CLOSED  \
	{                \
		.fd = -1 \
	}

/* Connect; the peer must run as root or as our user. */
int slu_link_open(struct slu_link *link, const char *path, struct slu_err *err);
/* Close, and drop what was not sent; may be opened again after a pause from
 * `now`. */
void slu_link_close(struct slu_link *link, double now);
/* The peer works: the next pause is the shortest again. */
void slu_link_good(struct slu_link *link);

/* Queue a message. SLU_NOMEM beyond the bound; then nothing was queued. */
int slu_link_send(struct slu_link *link, const struct slu_desc *desc,
		  const void *msg, struct slu_err *err);
/* Bytes that wait to be written. */
size_t slu_link_pending(const struct slu_link *link);
/* Write and read what the socket takes and has now. */
int slu_link_flush(struct slu_link *link, struct slu_err *err);
int slu_link_fill(struct slu_link *link, struct slu_err *err);
/* The next complete line, without its newline; valid until the next fill. */
bool slu_link_line(struct slu_link *link, const char **line, size_t *len);

#endif
