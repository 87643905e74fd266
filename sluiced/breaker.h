/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_BREAKER_H
#define SLU_SLUICED_BREAKER_H

/*
 * A circuit breaker for a service of the host (munged, the name service) that
 * is asked by a blocking call in the daemon's only thread. When a call has
 * failed after some time, the service is not asked again for ten times as long
 * (1 s at least, 120 s at most), so that the thread spends about a tenth of its
 * time waiting for it.
 *
 * Times are seconds of one clock; { 0 } is a closed breaker: the service may be
 * asked.
 */

#include <stdbool.h>

#define SLU_BREAKER_MIN	  1.0
#define SLU_BREAKER_MAX	  120.0
#define SLU_BREAKER_TIMES 10.0

struct slu_breaker {
	double until; /* then the service may be asked again */
};

static inline bool slu_breaker_open(const struct slu_breaker *b, double now)
{
	return now < b->until;
}

/* Opens the breaker: the service was asked at `began`, and has failed by `now`.
 */
static inline void slu_breaker_trip(struct slu_breaker *b, double began,
				    double now)
{
	double pause = SLU_BREAKER_TIMES * (now - began);

	if (pause < SLU_BREAKER_MIN)
		pause = SLU_BREAKER_MIN;
	if (pause > SLU_BREAKER_MAX)
		pause = SLU_BREAKER_MAX;
	b->until = now + pause;
}

#endif
