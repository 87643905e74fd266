/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_FORWARDER_TRAFFIC_H
#define SLU_NODE_FORWARDER_TRAFFIC_H

/*
 * Counts the bytes that a forwarding daemon's clients exchange with it, as the
 * daemons have no counters by client: over TCP, the kernel reports each
 * connection at its end (sock_diag(7), root of the network namespace). The
 * clients' own read() and write() counters do not contain this traffic.
 */

#include <stdint.h>
#include "common/err.h"
#include "common/str.h"

struct slu_fwd_end {
	char client[256]; /* short host name; "": the address has no name */
	/* bytes, from the client's point of view; the end of a connection
	 * counts one */
	double sent, fetched;
};

/* Opens a socket that receives the end of every connection from now on;
 * SLU_IO. */
int slu_fwd_listen(struct slu_err *err);
/* The next connection to `port` that has ended: 1; 0: none so far; -1: some
 * were lost. */
int slu_fwd_next(int fd, uint16_t port, struct slu_fwd_end *end);
/* The client of the nth established connection to `port`, by the text of
 * /proc/net/tcp or tcp6. 0: there are fewer. */
int slu_fwd_open(const char *text, uint16_t port, size_t nth, char client[256]);

#endif
