/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_FORWARDER_TRAFFIC_H
#define SLU_NODE_FORWARDER_TRAFFIC_H

/*
 * What a daemon's clients have sent it and fetched from it, over TCP: the
 * kernel tells it of each connection at its end (sock_diag(7), root of the
 * network namespace). Forwarding daemons have no counters by client, and what
 * their clients send is no read() or write() of the clients.
 */

#include <stdint.h>
#include "common/err.h"
#include "common/str.h"

struct slu_fwd_end {
	char client[256]; /* short host name; "": its address has none */
	/* bytes, as the client sees it; its end counts as one more */
	double sent, fetched;
};

/* A descriptor that hears of all connections from now on; SLU_IO. */
int slu_fwd_listen(struct slu_err *err);
/* The next connection to `port` that has ended: 1; 0: none so far; -1: some
 * were missed. */
int slu_fwd_next(int fd, uint16_t port, struct slu_fwd_end *end);
/* Whose connections to `port` last, by the text of /proc/net/tcp or tcp6: the
 * nth one's client. 0: there are not so many. */
int slu_fwd_open(const char *text, uint16_t port, size_t nth, char client[256]);

#endif
