/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_CURVES_ION_TIMES_H
#define SLU_SELECT_IO_CURVES_ION_TIMES_H

/*
 * Records for how many seconds a run had each number of I/O nodes of its own.
 * Sent and stored with ended jobs as "2:1200,4:300.5", each number once. No
 * clock.
 */

#include <stdint.h>
#include "common/err.h"

#define SLU_ION_TIMES_MOST 16
#define SLU_ION_TIMES_LONG 1e9 /* s */

struct slu_ion_times {
	uint32_t n;
	struct slu_ion_time {
		uint32_t ions;
		double seconds; /* > 0, at most SLU_ION_TIMES_LONG */
	} time[SLU_ION_TIMES_MOST];
};

/* Adds so many seconds; values <= 0 are ignored. -1: there are too many
 * numbers, or the sum is too large. */
int slu_ion_times_add(struct slu_ion_times *times, uint32_t ions,
		      double seconds);

/* The whole time with the same number. */
struct slu_ion_times slu_ion_times_one(uint32_t ions);

double slu_ion_times_sum(const struct slu_ion_times *times);

/* Caller frees; NULL without memory. */
char *slu_ion_times_text(const struct slu_ion_times *times);
/* SLU_INVALID: the text is empty, or not of this form. */
int slu_ion_times_parse(const char *text, struct slu_ion_times *out,
			struct slu_err *err);

#endif
