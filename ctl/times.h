/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_TIMES_H
#define SLU_CTL_TIMES_H

/*
 * Measures how long our hooks delay slurmctld: per hook histograms and maxima
 * of wall time and of thread CPU time (wall time alone would count time in
 * which the thread was preempted), with eight buckets per factor of two.
 * Lock-free, any thread.
 */

#include <stdatomic.h>
#include <stdint.h>
#include "common/str.h"

enum slu_hook {
	SLU_HOOK_SUBMIT,
	SLU_HOOK_MODIFY,
	SLU_HOOK_VALIDATE,
	SLU_HOOK_TEST_STAGE_IN,
	SLU_HOOK_TRY_STAGE_IN,
	SLU_HOOK_BEGIN,
	SLU_HOOK_STAGE_OUT,
	SLU_HOOK_TEST_STAGE_OUT,
	SLU_HOOK_CANCEL,
	SLU_HOOK_STATE_PACK,
	SLU_HOOK_STATUS,
	SLU_HOOK_PROLOG,
	SLU_HOOK_EPILOG,
	SLU_HOOKS, /* their number */
};

#define SLU_TIME_BUCKETS 320 /* 2^40 ns is 18 minutes */

struct slu_times {
	struct {
		_Atomic uint64_t calls;
		struct slu_durations {
			_Atomic uint64_t max; /* ns */
			_Atomic uint64_t bucket[SLU_TIME_BUCKETS];
		} wall, cpu;
	} hook[SLU_HOOKS];
};

struct slu_stopwatch {
	uint64_t wall, cpu; /* ns */
};

struct slu_stopwatch slu_watch_start(void);
void slu_watch_stop(struct slu_times *times, enum slu_hook hook,
		    struct slu_stopwatch start);
/* The same with given durations, ns. */
void slu_times_add(struct slu_times *times, enum slu_hook hook, uint64_t wall,
		   uint64_t cpu);

/* Upper edge, in ns, of the bucket with quantile q in [0, 1]; 0 before the
 * first call. At most 13 % above the true value. */
uint64_t slu_times_quantile(const struct slu_durations *durations, double q);
/* A table, one line for each hook that was called. */
void slu_times_print(const struct slu_times *times, struct slu_buf *out);

#endif
