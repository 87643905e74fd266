/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_UPTIME_H
#define SLU_UPTIME_H

/*
 * Measures the age of something by the running kernel's clock, which cannot be
 * set: dates can be wrong, and data that is removed because of a wrong date is
 * lost. Time while the host is down, or after the age was last stored, does not
 * count, so an age is never too large.
 */

#include <stdint.h>
#include "common/err.h"

struct slu_uptime {
	char boot[40];	 /* /proc/sys/kernel/random/boot_id */
	int64_t seconds; /* CLOCK_BOOTTIME */
};

/* *out: the present clock; -1: it cannot be read. */
int slu_uptime_now(struct slu_uptime *out, struct slu_err *err);

#define SLU_AGE_TEXT 96
/* The text in which an age in seconds is stored: "BOOT SECONDS AGE". Returns
 * out. */
char *slu_age_text(const struct slu_uptime *now, int64_t age,
		   char out[SLU_AGE_TEXT]);
/* The age that is stored so, and the time since then if it is the same boot. A
 * text that cannot be read, or NULL: 0. */
int64_t slu_age_of(const char *text, const struct slu_uptime *now);

#endif
