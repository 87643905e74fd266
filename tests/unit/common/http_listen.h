/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_HTTP_LISTEN_H
#define SLU_TESTS_HTTP_LISTEN_H

/* Opens a socket and sends answers, for tests that play an HTTP server. */

#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include "common/file.h"

static inline void answer(int fd, int status, const char *headers,
			  const char *body, size_t len)
{
	dprintf(fd, "HTTP/1.1 %d X\r\nContent-Length: %zu\r\n%s\r\n", status,
		len, headers);
	slu_write_all(fd, body, len);
}

/* A listening socket on a free port; writes "host:port". */
static inline int listen_on(int family, char addr[32])
{
	struct sockaddr_in6 any = {.sin6_family = (sa_family_t)family};
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(any);

	if (family == AF_INET)
		((struct sockaddr_in *)&any)->sin_addr.s_addr =
			htonl(INADDR_LOOPBACK);
	else
		any.sin6_addr = in6addr_loopback;
	if (fd < 0 || bind(fd, (struct sockaddr *)&any, len) < 0 ||
	    listen(fd, 8) < 0)
		return -1;
	getsockname(fd, (struct sockaddr *)&any, &len);
	snprintf(addr, 32, "%s:%d", family == AF_INET ? "127.0.0.1" : "[::1]",
		 ntohs(any.sin6_port));
	return fd;
}

#endif
