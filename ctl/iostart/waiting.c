/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the waiting jobs, and since when each waits. */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <stdlib.h>

/* s; a job not asked about for so long does not wait any more */
#define STALE 3600

/* Is there everything that is needed to let a job wait? */
bool slu_io_is_able(const struct slu_iostart *s, int64_t now)
{
	return s->mode != SLU_IOSTART_OFF && s->taught &&
	       s->site.capacity > 0 &&
	       (s->linked ||
		(now >= s->lost && now - s->lost < SLU_IOSTART_GRACE));
}

static bool is_stale(const struct io_wait *wait, int64_t now)
{
	return now - wait->asked > STALE;
}

struct io_wait *slu_io_wait(struct slu_iostart *s, uint32_t job_id, int64_t now)
{
	struct io_wait *wait = slu_map_get(&s->waiting, job_id);

	if (!wait || !is_stale(wait, now))
		return wait;
	slu_io_forget_wait(s, job_id);
	return NULL;
}

void slu_io_forget_stale(struct slu_iostart *s, int64_t now)
{
	struct io_wait *wait;

	for (size_t i = 0; (wait = slu_map_next(&s->waiting, &i));)
		if (is_stale(wait, now)) {
			slu_map_del(&s->waiting, wait->job_id);
			free(wait);
			i--;
		}
}

void slu_io_forget_wait(struct slu_iostart *s, uint32_t job_id)
{
	free(slu_map_del(&s->waiting, job_id));
}
