/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IOBandwidth=auto: what Lustre's servers reached under load, or else what was
 * moved together while ended jobs ran well; less what degraded targets would
 * bring. Judging the runs takes long for a hook, so it is done without the
 * lock.
 */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "select_io/bandwidth/ran_well.h"
#include "select_io/bandwidth/reached.h"

#define RUNS 32768 /* 40 bytes each */
#define NEWS 512   /* runs, until all are judged again */

enum slu_io_known slu_io_known(const struct slu_iostart *s)
{
	if (!s->is_auto)
		return SLU_IO_CONFIGURED;
	if (s->reached.capacity > 0)
		return SLU_IO_REACHED;
	return s->ran_well > 0 ? SLU_IO_RAN_WELL : SLU_IO_UNKNOWN;
}

void slu_io_set_capacity(struct slu_iostart *s)
{
	double capacity =
		s->reached.capacity > 0 ? s->reached.capacity : s->ran_well;

	if (!s->is_auto)
		return;
	capacity *= slu_reached_left(s->reached.targets, s->reached.degraded);
	if (capacity == s->site.capacity)
		return;
	s->site.capacity = capacity;
	s->looked = 0;
}

void slu_iostart_reached(struct slu_iostart *s,
			 const struct slu_io_capacity *said)
{
	double before;

	pthread_mutex_lock(&s->lock);
	if (said->scope == s->scope) {
		before = s->reached.capacity;
		s->reached = *said;
		if (!(said->capacity > 0))
			s->reached.capacity = before;
		slu_io_set_capacity(s);
	}
	pthread_mutex_unlock(&s->lock);
}

/* Without memory nothing is learnt. */
void slu_io_ran_start(struct slu_io_ran *ran, bool is_auto)
{
	struct slu_ended_run *run = ran->run;

	if (!is_auto) {
		free(run);
		run = NULL;
	} else if (!run) {
		run = calloc(RUNS, sizeof(*run));
	}
	*ran = (struct slu_io_ran){.run = run};
}

void slu_io_ran_add(struct slu_iostart *s, const struct slu_io_ended *run,
		    const char *plain, double bytes)
{
	struct slu_io_ran *ran = &s->ran;
	double seconds = (double)(run->end - run->start);

	if (!ran->run || !(seconds > 0) || !(bytes > 0))
		return;
	ran->run[ran->next] = (struct slu_ended_run){
		.start = (double)run->start,
		.end = (double)run->end,
		.nodes = run->nodes,
		.rate = bytes / seconds,
		.kind = XXH3_64bits_withSeed(plain, strlen(plain),
					     (uint64_t)run->uid << 32 |
						     (uint32_t)run->nodes),
	};
	ran->next = (ran->next + 1) % RUNS;
	ran->n += ran->n < RUNS;
	ran->news++;
	if (s->taught && ran->news >= NEWS)
		slu_io_ran_judge(s);
}

/* In a copy, as they are put into another order. */
void slu_io_ran_judge(struct slu_iostart *s)
{
	struct slu_io_ran *ran = &s->ran;
	struct slu_ended_run *copy = calloc(ran->n + 1, sizeof(*copy));
	struct slu_ran_well well;

	ran->news = 0;
	if (copy && ran->run) {
		memcpy(copy, ran->run, ran->n * sizeof(*copy));
		if (slu_ran_well(copy, ran->n, &well) == 0) {
			pthread_mutex_lock(&s->lock);
			s->ran_well = well.capacity;
			slu_io_set_capacity(s);
			pthread_mutex_unlock(&s->lock);
		}
	}
	free(copy);
}
