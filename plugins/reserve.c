/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps storage that is reserved for a reservation (BurstBuffer=) from other
 * jobs that would run into it. Slurm stores these values, but asks no plugin
 * before it makes such a reservation, only for its value in TRES
 * (_set_tres_cnt() in Slurm's reservation.c, when one is made, changed or
 * loaded). So a part without effect, because there is no such pool, cannot be
 * refused, only reported: in slurmctld's log and in bbstat.
 */
#include "config.h"
#include "plugins/reserve.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "plugins/host.h"

#define SEEN_MAX 8
#define SPEC_MAX 64

static struct {
	pthread_mutex_t lock;
	char spec[SEEN_MAX][SPEC_MAX];
	size_t n;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Slurm asks again whenever its nodes change. */
static bool is_new(const char *spec)
{
	bool known;

	pthread_mutex_lock(&seen.lock);
	known = seen.n == SEEN_MAX;
	for (size_t i = 0; i < seen.n; i++)
		known |= !strncmp(seen.spec[i], spec, SPEC_MAX - 1);
	if (!known)
		snprintf(seen.spec[seen.n++], SPEC_MAX, "%s", spec);
	pthread_mutex_unlock(&seen.lock);
	return !known;
}

struct pools {
	const char *name; /* that is looked for; "": none is named */
	bool has;
	size_t n;
};

static void look(void *arg, const struct slu_ctl_pool *pool)
{
	struct pools *p = arg;

	p->has |= !*p->name || !strcmp(p->name, pool->name);
	p->n++;
}

/* Does each part of the reservation, POOL:SIZE or SIZE, have an effect? Counts
 * as true until the site's configuration is known. */
static bool has_effect(const char *spec, struct slu_ctl *ctl)
{
	char text[SPEC_MAX], *save, *part, *colon;
	bool all = true;

	snprintf(text, sizeof(text), "%s", spec);
	for (part = strtok_r(text, ",", &save); part;
	     part = strtok_r(NULL, ",", &save)) {
		struct pools pools = {.name = ""};

		colon = strchr(part, ':');
		if (colon)
			*colon = '\0';
		pools.name = colon ? part : "";
		slu_ctl_pools(ctl, look, &pools);
		all = all && (!pools.n || (pools.has &&
					   !(colon && strchr(colon + 1, ':'))));
	}
	return all;
}

#define NO_EFFECT "has no effect: it must be SIZE or POOL:SIZE of a Pool here"

void slu_reserve_check(const char *spec, struct slu_ctl *ctl)
{
	if (spec && *spec && is_new(spec) && ctl && !has_effect(spec, ctl))
		error("sluice: a reservation has BurstBuffer=%.64s, which " NO_EFFECT,
		      spec);
}

void slu_reserve_text(struct slu_ctl *ctl, char text[SLU_RESERVE_TEXT])
{
	size_t len = 0;

	*text = '\0';
	pthread_mutex_lock(&seen.lock);
	for (size_t i = 0; i < seen.n; i++)
		len += (size_t)snprintf(
			text + len, SLU_RESERVE_TEXT - len,
			"reservations with BurstBuffer=%s, seen since "
			"slurmctld started:\n    it %s\n",
			seen.spec[i],
			has_effect(seen.spec[i], ctl)
				? "is kept from jobs that are not in them"
				: NO_EFFECT);
	pthread_mutex_unlock(&seen.lock);
}

/* The bytes that Slurm has counted for a pool, in one plugin's record; ours is
 * the record without a name. Sizes without a pool are of the site's first one.
 */
static uint64_t of_pool(const burst_buffer_info_t *bb, const char *pool,
			bool first)
{
	uint64_t size = first ? bb->used_space : 0;

	for (uint32_t i = 0; i < bb->pool_cnt; i++)
		if (!xstrcmp(bb->pool_ptr[i].name, pool))
			size += bb->pool_ptr[i].used_space;
	return size;
}

uint64_t slu_reserved(void *job, const char *pool, bool first)
{
	burst_buffer_info_msg_t *all;
	uint64_t size = 0;

	if (!seen.n || !job_test_bb_resv)
		return 0;
	all = job_test_bb_resv(job, time(NULL), false);
	for (uint32_t i = 0; all && i < all->record_count; i++)
		if (!all->burst_buffer_array[i].name)
			size += of_pool(&all->burst_buffer_array[i], pool,
					first);
	slurm_free_burst_buffer_info_msg(all);
	return size;
}
