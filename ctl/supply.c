/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What there is, as sluiced last told. */
#include "config.h"
#include "ctl/pools.h"

#include <stdio.h>

void slu_pools_set(struct slu_mirror *m, struct slu_supply *supply)
{
	struct slu_supply old;

	pthread_mutex_lock(&m->lock);
	old = m->supply;
	m->supply = *supply;
	pthread_mutex_unlock(&m->lock);
	*supply = (struct slu_supply){0};
	slu_msg_clear(&slu_supply_desc, &old);
}

const struct slu_pool_supply *slu_supply_of(const struct slu_mirror *m,
					    const char *pool)
{
	for (size_t i = 0; i < m->supply.n_pools; i++)
		if (slu_eq(m->supply.pools[i].name, pool))
			return &m->supply.pools[i];
	return NULL;
}

bool slu_pools_unable(struct slu_mirror *m, const char *fs, uint32_t *able,
		      uint32_t *unable, char why[SLU_POOL_WHY])
{
	const struct slu_fs_supply *f = NULL;

	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; !f && i < m->supply.n_fs; i++)
		if (slu_eq(m->supply.fs[i].name, fs))
			f = &m->supply.fs[i];
	if (f) {
		*able = f->able;
		*unable = f->unable;
		snprintf(why, SLU_POOL_WHY, "%.64s: %.180s",
			 f->node ? f->node : "", f->why ? f->why : "");
	}
	pthread_mutex_unlock(&m->lock);
	return f;
}
