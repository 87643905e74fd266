/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_IN_FLIGHT_H
#define SLU_TESTS_IN_FLIGHT_H

/* Puts a descriptor "in flight" between sockets, where no process has it, for
 * tests that search for users of a file system. */

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Sends fd over a socket from which nothing is read, and closes it; it stays
 * open as long as this process lives. Returns 0 on success. */
static inline int put_in_flight(int fd)
{
	char space[CMSG_SPACE(sizeof(fd))] = {0}, byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr m = {.msg_iov = &iov,
			   .msg_iovlen = 1,
			   .msg_control = space,
			   .msg_controllen = sizeof(space)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	int ends[2];

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) ||
	       sendmsg(ends[0], &m, 0) != 1 || close(fd);
}

#endif
