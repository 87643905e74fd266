/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_KEPT_AGE_H
#define SLU_BURST_KEPT_AGE_H

/*
 * How long data of a failed stage-out has been kept, by a clock that nobody can
 * set: that of the running kernel. Dates can be wrong, of this node and of
 * sluiced, and what is removed does not come back; so it is removed only when
 * its date and its age say so.
 */

#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"

struct slu_uptime {
	char boot[40];	 /* /proc/sys/kernel/random/boot_id */
	int64_t seconds; /* CLOCK_BOOTTIME */
};

/* *out: of now; -1: it cannot be told. */
int slu_uptime_now(struct slu_uptime *out, struct slu_err *err);

/* Seconds that the kept directory is known to have aged, noted in its file
 * `age`: what has passed since it was looked at last, if the kernel has not
 * been started anew since, is added. What passed while the node was down, or
 * before the first look that could be noted, does not count. */
int64_t slu_kept_age(const char *dir, const struct slu_uptime *now);

#endif
