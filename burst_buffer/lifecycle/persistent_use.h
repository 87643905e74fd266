/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PERSISTENT_USE_H
#define SLU_LIFECYCLE_PERSISTENT_USE_H

/* A persistent buffer as seen by the jobs that use it. */

#include "burst_buffer/lifecycle/record.h"

/* The persistent buffer of this name that is alive; NULL: there is none. */
struct slu_bb *slu_persistent_find(const struct slu_buffers *b,
				   const char *name);
/* Is the job's user a member of this group? Asks the name service. */
bool slu_persistent_is_member(const struct slu_job *job, gid_t gid);
/* For struct slu_plan_site. arg: the buffers. */
int slu_persistent_use(void *arg, const struct slu_job *job, const char *name,
		       struct slu_plan *plan, struct slu_err *err);
/* Should it end, and is there no unsaved data that keeps it? */
bool slu_persistent_goes(const struct slu_bb *bb);
/* Its sentence for users; caller frees, NULL: no memory. */
char *slu_persistent_sentence(const struct slu_bb *bb);

#endif
