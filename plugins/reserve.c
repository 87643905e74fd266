/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reservations with BurstBuffer=. No plugin is asked whether that can be had,
 * only what it is in TRES (_set_tres_cnt() in Slurm's reservation.c, when one
 * is made, changed or loaded); and sluice keeps no storage for them. So it is
 * said, in slurmctld's log and in bbstat.
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

char *bb_p_xlate_bb_2_tres_str(char *burst_buffer)
{
	if (burst_buffer && *burst_buffer && is_new(burst_buffer))
		error("sluice: a reservation has BurstBuffer=%.64s, which has "
		      "no effect: no storage is kept for it (take it out, and "
		      "reserve the nodes that give storage)",
		      burst_buffer);
	return NULL;
}

void slu_reserve_text(char text[SLU_RESERVE_TEXT])
{
	size_t len = 0;

	*text = '\0';
	pthread_mutex_lock(&seen.lock);
	for (size_t i = 0; i < seen.n; i++)
		len += (size_t)snprintf(text + len, SLU_RESERVE_TEXT - len,
					"reservations with BurstBuffer=%s, "
					"seen since slurmctld started: it has "
					"no effect, no storage is kept\n",
					seen.spec[i]);
	pthread_mutex_unlock(&seen.lock);
}
