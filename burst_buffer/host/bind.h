/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_BIND_H
#define SLU_HOST_BIND_H

/* Restricts the calling thread, and the processes that it starts, to given
 * processors (sched_setaffinity(2)), and undoes that. */

#include <sched.h>
#include <stdbool.h>
#include "common/err.h"

struct slu_bound {
	cpu_set_t *before; /* NULL: nothing to restore */
};

/* Restrict to these ("0-7,16-23"), as far as they are available; SLU_INVALID if
 * none is left, or the list is malformed: then nothing has changed. */
int slu_bind(const char *cpus, struct slu_bound *bound, struct slu_err *err);

/* Restore the earlier set. */
void slu_unbind(struct slu_bound *bound);

#endif
