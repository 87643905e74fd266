/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the socket for browsers, by default on the loopback address. */
#include "config.h"
#include "sysquery/web/page_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 64

/* Splits "HOST:PORT"; "PORT" alone is on the loopback address. Brackets around
 * a host are removed. */
static int split(char *addr, char **host, char **port, struct slu_err *err)
{
	char *colon = strrchr(addr, ':'), *end;

	*host = colon ? addr : (char *)(uintptr_t) "127.0.0.1";
	*port = colon ? colon + 1 : addr;
	if (strtoul(*port, &end, 10) > UINT16_MAX || *end || end == *port)
		return slu_err(err, SLU_INVALID,
			       "--listen: want PORT, HOST:PORT or [::1]:PORT");
	if (colon)
		*colon = '\0';
	if (**host == '[' && host[0][strlen(*host) - 1] == ']') {
		host[0][strlen(*host) - 1] = '\0';
		++*host;
	}
	return 0;
}

static bool is_loopback(const struct sockaddr *addr)
{
	const struct sockaddr_in *four = (const void *)addr;
	const struct sockaddr_in6 *six = (const void *)addr;

	if (addr->sa_family == AF_INET)
		return ntohl(four->sin_addr.s_addr) >> 24 == 127;
	return addr->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
}

static int listen_on(const struct addrinfo *at)
{
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, at->ai_addr, at->ai_addrlen) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	close(fd);
	return -1;
}

static unsigned port_of(int fd)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);

	if (getsockname(fd, (struct sockaddr *)&addr, &len) < 0)
		return 0;
	return ntohs(addr.ss_family == AF_INET6
			     ? ((struct sockaddr_in6 *)&addr)->sin6_port
			     : ((struct sockaddr_in *)&addr)->sin_port);
}

int slu_web_listen(const char *addr, unsigned *port, bool *loopback,
		   struct slu_err *err)
{
	const struct addrinfo want = {.ai_socktype = SOCK_STREAM,
				      .ai_flags = AI_PASSIVE};
	struct addrinfo *found;
	char *copy = strdup(addr), *host, *number;
	int fd = -1, rc;

	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (split(copy, &host, &number, err) < 0)
		goto out;
	rc = getaddrinfo(host, number, &want, &found);
	if (rc) {
		slu_err(err, SLU_INVALID, "--listen %s: %s", addr,
			gai_strerror(rc));
		goto out;
	}
	fd = listen_on(found);
	if (fd < 0)
		slu_errno(err, SLU_IO, "--listen %s", addr);
	*loopback = is_loopback(found->ai_addr);
	*port = fd < 0 ? 0 : port_of(fd);
	freeaddrinfo(found);
out:
	free(copy);
	return fd;
}
