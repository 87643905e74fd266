/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_HOST_ROOT_DAEMON_H
#define SLU_BURST_BUFFER_HOST_ROOT_DAEMON_H

/*
 * Starts, finds and stops daemons that Sluice runs as root, such as bricks of
 * glusterfs. A daemon is identified by its program and by the one file that
 * only it has as an argument, so that neither a lost pid file nor a reused pid
 * misleads.
 */

#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"
#include "common/proc.h"

/* The process of root's that has `path` as one of its arguments and whose
 * program's name begins with `name`, or SLU_NOTFOUND. */
int slu_server_find(const char *name, const char *path, struct slu_pid *out,
		    struct slu_err *err);

/* Does this very process listen on this TCP port? */
bool slu_server_listens(const struct slu_pid *pid, unsigned port);

/* TCP connections of a daemon: how many, to how many remote ends (address and
 * port; a client that reconnects may still have its old one), and a number that
 * changes whenever one of them is replaced, even by one to the same end. */
struct slu_connections {
	unsigned n, ends;
	uint64_t sum;
};
int slu_server_connections(const struct slu_pid *pid,
			   struct slu_connections *out, struct slu_err *err);

/* Start argv, which daemonises itself, in cgroups named `group`, with as many
 * open files as allowed and with the variables of `env` ("NAME=VALUE",
 * NULL-ended; NULL: none) in addition to our own. */
int slu_server_start(char *const argv[], char *const env[], const char *group,
		     double seconds, struct slu_err *err);

/* SIGTERM, then SIGKILL after `seconds`, to all that slu_server_find() finds;
 * returns when they have ended. 0 also if there are none. */
int slu_server_stop(const char *name, const char *path, double seconds,
		    struct slu_err *err);

#endif
