/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_ARBITER_H
#define SLU_ION_ARBITER_H

/*
 * Who gets how many I/O nodes, and which (Bez et al., IPDPS 2021, section 3):
 * the pool, the running jobs, what each may choose, and the assignment in
 * force. The set of running jobs is given as a whole or job by job; the same
 * set gives the same answer whatever the order of events. No clock, no files.
 * One thread.
 */

#include "common/conf.h"
#include "wire/control.h"

struct slu_arbiter;

/* ions: the pool; compute_nodes: C of the whole system, for STATIC
 * (R = C / F). conf is only read during the call. */
struct slu_arbiter *slu_arbiter_new(const struct slu_conf *conf,
				    uint32_t compute_nodes,
				    struct slu_err *err);
void slu_arbiter_free(struct slu_arbiter *a);

/* Teach what an ended job reached: io_bandwidth with job.ions I/O nodes. */
int slu_arbiter_learn(struct slu_arbiter *a, const struct slu_history_row *row,
		      struct slu_err *err);

/* A job runs (again: harmless) or has ended (unknown: harmless). */
int slu_arbiter_start(struct slu_arbiter *a, const struct slu_job *job,
		      struct slu_err *err);
void slu_arbiter_end(struct slu_arbiter *a, uint32_t job_id);
/* These and no others run. */
int slu_arbiter_set(struct slu_arbiter *a, const struct slu_job *jobs, size_t n,
		    struct slu_err *err);
/* I/O nodes that may not be given now (down, drained); they are given back
 * when a later call leaves them out. */
int slu_arbiter_unavailable(struct slu_arbiter *a,
			    const struct slu_hosts *hosts, struct slu_err *err);

/* Solve and place. *out is filled anew (slu_msg_clear with
 * slu_assignment_desc frees it); epoch, time and event are the caller's to
 * set. */
int slu_arbiter_solve(struct slu_arbiter *a, struct slu_assignment *out,
		      struct slu_err *err);

/* I/O nodes job_id holds now, 0 when unknown. */
uint32_t slu_arbiter_held(const struct slu_arbiter *a, uint32_t job_id);

/*
 * GekkoFWD's mapping file of one job: a line "<short host name> <id>" per
 * compute node, id being the position of its I/O node in the sorted list of
 * all I/O nodes; compute nodes are divided in equal contiguous blocks. NULL
 * for direct access (no file) with err->kind SLU_NOTFOUND. Caller frees.
 */
char *slu_mapping_text(const struct slu_ion_share *share, const char *all_ions,
		       struct slu_err *err);

#endif
