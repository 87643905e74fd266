/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_LIMITS_H
#define SLU_PLUGINS_LIMITS_H

/* Time limits that we have set (ctl/guard.c, ctl/note.h). */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* Functions of the table (ctl/ops.h). */
int slu_limits(void *arg, int64_t now, struct slu_ctl_limit **out, size_t *n,
	       struct slu_err *err);
int slu_limit_set(void *arg, uint32_t job_id, bool whole,
		  struct slu_ctl_late *late, struct slu_err *err);

/* Would this pending job, started now with its tight limit, stand before a
 * reservation that its whole limit reaches into? job, node and part READ. */
bool slu_limit_in_gap(const job_record_t *job);

/* A job was made of what was submitted: say what its whole limit is, now that
 * its partition and association are known. job WRITE, part READ. */
void slu_limit_settle(job_record_t *job);

/* Somebody changes the job: its limit is theirs from now on, and a change to
 * the administrator's comment leaves our note in it. job WRITE, part READ. */
void slu_limit_modify(job_desc_msg_t *desc, job_record_t *job);

/* For limits.c and limits_user.c. Is it a limit of ours? */
bool slu_limit_guarded(const job_record_t *job, struct slu_note *note);
/* The limit it would have without us, minutes. part READ */
uint32_t slu_limit_whole(const job_record_t *job, const struct slu_note *note);
/* job WRITE. What `scontrol update TimeLimit` would do. */
void slu_limit_put(job_record_t *job, uint32_t limit);

#endif
