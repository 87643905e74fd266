/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_EXCHANGE_H
#define SLU_COMMON_EXCHANGE_H

/*
 * One POST over a connection of its own (HTTP/1.1, RFC 9112), for http.c. No
 * state, any thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "common/err.h"
#include "common/str.h"

struct slu_send {
	const char *path, *authorization; /* of that header */
	const void *body;
	size_t len;
	double connect, patience; /* seconds to connect; for all of it */
};

/* The head of an answer. */
struct slu_reply {
	int status;
	char *proof;	/* Sluice-Credential; NULL: none. Owned */
	time_t date;	/* 0: none */
	int64_t length; /* of the body; -1: it ends with the connection */
};

/* Read a head, which ends with its empty line. Anything but HTTP/1, and a body
 * in chunks, is SLU_INVALID, *out unchanged. */
int slu_reply_parse(const char *head, size_t len, struct slu_reply *out,
		    struct slu_err *err);
void slu_reply_clear(struct slu_reply *reply);

/* Send to addr ("host:port", "[IPv6]:port") and receive; the caller clears
 * *reply and frees body, whose old content is forgotten, on success. A whole
 * answer is success, whatever its status; a body above body->max is SLU_IO, all
 * else SLU_TIMEOUT. */
int slu_exchange(const char *addr, const struct slu_send *send,
		 struct slu_reply *reply, struct slu_buf *body,
		 struct slu_err *err);

/* The error that an answer other than success is: by its status, with the
 * sentence that is its body. What is not proven only failed. Returns -1. */
int slu_http_refused(struct slu_buf *body, int status, bool proven,
		     struct slu_err *err);

#endif
