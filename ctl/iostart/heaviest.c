/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the running jobs that move most, which the reason of a waiting job
 * names.
 */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <string.h>

/* Inserts a job among the heaviest, if it is one of them. */
static void note_heavy(struct slu_iostart *s, double rate[SLU_IO_HEAVY],
		       const struct slu_admission_end *job)
{
	size_t i = SLU_IO_HEAVY;

	for (; i && job->rate > rate[i - 1]; i--)
		if (i < SLU_IO_HEAVY) {
			rate[i] = rate[i - 1];
			s->heavy[i] = s->heavy[i - 1];
		}
	if (i < SLU_IO_HEAVY) {
		rate[i] = job->rate;
		s->heavy[i] = job->id;
	}
}

void slu_io_find_heavy(struct slu_iostart *s)
{
	double rate[SLU_IO_HEAVY];

	if (s->heavy_known || !s->looked)
		return;
	memset(s->heavy, 0, sizeof(s->heavy));
	for (size_t i = 0; i < SLU_IO_HEAVY; i++)
		rate[i] = s->site.small * s->site.capacity;
	for (size_t i = 0; i < s->admit.n_end; i++)
		note_heavy(s, rate, &s->admit.end[i]);
	s->heavy_known = true;
}
