/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBFD_PUBLISHER_H
#define SLU_SELECT_IO_TBFD_PUBLISHER_H

/*
 * Sends the state of this server (select_io/ost/server_report.h) and the I/O of
 * its jobs to sluiced, from a process of its own. Link with $(libslunet).
 */

#include "common/err.h"
#include "common/log.h"

#include "select_io/ost/server_report.h"
#include "sysmap/lustre/jobstats.h"

struct slu_http;
struct slu_job_totals;

/* One server, and what is known of it from before; it borrows the rest. */
struct slu_tbfd_publisher {
	struct slu_http *http;
	const char *root; /* "/" is this server */
	const char *host;
	struct slu_job_totals *io;  /* of its jobs */
	struct slu_ost_meter meter; /* private, as what follows; from {0} */
	struct slu_jobstats jobs;
};

/* Reads the jobs' I/O, and sends the totals that are due (job_totals.h). now:
 * seconds of any clock. A server without targets has no jobs. */
int slu_tbfd_publish_jobs(struct slu_tbfd_publisher *p, double now,
			  struct slu_err *err);

/* Reads the server's state, and sends it, with the number of jobs that were
 * active on each target when their I/O was read. */
int slu_tbfd_publish_server(struct slu_tbfd_publisher *p, double now,
			    struct slu_err *err);
void slu_tbfd_publisher_clear(struct slu_tbfd_publisher *p);

/* Releases memory that was needed only at the start: libcurl loads two dozen
 * libraries, most pages of which are read only then. */
void slu_tbfd_publish_slim(void);

/* Queries sluiced for the running jobs: adds lines "JOBID NODES" to out. */
struct slu_buf;
int slu_tbfd_publish_nodes(const char *conf_path, struct slu_buf *out,
			   struct slu_err *err);

/* Publishes every 5 seconds in a child process, which ends with this one; a
 * second child starts the first one again when it dies.
 * conf_path: a sluice.conf, for DaemonAddr and SlurmUser. */
int slu_tbfd_publish_start(const char *conf_path, const char *root,
			   const struct slu_log *log, struct slu_err *err);
/* The same in this process; returns only if it cannot begin: -1. */
int slu_tbfd_publish_run(const char *conf_path, const char *root,
			 const struct slu_log *log, struct slu_err *err);

#endif
