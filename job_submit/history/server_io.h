/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_HISTORY_SERVER_IO_H
#define SLU_JOB_SUBMIT_HISTORY_SERVER_IO_H

/*
 * Private to job_submit/history: the rows of servers in table JobIo. A server
 * of Lustre has one for each run, "server NAME", and one for what its MDTs have
 * counted, "metadata NAME", without bytes (Calls are the operations); where it
 * reports by file system, one for each: "server NAME FSNAME". Long after the
 * run they are merged into "server *", "metadata *" and so on. The forwarding
 * daemons have one together, "forwarders".
 */

#include "job_submit/history/job_history.h"
#include "store/db.h"

/* The merged rows of a run; " FSNAME" may follow. */
#define SLU_SERVER_IO_BYTES    "server *"
#define SLU_SERVER_IO_METADATA "metadata *"
/* SQL: is the Node such a row? */
#define SLU_SERVER_IO_FOLDED                                 \
	"(substr(Node, 1, 8) = '" SLU_SERVER_IO_BYTES "' OR" \
	" substr(Node, 1, 10) = '" SLU_SERVER_IO_METADATA "')"

/* Merges a run's rows of servers, each file system's by themselves. 1: rows
 * were merged; 0: there was nothing to merge. In a transaction of the caller.
 */
int slu_server_io_fold(struct slu_db *db, const struct slu_import_io *run,
		       struct slu_err *err);

#endif
