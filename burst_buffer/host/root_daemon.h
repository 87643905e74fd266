/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_HOST_ROOT_DAEMON_H
#define SLU_BURST_BUFFER_HOST_ROOT_DAEMON_H

/*
 * Root's daemons that we started: found by their program and the one file that
 * only they have among their arguments, so that neither a lost pid file nor a
 * pid used again can mislead.
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

/* Its TCP connections: how many there are and to how many ends (address and
 * port; who connects again may still have the old one, too), and a number that
 * is another one as soon as one of them is, also when it has the same ends. */
struct slu_connections {
	unsigned n, ends;
	uint64_t sum;
};
int slu_server_connections(const struct slu_pid *pid,
			   struct slu_connections *out, struct slu_err *err);

/* Start argv, which daemonises itself, in cgroups of the name `group` and with
 * as many open files as allowed; with the variables of `env` ("NAME=VALUE",
 * NULL-ended; NULL: none) beside our own. */
int slu_server_start(char *const argv[], char *const env[], const char *group,
		     double seconds, struct slu_err *err);

/* SIGTERM, then SIGKILL after `seconds`, to all that slu_server_find() finds;
 * returns when they have ended. None is success. */
int slu_server_stop(const char *name, const char *path, double seconds,
		    struct slu_err *err);

#endif
