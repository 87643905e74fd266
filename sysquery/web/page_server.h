/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_WEB_PAGE_SERVER_H
#define SLU_SYSQUERY_WEB_PAGE_SERVER_H

/*
 * Serves the page over HTTP to clients with the token. It is generated at most
 * every few seconds, and all clients get the same one. Only GET and HEAD of "/"
 * are accepted.
 *
 * A request with "?token=TOKEN" gets a cookie and is redirected to "/", so that
 * the token does not stay in the address bar and the history; "Authorization:
 * Bearer TOKEN" is accepted, too.
 */

#include "common/err.h"
#include "common/str.h"
#include "sysquery/web/token.h"

#define SLU_WEB_CLIENTS 64
#define SLU_WEB_IDLE	30u  /* seconds without a byte */
#define SLU_WEB_URL	1024 /* bytes of an address, enough for the token */

/* A connection, in the server's thread. When all are in use, the oldest one
 * without the token is closed, so that clients without it cannot keep out those
 * with it. */
struct slu_web_client {
	struct MHD_Connection *conn; /* NULL: free */
	bool known;
	double since; /* monotonic */
};

struct slu_web {
	char token[SLU_TOKEN_TEXT];
	double keep; /* seconds for which a page is sent again */
	/* Append the current page. Called in the server's thread. */
	int (*page)(void *arg, struct slu_buf *out, struct slu_err *err);
	void *arg;
	/* Private to the server: */
	char cookie[32]; /* its name, with the port in it */
	/* Its value, valid as long as this server runs: browsers also send it
	 * to the next server on this port. */
	char session[SLU_TOKEN_TEXT];
	struct slu_buf text;
	double made; /* monotonic; 0: there is no page yet */
	struct slu_web_client client[SLU_WEB_CLIENTS];
};

/* A listening socket: "HOST:PORT", "PORT" (of 127.0.0.1), "[::1]:PORT"; port 0:
 * any. *port: its port; *loopback: it cannot be reached from other hosts. The
 * caller closes it. */
int slu_web_listen(const char *addr, unsigned *port, bool *loopback,
		   struct slu_err *err);

/* Serve on that socket, which it then owns; NULL: failed. `web` must live as
 * long as the server. */
struct MHD_Daemon;
struct MHD_Daemon *slu_web_start(struct slu_web *web, int fd, unsigned port,
				 struct slu_err *err);
void slu_web_stop(struct slu_web *web, struct MHD_Daemon *server);

#endif
