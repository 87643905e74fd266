/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_HOST_FILE_USERS_H
#define SLU_BURST_BUFFER_HOST_FILE_USERS_H

/* Which processes use files below a directory: by the names that /proc tells
 * for the working directory, root and open files of each of their threads, for
 * their program and maps, so that nothing of a file system that hangs is
 * touched. What is mounted nowhere any
 * more has no such names: by its device, which is asked of what the kernel
 * knows already. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/proc.h"
#include "common/str.h"

/* SIGKILL to those of this user, whatever rights they run with. Returns how
 * many; adds to `who` (may be NULL): "python3 (71) of ann (job 12), ...". */
size_t slu_users_kill(const char *dir, uid_t uid, struct slu_buf *who);

/* The same until there is none, and nobody new comes in: they could make files
 * as fast as these are removed. */
void slu_users_evict(const char *dir, uid_t uid);

/* Whose processes a job has left behind. */
struct slu_users_job {
	const char *dir; /* its file system, as its tasks see it */
	uid_t uid;
	uint32_t id, het_id; /* het_id: as SLURM_JOB_ID of a heterogeneous one;
			      * 0: it is none */
};

/* SIGKILL to them, until there is none: those of this user that use files below
 * dir, or were told of it in their environment and may open one. What Slurm's
 * cgroups, or SLURM_JOB_ID, show to be of another job is left. Adds to `who`:
 * "python3 (71) of ann, ..."; returns how many. May take long: in a child. */
size_t slu_users_end_job(const struct slu_users_job *job, struct slu_buf *who);

/* Can any process write to a file below without a system call, as it has mapped
 * one? */
bool slu_users_map(const char *dir);

/* Adds who has this file open, but for the calling process, as above. Whoever
 * may not look at all processes sees his own. */
void slu_users_of(const char *path, struct slu_buf *who);

/* SLU_BUSY: "DIR is in use by NAME (PID), ...", or, where nobody is, who may
 * have a file of it in flight or in an io_uring. Returns -1. */
int slu_users_err(const char *dir, struct slu_err *err);

/* The same by who has something of this device, or has it mounted in a
 * namespace of his own, be it that only a descriptor keeps that; dir is what it
 * is called. */
int slu_users_device_err(const char *dir, unsigned major, unsigned minor,
			 struct slu_err *err);

/* Bytes of files below that have no name any more, which processes have open
 * or mapped: what is in flight over a socket is not seen, and what several have
 * counts for each. */
uint64_t slu_users_bytes(const char *dir);

/* A process of this user that has been killed and does not die, because it
 * waits in the kernel; SLU_NOTFOUND: there is none. What Slurm's cgroups show
 * to be of another job does not count. */
int slu_users_stuck(uid_t uid, uint32_t job_id, struct slu_pid *out,
		    struct slu_err *err);

#endif
