/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_FORWARDER_H
#define SLU_NODE_FORWARDER_H

/*
 * Private to the forwarder: runs a GekkoFWD daemon on an I/O node and keeps the
 * daemons' hosts file complete. Clients spread files' metadata over all daemons
 * in that file, and mappings count them in it: a client that starts with an
 * incomplete file asks the wrong daemon for every file, one that starts with
 * the line of a dead daemon hangs, and one that finds no file fails at once. So
 * FILE exists only while all daemons run.
 */

/*
 *	FILE.d/HOST	the line "HOST[#SUFFIX] URI [URI]" that the daemon of
 *			that I/O node wrote; touched every few seconds by
 *			the forwarder there
 *	FILE		all lines, while each exists and is fresh
 */

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include "common/err.h"
#include "common/hostlist.h"
#include "common/str.h"

#define SLU_FWD_FRESH 30 /* s */

/* Make FILE agree with FILE.d for these members at the time `now`: 1 when it
 * is complete, 0 when it is not and was removed. Every member's forwarder does
 * the same, so it needs no lock. */
int slu_fwd_compose(const char *file, const struct slu_hosts *members,
		    time_t now, struct slu_err *err);

/*
 * Keeps the names of files over restarts of a daemon. GekkoFS's daemon has them
 * in DIR/PID/metadata, PID being its own, so that a new process knows none of
 * them. So DIR/names is the one place, and this makes DIR/PID a link to it for
 * the daemon that is about to be process `pid`; it removes earlier links. If
 * daemons have run without this, the newest of what they have left becomes
 * DIR/names. DIR must have no other use, and no daemon may be running in it.
 * SLU_IO, and nothing is lost.
 */
int slu_fwd_keep_names(const char *dir, pid_t pid, struct slu_err *err);

/* Before a restart: may a daemon that was killed have lost names? True where
 * DIR/names has a RocksDB without a write-ahead log, so that they were in
 * memory. */
bool slu_fwd_names_unsaved(const char *dir);

/* The release of the program and those of its options that matter here, as its
 * --version and --help show them, in one line: "release 0.9.3; it has
 * enable-forwarding, metadir". SLU_IO: it does not answer within some
 * seconds. */
int slu_fwd_probe(char *program, struct slu_buf *out, struct slu_err *err);

/* Jobs that a daemon's death affects, by MappingDir/mapping.json, as "17,18".
 * data: jobs whose data goes through this I/O node; names: all others that have
 * I/O nodes, as names of files are spread over all of them. */
struct slu_fwd_jobs {
	struct slu_buf data, names;
};
int slu_fwd_jobs(const char *dir, const char *host, struct slu_fwd_jobs *out,
		 struct slu_err *err);
void slu_fwd_jobs_free(struct slu_fwd_jobs *jobs);

/* Tells the owners of jobs->data with scontrol notify that the daemon of this
 * I/O node has died, and acts on the jobs by `action`: "tell" does nothing
 * more, "requeue" requeues and "end" cancels them. Returns at once; a child
 * does it. */
void slu_fwd_notify(const char *host, const char *action,
		    const struct slu_fwd_jobs *jobs);

/* sluice-node forwarder --hosts FILE --ions HOSTLIST [--metadata DIR]
 * [--mapping DIR [--on-loss tell|requeue|end]] -- PROGRAM ARG...: keep the
 * program running until SIGTERM or SIGINT; "{hosts}" among its arguments
 * stands for its own hosts file. Returns the exit code. */
int slu_forwarder_main(int argc, char **argv);

#endif
