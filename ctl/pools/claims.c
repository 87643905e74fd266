/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the claims of jobs on pools (claims.h), and counts them in the pools'
 * usage while their jobs have no buffer. All under the mutex of the mirror
 * (link/mirror.h).
 */
#include "config.h"
#include "ctl/pools/claims.h"

#include <stdlib.h>

#include "ctl/pools/usage.h"

void slu_claim_recount(struct slu_mirror *m, struct slu_claim *c)
{
	bool counts = !slu_map_get(&m->job, c->job_id);

	if (counts && !c->counted)
		slu_usage_more(m, c->pool, c->uid, c->size);
	if (!counts && c->counted)
		slu_usage_less(m, c->pool, c->uid, c->size);
	c->counted = counts;
}

void slu_pools_recount(struct slu_mirror *m, uint32_t job_id)
{
	struct slu_claim *c = job_id ? slu_map_get(&m->claim, job_id) : NULL;

	if (c)
		slu_claim_recount(m, c);
	for (size_t i = 0; !job_id && (c = slu_map_next(&m->claim, &i));)
		slu_claim_recount(m, c);
}

void slu_claim_free(struct slu_mirror *m, struct slu_claim *c)
{
	if (c && c->counted)
		slu_usage_less(m, c->pool, c->uid, c->size);
	free(c);
}

void slu_pools_drop_claim(struct slu_mirror *m, uint32_t job_id)
{
	slu_claim_free(m, slu_map_del(&m->claim, job_id));
}

void slu_pools_expire(struct slu_mirror *m, int64_t now)
{
	struct slu_claim *c;

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; (c = slu_map_next(&m->claim, &i));)
		if (c->until <= now) {
			slu_pools_drop_claim(m, c->job_id);
			i--; /* another may have moved there */
		}
	pthread_mutex_unlock(&m->lock);
}

bool slu_pools_claimed(struct slu_mirror *m, uint32_t job_id)
{
	bool claimed;

	pthread_mutex_lock(&m->lock);
	claimed = slu_map_get(&m->claim, job_id);
	pthread_mutex_unlock(&m->lock);
	return claimed;
}
