/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_HOST_KILL_USERS_H
#define SLU_BURST_BUFFER_HOST_KILL_USERS_H

/*
 * Kills a user's processes that use files below a directory (found as in
 * file_users.h): before an unmount, at a job's end, or while its storage is
 * removed.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/proc.h"
#include "common/str.h"

/* Sends SIGKILL to those of this user, whatever rights they run with. Returns
 * how many; appends to `who` (may be NULL): "python3 (71) of ann (job 12),
 * ...". */
size_t slu_users_kill(const char *dir, uid_t uid, struct slu_buf *who);

/* Repeats slu_users_kill() until none is left, with dir closed to the user
 * (mode 0700): else they could create files as fast as these are removed. */
void slu_users_evict(const char *dir, uid_t uid);

/* The job whose processes are to be ended. */
struct slu_users_job {
	const char *dir; /* its file system, as its tasks see it */
	uid_t uid;
	uint32_t id, het_id; /* het_id: SLURM_JOB_ID in a component of a
			      * heterogeneous job; 0: it is none */
};

/* Sends SIGKILL, until none is left, to processes of this user that use files
 * below dir, or have dir in their environment and may open one. Those that
 * Slurm's cgroups or SLURM_JOB_ID show to be of another job are spared. Appends
 * to `who`: "python3 (71) of ann, ..."; returns how many. May take long: call
 * it in a child. */
size_t slu_users_end_job(const struct slu_users_job *job, struct slu_buf *who);

/* Finds a process of this user that does not die of a pending SIGKILL, because
 * it waits in the kernel; SLU_NOTFOUND: there is none. Processes in a cgroup of
 * another job do not count. */
int slu_users_stuck(uid_t uid, uint32_t job_id, struct slu_pid *out,
		    struct slu_err *err);

#endif
