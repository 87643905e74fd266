/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stores sluiced's last report on capacity, and looks up pools and file systems
 * in it. */
#include "config.h"
#include "ctl/pools/capacity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void slu_pools_set(struct slu_mirror *m, struct slu_capacity *supply)
{
	struct slu_capacity old;

	pthread_mutex_lock(&m->lock);
	old = m->supply;
	m->supply = *supply;
	pthread_mutex_unlock(&m->lock);
	*supply = (struct slu_capacity){0};
	slu_msg_clear(&slu_capacity_desc, &old);
}

const struct slu_pool_capacity *slu_capacity_of(const struct slu_mirror *m,
						const char *pool)
{
	for (size_t i = 0; i < m->supply.n_pools; i++)
		if (slu_eq(m->supply.pools[i].name, pool))
			return &m->supply.pools[i];
	return NULL;
}

enum slu_pool_known_nodes
slu_pools_hosts(struct slu_mirror *m, const char *pool, struct slu_hosts *out)
{
	enum slu_pool_known_nodes known = SLU_POOL_NODES_UNKNOWN;
	const struct slu_pool_capacity *p;
	char *text = NULL;

	*out = (struct slu_hosts){0};
	pthread_mutex_lock(&m->lock);
	p = slu_capacity_of(m, pool);
	if (p && p->hosts && (text = strdup(p->hosts)))
		known = p->complete ? SLU_POOL_NODES_ALL : SLU_POOL_NODES_SOME;
	pthread_mutex_unlock(&m->lock);
	if (text && slu_hosts_parse(text, out, NULL))
		known = SLU_POOL_NODES_UNKNOWN;
	free(text);
	return known;
}

bool slu_pools_unable(struct slu_mirror *m, const char *fs, uint32_t *able,
		      uint32_t *unable, char why[SLU_POOL_WHY])
{
	const struct slu_fs_capacity *f = NULL;

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
