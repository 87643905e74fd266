/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how long hooks take (times.h). Bucket i of an octave o = floor(log2
 * ns) covers [2^o(1 + i/8), 2^o(1 + (i+1)/8)); below 8 ns buckets are single
 * nanoseconds. Counters are relaxed atomics: a reader may see a call counted
 * that is not yet in its bucket.
 */
#include "config.h"
#include "ctl/times.h"

#include <time.h>

static const char *const hook_name[SLU_HOOKS] = {
	[SLU_HOOK_SUBMIT] = "job_submit",
	[SLU_HOOK_MODIFY] = "job_modify",
	[SLU_HOOK_VALIDATE] = "job_validate",
	[SLU_HOOK_TEST_STAGE_IN] = "job_test_stage_in",
	[SLU_HOOK_TRY_STAGE_IN] = "job_try_stage_in",
	[SLU_HOOK_BEGIN] = "job_begin",
	[SLU_HOOK_STAGE_OUT] = "job_start_stage_out",
	[SLU_HOOK_TEST_STAGE_OUT] = "job_test_stage_out",
	[SLU_HOOK_CANCEL] = "job_cancel",
	[SLU_HOOK_STATE_PACK] = "state_pack",
	[SLU_HOOK_STATUS] = "get_status",
	[SLU_HOOK_PROLOG] = "prolog_slurmctld",
	[SLU_HOOK_EPILOG] = "epilog_slurmctld",
};

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static unsigned bucket_of(uint64_t ns)
{
	unsigned octave, b;

	if (ns < 8)
		return (unsigned)ns;
	octave = 63 - (unsigned)__builtin_clzll(ns);
	b = (octave - 2) * 8 + ((ns >> (octave - 3)) & 7);
	return b < SLU_TIME_BUCKETS ? b : SLU_TIME_BUCKETS - 1;
}

static uint64_t upper_edge(unsigned bucket)
{
	unsigned octave = bucket / 8 + 2;

	if (bucket < 8)
		return bucket + 1;
	return (uint64_t)(8 + bucket % 8 + 1) << (octave - 3);
}

static void raise_to(_Atomic uint64_t *max, uint64_t value)
{
	uint64_t seen = atomic_load_explicit(max, memory_order_relaxed);

	while (seen < value && !atomic_compare_exchange_weak(max, &seen, value))
		;
}

struct slu_stopwatch slu_watch_start(void)
{
	return (struct slu_stopwatch){
		.wall = now(CLOCK_MONOTONIC),
		.cpu = now(CLOCK_THREAD_CPUTIME_ID),
	};
}

void slu_watch_stop(struct slu_times *times, enum slu_hook hook,
		    struct slu_stopwatch start)
{
	slu_times_add(times, hook, now(CLOCK_MONOTONIC) - start.wall,
		      now(CLOCK_THREAD_CPUTIME_ID) - start.cpu);
}

static void add(struct slu_durations *durations, uint64_t ns)
{
	atomic_fetch_add_explicit(&durations->bucket[bucket_of(ns)], 1,
				  memory_order_relaxed);
	raise_to(&durations->max, ns);
}

void slu_times_add(struct slu_times *times, enum slu_hook hook, uint64_t wall,
		   uint64_t cpu)
{
	atomic_fetch_add_explicit(&times->hook[hook].calls, 1,
				  memory_order_relaxed);
	add(&times->hook[hook].wall, wall);
	add(&times->hook[hook].cpu, cpu);
}

uint64_t slu_times_quantile(const struct slu_durations *durations, double q)
{
	uint64_t total = 0, seen = 0, want;

	for (unsigned i = 0; i < SLU_TIME_BUCKETS; i++)
		total += durations->bucket[i];
	want = (uint64_t)(q * (double)total);
	if (want < 1)
		want = 1;
	for (unsigned i = 0; i < SLU_TIME_BUCKETS && total; i++) {
		seen += durations->bucket[i];
		if (seen >= want)
			return upper_edge(i);
	}
	return 0;
}

static double us(uint64_t ns)
{
	return (double)ns / 1e3;
}

void slu_times_print(const struct slu_times *times, struct slu_buf *out)
{
	slu_buf_printf(out, "%-20s %9s %9s %9s %9s %9s %9s\n", "Hook", "Calls",
		       "p50/us", "p99/us", "max/us", "maxCPU/us", "p99CPU/us");
	for (int h = 0; h < SLU_HOOKS; h++) {
		const struct slu_durations *wall = &times->hook[h].wall;
		const struct slu_durations *cpu = &times->hook[h].cpu;

		if (!times->hook[h].calls)
			continue;
		slu_buf_printf(
			out, "%-20s %9llu %9.1f %9.1f %9.1f %9.1f %9.1f\n",
			hook_name[h], (unsigned long long)times->hook[h].calls,
			us(slu_times_quantile(wall, .50)),
			us(slu_times_quantile(wall, .99)), us(wall->max),
			us(cpu->max), us(slu_times_quantile(cpu, .99)));
	}
}
