/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PERSISTENT_USE_H
#define SLU_LIFECYCLE_PERSISTENT_USE_H

/* Lets jobs use a persistent buffer: finds it, and adds it to a job's plan. */

#include "burst_buffer/lifecycle/record.h"

/* The persistent buffer of this name that is alive; NULL: there is none. */
struct slu_bb *slu_persistent_find(const struct slu_buffers *b,
				   const char *name);
/* Is the job's user a member of this group? Asks the name service. */
bool slu_persistent_is_member(const struct slu_job *job, gid_t gid);
/* For struct slu_plan_site. arg: the buffers. */
int slu_persistent_use(void *arg, const struct slu_job *job, const char *name,
		       struct slu_plan *plan, struct slu_err *err);
/* Is it to be destroyed, and is there no unsaved data that forbids it? */
bool slu_persistent_goes(const struct slu_bb *bb);
/* Its sentence for users; caller frees, NULL: no memory. */
char *slu_persistent_sentence(const struct slu_bb *bb);

#endif
