/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_FORWARDER_H
#define SLU_NODE_FORWARDER_H

/*
 * GekkoFWD's daemons and their hosts file. Files' metadata are spread over all
 * daemons in the file, and mappings count them in it: a client that starts with
 * an incomplete one is wrong about everything, one that starts with the line of
 * a dead daemon hangs, and one that finds none fails at once. So FILE is there
 * only while all daemons are:
 *
 *	FILE.d/HOST	the line "HOST[#SUFFIX] URI [URI]" that the daemon of
 *			that I/O node wrote; touched every few seconds by
 *			the forwarder there
 *	FILE		all of them, while each is there and fresh
 */

#include <sys/types.h>
#include <time.h>
#include "common/err.h"
#include "common/hostlist.h"

#define SLU_FWD_FRESH 30 /* s */

/* Make FILE agree with FILE.d for these members at the time `now`: 1 when it
 * is complete, 0 when it is not and was removed. Every member's forwarder does
 * the same, so it needs no lock. */
int slu_fwd_compose(const char *file, const struct slu_hosts *members,
		    time_t now, struct slu_err *err);

/*
 * GekkoFS's daemon keeps the names of files in DIR/PID/metadata, its own
 * process number, so one that is started again knows none of them. Here
 * DIR/names is the one place, and DIR/PID leads to it for the daemon that is
 * about to be process `pid`; links of those before go. What a daemon without
 * this has left, the newest of it, becomes DIR/names. Nobody else may use DIR,
 * and no daemon may be running in it. SLU_IO, and nothing is lost.
 */
int slu_fwd_keep_names(const char *dir, pid_t pid, struct slu_err *err);

/* sluice-node forwarder --hosts FILE --ions HOSTLIST [--metadata DIR] --
 * PROGRAM ARG...: keep
 * the program running until SIGTERM or SIGINT; "{hosts}" among its arguments
 * stands for its own hosts file. Returns the exit code. */
int slu_forwarder_main(int argc, char **argv);

#endif
