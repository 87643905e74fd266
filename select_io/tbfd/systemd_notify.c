/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells systemd that sluice-tbfd is ready and alive, so that systemd restarts a
 * daemon that hangs: one datagram to the socket that NOTIFY_SOCKET names, as in
 * sd_notify(3), without libsystemd. Errors are ignored: without a message
 * systemd acts on its own.
 */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define EVERY 5 /* s between messages; the unit's WatchdogSec is longer */

static void notify(const char *path, const char *text)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd;

	if (!slu_copy(to.sun_path, sizeof(to.sun_path), path))
		return;
	if (to.sun_path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&to,
	       (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
			   strlen(path)));
	close(fd);
}

void slu_tbfd_alive(double *last, double now)
{
	const char *path = getenv("NOTIFY_SOCKET");

	if (!path || now - *last < EVERY)
		return;
	notify(path, "READY=1\nWATCHDOG=1");
	*last = now;
}
