/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_UPTIME_H
#define SLU_UPTIME_H

/*
 * How old something is, by a clock that nobody can set: that of the running
 * kernel. Dates can be wrong, and what is removed by a wrong one does not come
 * back. What passes while the host is down, or after it was last noted, does
 * not count: nothing is ever thought older than it is.
 */

#include <stdint.h>
#include "common/err.h"

struct slu_uptime {
	char boot[40];	 /* /proc/sys/kernel/random/boot_id */
	int64_t seconds; /* CLOCK_BOOTTIME */
};

/* *out: of now; -1: it cannot be told. */
int slu_uptime_now(struct slu_uptime *out, struct slu_err *err);

#define SLU_AGE_TEXT 96
/* The age in seconds as it is noted: "BOOT SECONDS AGE". Returns out. */
char *slu_age_text(const struct slu_uptime *now, int64_t age,
		   char out[SLU_AGE_TEXT]);
/* What is noted so, and what has passed since if the kernel has not been
 * started anew. A text that cannot be read, or NULL: 0. */
int64_t slu_age_of(const char *text, const struct slu_uptime *now);

#endif
