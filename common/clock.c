/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the clocks with clock_gettime(2). */
#include "config.h"
#include "common/clock.h"

#include <time.h>

static double seconds(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

double slu_now_wall(void)
{
	return seconds(CLOCK_REALTIME);
}

double slu_now_mono(void)
{
	return seconds(CLOCK_MONOTONIC);
}
