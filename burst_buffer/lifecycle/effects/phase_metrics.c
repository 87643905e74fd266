/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts, for sluiced's /metrics, how often each phase of a buffer's life
 * ended, how long it took, how many bytes it copied, and how often it failed.
 * The counters are sums over all buffers; nothing about a single job is kept.
 */
#include "config.h"
#include "burst_buffer/lifecycle/effects/phase_metrics.h"
#include "burst_buffer/lifecycle/record_facts.h"

const double slu_phase_bounds[SLU_PHASE_BUCKETS] = {
	0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 1800, 7200};

static const char *const names[SLU_PHASES] = {"setup", "stage_in", "run",
					      "stage_out", "teardown"};

_Static_assert(SLU_BB_SETUP == 1 && SLU_BB_TEARDOWN == SLU_PHASES,
	       "phases are the states before the last");

void slu_bb_phase_over(struct slu_buffers *b, const struct slu_bb *bb,
		       enum slu_bb_state state, double seconds)
{
	struct slu_phase_use *use = &b->phase[state - 1];
	bool stages = state == SLU_BB_STAGE_IN || state == SLU_BB_STAGE_OUT;
	uint64_t which = slu_bb_stages(bb, state == SLU_BB_STAGE_OUT);

	use->count++;
	use->seconds += seconds;
	for (size_t i = 0; i < SLU_PHASE_BUCKETS; i++)
		use->below[i] += seconds <= slu_phase_bounds[i];
	for (size_t r = 0; stages && r < bb->plan.n_stage; r++) {
		if (!(which >> r & 1))
			continue;
		for (size_t p = 0; p < bb->n_part; p++) {
			use->bytes += bb->part[p].sum[r].all.bytes;
			use->files += bb->part[p].sum[r].all.files;
			slu_bb_add_cache(&use->cache,
					 &bb->part[p].sum[r].all.cache);
		}
	}
}

void slu_bb_phase_failed(struct slu_buffers *b, enum slu_bb_state state)
{
	if (state <= SLU_PHASES)
		b->phase[state - 1].failed++;
}

void slu_bb_phase_verdict(struct slu_buffers *b, enum slu_bb_state state,
			  enum slu_on_failure what)
{
	if (state <= SLU_PHASES)
		b->phase[state - 1].verdict[what]++;
}

const char *slu_phase_name(size_t phase)
{
	return phase < SLU_PHASES ? names[phase] : NULL;
}

const struct slu_phase_use *slu_buffers_phases(const struct slu_buffers *b)
{
	return b->phase;
}
