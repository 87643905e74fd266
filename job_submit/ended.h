/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_ENDED_H
#define SLU_JOB_SUBMIT_ENDED_H

/*
 * Decides how a job ended, and whether the predictor learns from its run: the
 * only place that decides it, for slurmctld, the replay of history, importers
 * and benches.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/job.h"

/*
 * A job that has ended by itself or by its user is a sample of how long such
 * jobs take, and is predicted like any other: COMPLETED, TIMEOUT, FAILED,
 * OUT_OF_MEMORY, DEADLINE, and CANCELLED once it ran. One that the system ended
 * (NODE_FAIL, BOOT_FAIL, PREEMPTED, REVOKED, REQUEUED) or that has not ended is
 * no sample. Without a state it counts as ended by itself.
 */
bool slu_ended_own_way(const struct slu_job *job);

/* Did a job that slu_ended_own_way() accepts neither complete nor reach its
 * limit? */
bool slu_failed(const struct slu_job *job);

/* The run time that counts against the limit, slu_job_ran(); 0 also for a job
 * that was given up before its file system was ready. */
int64_t slu_run_time(const struct slu_job *job);

/* The state, in Slurm's words, of a text of `len` bytes that is one in whatever
 * case, or the code of one, as squeue prints it (CD), or what sacct leaves of
 * one in a narrow column (OUT_OF_ME+); NULL: it is none, or may be several. */
const char *slu_state_name(const char *text, size_t len);

/* A log's status (column 11 of the Standard Workload Format) as Slurm's state.
 * Run time and request in seconds, request <= 0: none. Logs call what was ended
 * at its request failed, cancelled or completed, each in its own way: a run
 * that has reached it is a TIMEOUT. Static text. */
const char *slu_swf_state(int64_t status, int64_t run, int64_t request);
/* Is it a line for a part of a job, whose sum is in another line? */
bool slu_swf_is_part(int64_t status);

#endif
