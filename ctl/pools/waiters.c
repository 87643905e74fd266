/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps, for each pool, the waiting job of the highest priority, as the
 * scheduler asks about jobs.
 */
#include "config.h"
#include "ctl/pools/waiters.h"

#include <stdlib.h>
#include <string.h>

/* Seconds after which a job that has not asked again no longer counts: it is
 * held, or waits for something else. */
#define FORGET 300

struct slu_pool_waiter *slu_pool_first_waiter(struct slu_mirror *m,
					      const char *pool, int64_t now)
{
	struct slu_pool_waiter **at = &m->waiter, *w;

	while ((w = *at)) {
		if (now > w->asked + FORGET) {
			*at = w->next;
			free(w);
			continue;
		}
		if (!strcmp(w->pool, pool))
			return w;
		at = &w->next;
	}
	return NULL;
}

bool slu_pool_is_before(const struct slu_pool_reservation *a,
			const struct slu_pool_reservation *b)
{
	return a->priority != b->priority ? a->priority > b->priority
					  : a->job_id < b->job_id;
}

void slu_pool_note_waiter(struct slu_mirror *m,
			  const struct slu_pool_reservation *turn,
			  const char *pool, uint64_t size, int64_t now)
{
	struct slu_pool_waiter *w = slu_pool_first_waiter(m, pool, now);

	if (!w && (w = calloc(1, sizeof(*w)))) {
		slu_copy(w->pool, sizeof(w->pool), pool);
		w->next = m->waiter;
		m->waiter = w;
	} else if (w && w->turn.job_id != turn->job_id &&
		   !slu_pool_is_before(turn, &w->turn)) {
		return;
	}
	if (!w)
		return;
	w->turn = *turn;
	w->size = size;
	w->asked = now;
}

void slu_pools_forget_reservation(struct slu_mirror *m, uint32_t job_id)
{
	struct slu_pool_waiter **at = &m->waiter, *w;

	while ((w = *at)) {
		if (job_id && w->turn.job_id != job_id) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		free(w);
	}
}
