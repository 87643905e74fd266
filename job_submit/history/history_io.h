/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_HISTORY_HISTORY_IO_H
#define SLU_JOB_SUBMIT_HISTORY_HISTORY_IO_H

/*
 * Private to job_submit/history: merges the reports of a run's nodes in table
 * JobIo, for the files that write to it.
 */

#include "store/db.h"

/* Row i of JobIo is of one node of run h, and other nodes have not reported:
 * once all have, there is one row of node "*". */
#define SLU_IO_PARTIAL "(i.Source < 4 AND i.Node <> '*' AND h.NodeCnt > 1)"

/* The run is stored now, and its I/O may be complete. 1: all nodes have
 * reported; 0: not all, or they were merged before. */
int slu_history_fold(struct slu_db *db, uint32_t job_id, int64_t start,
		     struct slu_err *err);

#endif
