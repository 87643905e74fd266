/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reserves storage for the first waiting job of each pool, by EASY backfill
 * (Mu'alem and Feitelson, IEEE TPDS 12(6), 2001): the highest-priority job
 * without space has a reservation at the time when enough of the present
 * holders should have ended. A lower-priority job may start only if it ends by
 * then or fits beside it; otherwise small jobs could starve large ones. If that
 * time is not known, no job is held back.
 */
#include "config.h"
#include "ctl/pools/reservation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/size.h"
#include "ctl/pools/waiters.h"

/* May this job start without delaying the pool's first waiter? */
static bool may_pass(struct slu_mirror *m,
		     const struct slu_pool_reservation *turn,
		     const struct slu_pool_need *need,
		     const struct slu_pool_waiter *w,
		     int64_t (*end_of)(uint32_t job_id), int64_t now,
		     char why[SLU_POOL_WHY])
{
	const struct slu_pool_need first = {.pool = need->pool,
					    .size = w->size};
	int64_t when = slu_pools_when(m, &first, end_of, now);
	struct slu_pool_use use;
	uint64_t held, spare;
	char size[SLU_SIZE_TEXT];

	if (when && w->turn.start > when)
		when = w->turn.start;
	if (!when || when == INT64_MAX || (turn->end && turn->end <= when))
		return true;
	slu_pools_use(m, need->pool, &use);
	held = slu_pools_held(m, need->pool, when, end_of, now);
	spare = held < use.total ? use.total - held : 0;
	spare = spare > w->size ? spare - w->size : 0;
	if (need->size <= spare)
		return true;
	snprintf(why, SLU_POOL_WHY,
		 "waits for pool %.64s: job %u, which is before it in the "
		 "queue, needs %s",
		 need->pool, (unsigned)w->turn.job_id,
		 slu_size_text(w->size, size));
	return false;
}

bool slu_pools_reservation(struct slu_mirror *m,
			   const struct slu_pool_reservation *turn,
			   const struct slu_pool_need *need,
			   int64_t (*end_of)(uint32_t job_id), int64_t now,
			   char why[SLU_POOL_WHY])
{
	const struct slu_pool_need pool_only = {.pool = need->pool,
						.size = need->size,
						.reserved = need->reserved};
	struct slu_pool_waiter w, *first;
	char unused[SLU_POOL_WHY];
	bool room, is_first;

	if (!need->pool)
		return true;
	room = slu_pools_room(m, need, why);
	pthread_mutex_lock(&m->lock);
	first = slu_pool_first_waiter(m, need->pool, now);
	is_first = first && first->turn.job_id == turn->job_id;
	w = first ? *first : (struct slu_pool_waiter){0};
	pthread_mutex_unlock(&m->lock);
	/* a job stopped only by MaxPerUser gets no reservation */
	if (is_first || (!room && !slu_pools_room(m, &pool_only, unused))) {
		pthread_mutex_lock(&m->lock);
		slu_pool_note_waiter(m, turn, need->pool, need->size, now);
		pthread_mutex_unlock(&m->lock);
	}
	if (!room || !first || is_first || slu_pool_is_before(turn, &w.turn))
		return room;
	return may_pass(m, turn, need, &w, end_of, now, why);
}
