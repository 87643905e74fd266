/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_WEB_PAGE_SERVER_H
#define SLU_SYSQUERY_WEB_PAGE_SERVER_H

/*
 * The page over HTTP, for who has the token: libmicrohttpd with one thread,
 * which makes the page at most every few seconds and answers all others with
 * what it has. It takes GET and HEAD of "/", and nothing else.
 *
 * Who comes with "?token=TOKEN" gets a cookie, and is sent to "/" without it,
 * so that the address bar and the history do not keep it; "Authorization:
 * Bearer TOKEN" does, too.
 */

#include "common/err.h"
#include "common/str.h"
#include "sysquery/web/token.h"

#define SLU_WEB_CLIENTS 64
#define SLU_WEB_IDLE	30u  /* seconds without a byte */
#define SLU_WEB_URL	1024 /* bytes of an address, which needs a token's */

/* A connection, in the server's thread. When all are taken the oldest of those
 * that have not shown the token goes, so that nobody without it can keep who
 * has it out. */
struct slu_web_client {
	struct MHD_Connection *conn; /* NULL: free */
	bool known;
	double since; /* monotonic */
};

struct slu_web {
	char token[SLU_TOKEN_TEXT];
	double keep; /* seconds for which a page is shown again */
	/* Append the page of now. Called in the server's thread. */
	int (*page)(void *arg, struct slu_buf *out, struct slu_err *err);
	void *arg;
	/* The server's: */
	char cookie[32]; /* its name: of this port */
	/* What is in it, as long as this server lasts: browsers send it to
	 * whoever listens on the port after that. */
	char session[SLU_TOKEN_TEXT];
	struct slu_buf text;
	double made; /* monotonic; 0: there is no page yet */
	struct slu_web_client client[SLU_WEB_CLIENTS];
};

/* A socket that listens there: "HOST:PORT", "PORT" (of 127.0.0.1),
 * "[::1]:PORT"; port 0: any. *port: which it is; *loopback: nobody from
 * elsewhere can come. The caller closes it. */
int slu_web_listen(const char *addr, unsigned *port, bool *loopback,
		   struct slu_err *err);

/* Serve on that socket, which is its own from then on; NULL: failed. `web` must
 * last as long as the server. */
struct MHD_Daemon;
struct MHD_Daemon *slu_web_start(struct slu_web *web, int fd, unsigned port,
				 struct slu_err *err);
void slu_web_stop(struct slu_web *web, struct MHD_Daemon *server);

#endif
