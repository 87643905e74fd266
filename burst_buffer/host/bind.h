/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_BIND_H
#define SLU_HOST_BIND_H

/* Restricts this thread, and the processes that it starts, to given processors.
 */

#include <sched.h>
#include <stdbool.h>
#include "common/err.h"

struct slu_bound {
	cpu_set_t *before; /* NULL: nothing is to be undone */
};

/* Only on these ("0-7,16-23"). What it may not have is left out; SLU_INVALID
 * when nothing remains, or it is no such list: nothing has changed then. */
int slu_bind(const char *cpus, struct slu_bound *bound, struct slu_err *err);

/* As it was before. */
void slu_unbind(struct slu_bound *bound);

#endif
