/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_LLITE_H
#define SLU_NODE_LLITE_H

/*
 * What a job has read and written through this node's mounts of Lustre: the
 * difference of the client's own counters (llite) between its start and its
 * end. They count the node, not the job: a job that has shared the node, for
 * however short a time, is told nothing of.
 */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "common/err.h"

/* The counters of all mounts below root ("" or a recorded tree), in bytes since
 * the node has booted. Lustre 2.10 and earlier have them in /proc/fs/lustre,
 * later ones in debugfs. Returns the number of mounts. */
int slu_llite_read(const char *root, double *read_bytes, double *written_bytes);

/* Note them in DIR/JOB.llite, if there are mounts; when other jobs have such a
 * note, in theirs and in ours that the node is shared. */
int slu_llite_begin(const char *root, const char *dir, uint32_t job_id,
		    struct slu_err *err);
/* Remove the notes in DIR, older than ten minutes at Unix time `now`, of jobs
 * that have no slurmstepd in root/proc: nobody else would, and every later job
 * would seem to share the node. */
void slu_llite_tidy(const char *root, const char *dir, time_t now);
/* Since then, by this job alone; the note goes. Returns whether that is
 * known: not without a note, on a shared node, or when the counters were set
 * back. */
bool slu_llite_end(const char *root, const char *dir, uint32_t job_id,
		   double *read_bytes, double *written_bytes);

#endif
