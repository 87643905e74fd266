/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Receives the byte counts of ended TCP connections from the kernel
 * (sock_diag(7)), and lists open ones from /proc/net/tcp. */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder_traffic.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER	    (4 << 20) /* bytes for messages that we have not read yet */
#define ESTABLISHED 1

static void name_of(const void *address, int family, char client[256])
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	struct sockaddr_in four = {.sin_family = AF_INET};
	const uint32_t *word = address;
	bool is_four = family == AF_INET;

	if (family == AF_INET6 && word[0] == 0 && word[1] == 0 &&
	    word[2] == htonl(0xffff)) { /* an IPv4 client of an IPv6 socket */
		is_four = true;
		word += 3;
	}
	memcpy(&four.sin_addr, word, sizeof(four.sin_addr));
	if (!is_four)
		memcpy(&six.sin6_addr, word, sizeof(six.sin6_addr));
	if (getnameinfo(is_four ? (struct sockaddr *)&four
				: (struct sockaddr *)&six,
			is_four ? sizeof(four) : sizeof(six), client, 256, NULL,
			0, NI_NAMEREQD) != 0)
		client[0] = '\0';
	client[strcspn(client, ".")] = '\0';
}

int slu_fwd_listen(struct slu_err *err)
{
	struct sockaddr_nl to = {
		.nl_family = AF_NETLINK,
		.nl_groups = 1u << (SKNLGRP_INET_TCP_DESTROY - 1) |
			     1u << (SKNLGRP_INET6_TCP_DESTROY - 1),
	};
	int size = BUFFER;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_SOCK_DIAG);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	if (fd >= 0 && bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	slu_errno(err, SLU_IO, "the kernel does not tell of connections");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* 1: a connection to `port`, and its byte counts are in *end; -1: an old kernel
 * does not report them. */
static int take(struct nlmsghdr *m, uint16_t port, struct slu_fwd_end *end)
{
	struct inet_diag_msg *d = NLMSG_DATA(m);
	struct rtattr *at = (struct rtattr *)(d + 1);
	size_t left = m->nlmsg_len - NLMSG_LENGTH(sizeof(*d));
	struct tcp_info info;

	if (ntohs(d->id.idiag_sport) != port)
		return 0;
	for (; RTA_OK(at, left); at = RTA_NEXT(at, left)) {
		if (at->rta_type != INET_DIAG_INFO ||
		    RTA_PAYLOAD(at) <
			    offsetof(struct tcp_info, tcpi_bytes_received) +
				    sizeof(info.tcpi_bytes_received))
			continue;
		memset(&info, 0, sizeof(info));
		memcpy(&info, RTA_DATA(at),
		       RTA_PAYLOAD(at) < sizeof(info) ? RTA_PAYLOAD(at)
						      : sizeof(info));
		if (info.tcpi_bytes_acked + info.tcpi_bytes_received == 0)
			return 0; /* a listening socket */
		name_of(d->id.idiag_dst, d->idiag_family, end->client);
		end->sent = (double)info.tcpi_bytes_received;
		end->fetched = (double)info.tcpi_bytes_acked;
		return 1;
	}
	return -1;
}

int slu_fwd_next(int fd, uint16_t port, struct slu_fwd_end *end)
{
	union {
		struct nlmsghdr head;
		char room[8192];
	} m;
	ssize_t n;
	int rc = 0;

	while (rc == 0) {
		n = recv(fd, &m, sizeof(m), 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < (ssize_t)NLMSG_LENGTH(sizeof(struct inet_diag_msg)) ||
		    m.head.nlmsg_len > (size_t)n ||
		    m.head.nlmsg_len <
			    NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
			return -1;
		rc = take(&m.head, port, end);
	}
	return rc;
}

/* Parses " 0: 0100007F:1F90 0200007F:D2F0 01 ...": 32-bit words in memory
 * order. */
static int established(const char *line, uint16_t port, char client[256])
{
	char here[40], there[40];
	uint32_t word[4];
	unsigned from, to, state;
	size_t n;

	if (sscanf(line, " %*u: %39[0-9A-F]:%4X %39[0-9A-F]:%4X %2X", here,
		   &from, there, &to, &state) != 5 ||
	    from != port || state != ESTABLISHED)
		return 0;
	n = strlen(there) / 8;
	for (size_t i = 0; i < n && i < 4; i++)
		sscanf(there + 8 * i, "%8X", &word[i]);
	if (n != 1 && n != 4)
		return 0;
	name_of(word, n == 1 ? AF_INET : AF_INET6, client);
	return 1;
}

int slu_fwd_open(const char *text, uint16_t port, size_t nth, char client[256])
{
	while (*text) {
		if (established(text, port, client) && nth-- == 0)
			return 1;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return 0;
}
