/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TBF_PUBLISH_H
#define SLU_TBF_PUBLISH_H

/* Telling sluiced how this server is (select_io/ost/server.h). Link with
 * libslunet.la. */

#include "common/err.h"
#include "common/log.h"

struct slu_http;
struct slu_ost_meter;

/* Read the server below root and send what it says. */
int slu_publish_once(struct slu_http *http, const char *root, const char *host,
		     struct slu_ost_meter *meter, struct slu_err *err);

/* Read the jobs below root, and send what sluiced has to hear of them by now:
 * seconds of any clock. A server without OSTs has none. */
struct slu_lustre;
struct slu_jobio;
int slu_publish_jobs(struct slu_http *http, struct slu_lustre *lustre,
		     const char *host, struct slu_jobio *io, double now,
		     struct slu_err *err);

/* What sluiced knows of running jobs: lines "JOBID NODES" are added to out. */
struct slu_buf;
int slu_publish_nodes(const char *conf_path, struct slu_buf *out,
		      struct slu_err *err);

/* Do so every 5 seconds in a process of its own, which ends with this one, and
 * is started again by another one when it dies.
 * conf_path: a sluice.conf, for DaemonAddr and SlurmUser. */
int slu_publish_start(const char *conf_path, const char *root,
		      const struct slu_log *log, struct slu_err *err);
/* The same here and now; returns only when it cannot begin: -1. */
int slu_publish_run(const char *conf_path, const char *root,
		    const struct slu_log *log, struct slu_err *err);

#endif
