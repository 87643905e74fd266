/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_LLITE_H
#define SLU_NODE_LLITE_H

/*
 * Measures what a job has read and written through this node's mounts of
 * Lustre: the difference of the client's counters (llite) between its start and
 * its end. They count the node, not the job: for a job that has shared the
 * node, however shortly, nothing is reported.
 */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "common/err.h"

/* The counters of all mounts below root ("" or a recorded tree), in bytes since
 * the node booted. Lustre 2.10 and earlier have them in /proc/fs/lustre, later
 * releases in debugfs. Returns the number of mounts. */
int slu_llite_read(const char *root, double *read_bytes, double *written_bytes);

/* Notes them in DIR/JOB.llite, if there are mounts; if other jobs have such a
 * note, marks theirs and this one as shared. */
int slu_llite_begin(const char *root, const char *dir, uint32_t job_id,
		    struct slu_err *err);
/* Removes the notes in DIR, older than ten minutes at Unix time `now`, of jobs
 * without a slurmstepd in root/proc. Otherwise every later job would seem to
 * share the node. */
void slu_llite_tidy(const char *root, const char *dir, time_t now);
/* Gives what this job has moved since slu_llite_begin(), and removes the note.
 * Returns whether that is known: not without a note, on a shared node, or if
 * the counters were reset. */
bool slu_llite_end(const char *root, const char *dir, uint32_t job_id,
		   double *read_bytes, double *written_bytes);

#endif
