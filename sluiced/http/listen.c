/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the TCP socket on which sluiced accepts nodes and users. */
#include "sluiced/http/listen.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 4096

static int parse_port(const char *addr, uint16_t *port, struct slu_err *err)
{
	const char *colon = strrchr(addr, ':');
	char *end = NULL;
	unsigned long n = colon ? strtoul(colon + 1, &end, 10) : 0;

	if (!end || *end || end == colon + 1 || n == 0 || n > UINT16_MAX)
		return slu_err(err, SLU_INVALID,
			       "DaemonAddr %s: want HOST:PORT", addr);
	*port = (uint16_t)n;
	return 0;
}

/* IPv6 that accepts IPv4 as well, or IPv4 alone where there is no IPv6. */
static int listen_on(uint16_t port, struct slu_err *err)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6,
				   .sin6_port = htons(port),
				   .sin6_addr = IN6ADDR_ANY_INIT};
	struct sockaddr_in four = {.sin_family = AF_INET,
				   .sin_port = htons(port)};
	int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
	int on = 1, off = 0, rc;
	int fd = socket(AF_INET6, type, 0);
	bool is_six = fd >= 0;

	if (!is_six)
		fd = socket(AF_INET, type, 0);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (is_six)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	rc = is_six ? bind(fd, (struct sockaddr *)&six, sizeof(six))
		    : bind(fd, (struct sockaddr *)&four, sizeof(four));
	if (rc < 0 || listen(fd, BACKLOG) < 0) {
		slu_errno(err, SLU_IO, "listen on port %u", port);
		close(fd);
		return -1;
	}
	return fd;
}

int slu_listen(const char *addr, struct slu_err *err)
{
	uint16_t port = 0;

	return parse_port(addr, &port, err) < 0 ? -1 : listen_on(port, err);
}
