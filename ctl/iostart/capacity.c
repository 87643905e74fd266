/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the bandwidth of the parallel file system (IOBandwidth=auto), and
 * likewise the metadata operations that it can do (IOMetadata=auto): what
 * Lustre's servers reached under load; if unknown, what jobs moved together at
 * times when ended jobs ran well; at least what servers currently sustain. The
 * share of degraded targets is subtracted. Values from servers that have been
 * silent for a day are dropped. Judging the ended runs takes too long for a
 * hook, so it is done without the lock.
 */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "select_io/bandwidth/ran_well.h"
#include "select_io/bandwidth/reached.h"

#define RUNS   32768 /* 40 bytes each */
#define NEWS   512   /* runs, until all are judged again */

#define SILENT 600   /* s without a report of servers: that is shown, */
#define FORGET 86400 /* s: and they do not count any more */

/* The capacity in bytes/s with no target degraded; 0: not known. */
static double known_capacity(const struct slu_iostart *s)
{
	return s->reached.capacity > 0 ? s->reached.capacity : s->ran_well;
}

enum slu_io_known slu_io_known(const struct slu_iostart *s)
{
	if (!s->is_auto)
		return SLU_IO_CONFIGURED;
	if (known_capacity(s) > 0 && s->reached.held > known_capacity(s))
		return SLU_IO_HELD;
	if (s->reached.capacity > 0)
		return SLU_IO_REACHED;
	return s->ran_well > 0 ? SLU_IO_RAN_WELL : SLU_IO_UNKNOWN;
}

void slu_io_set_capacity(struct slu_iostart *s)
{
	double capacity = known_capacity(s);

	if (!s->is_auto)
		return;
	if (capacity > 0)
		capacity = fmax(capacity, s->reached.held);
	capacity *= slu_reached_left(s->reached.targets, s->reached.degraded);
	if (capacity == s->site.capacity)
		return;
	s->site.capacity = s->admit.site.capacity = capacity;
	s->heavy_known = false;
}

void slu_iostart_reached(struct slu_iostart *s,
			 const struct slu_io_capacity *said, int64_t now)
{
	struct slu_io_capacity before;

	pthread_mutex_lock(&s->lock);
	if (said->scope == s->scope && slu_eq(s->fs, said->fs)) {
		before = s->reached;
		s->reached = *said;
		s->reached.fs = NULL; /* it is the caller's */
		s->heard = now;
		if (!(said->capacity > 0) && before.capacity > 0) {
			s->reached.capacity = before.capacity;
			s->reached.held = fmax(before.held, said->held);
		}
		slu_io_set_capacity(s);
	}
	pthread_mutex_unlock(&s->lock);
}

int64_t slu_io_unheard(const struct slu_iostart *s, int64_t now)
{
	return s->heard && now - s->heard > SILENT ? s->heard : 0;
}

bool slu_iostart_forget_servers(struct slu_iostart *s, int64_t now)
{
	bool forget;

	pthread_mutex_lock(&s->lock);
	forget = s->is_auto && s->heard && now - s->heard > FORGET;
	if (forget) {
		s->reached = (struct slu_io_capacity){0};
		s->heard = 0;
		slu_io_set_capacity(s);
	}
	pthread_mutex_unlock(&s->lock);
	return forget;
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

/* Judges a copy of the runs, as slu_ran_well() changes their order. */
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
