/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The histogram of a server's rates: logarithmic classes of minutes, each with
 * its sums; all fade by a factor at each minute that is added.
 */
#include "select_io/bandwidth/reached.h"

#include <math.h>
#include <stdbool.h>

#define LOWEST 1e6 /* bytes/s */
#define STEP   1.1
#define MINUTE 60.0
#define MONTH  (30 * 86400.0)

static double lowest(const struct slu_reached *r)
{
	return r->lowest > 0 ? r->lowest : LOWEST;
}

static int class_of(const struct slu_reached *r, double rate)
{
	int i = (int)(log(rate / lowest(r)) / log(STEP));

	return i < SLU_REACHED_CLASSES ? i : SLU_REACHED_CLASSES - 1;
}

static void fade(struct slu_reached *r)
{
	for (int i = 0; i < SLU_REACHED_CLASSES; i++) {
		r->class[i].minutes *= (float)(1 - MINUTE / MONTH);
		r->class[i].bytes *= (float)(1 - MINUTE / MONTH);
	}
}

static void add_minute(struct slu_reached *r)
{
	double rate = r->bytes / r->seconds;
	struct slu_reached_class *c;

	fade(r);
	if (rate < lowest(r))
		return;
	c = &r->class[class_of(r, rate)];
	if (c->minutes < 0.5F) /* what has faded */
		*c = (struct slu_reached_class){.least = r->jobs,
						.most = r->jobs};
	c->minutes += 1;
	c->bytes += (float)rate;
	c->least = r->jobs < c->least ? r->jobs : c->least;
	c->most = r->jobs > c->most ? r->jobs : c->most;
}

void slu_reached_add(struct slu_reached *r, double rate, uint32_t jobs,
		     double now)
{
	double span = now - r->time;
	bool gap = !(r->time > 0) || !(span > 0) || span > MINUTE;

	r->time = now;
	if (gap || !(rate >= 0) || !isfinite(rate))
		return;
	r->bytes += rate * span;
	r->seconds += span;
	if (!(r->seconds > span) || jobs < r->jobs)
		r->jobs = jobs;
	if (r->seconds < MINUTE)
		return;
	add_minute(r);
	r->bytes = r->seconds = 0;
}

/* Two classes: what is even may lie on the border between them. */
static struct slu_reached_class two(const struct slu_reached *r, int i)
{
	struct slu_reached_class sum = {0};

	for (int k = i < 1 ? 0 : i - 1; i >= 0 && k <= i; k++) {
		const struct slu_reached_class *c = &r->class[k];

		if (c->minutes < 0.5F)
			continue;
		if (!(sum.minutes > 0) || c->least < sum.least)
			sum.least = c->least;
		sum.most = c->most > sum.most ? c->most : sum.most;
		sum.minutes += c->minutes;
		sum.bytes += c->bytes;
	}
	return sum;
}

/* The highest that was had for long enough; -1: none. */
static int held_class(const struct slu_reached *r)
{
	int i = SLU_REACHED_CLASSES - 1;

	while (i >= 0 && two(r, i).minutes < SLU_REACHED_MINUTES)
		i--;
	return i;
}

double slu_reached_held(const struct slu_reached *r)
{
	struct slu_reached_class top = two(r, held_class(r));

	return top.minutes > 0 ? (double)(top.bytes / top.minutes) : 0;
}

double slu_reached_capacity(const struct slu_reached *r)
{
	int i = held_class(r);
	struct slu_reached_class top = two(r, i);

	if (top.least == top.most || top.minutes < two(r, i - 2).minutes)
		return 0;
	return (double)(top.bytes / top.minutes);
}

struct slu_reached_sum
slu_reached_add_up(const struct slu_reached_server *server, size_t n)
{
	struct slu_reached_sum sum = {.servers = (uint32_t)n};
	double known = 0, targets = 0;

	for (size_t i = 0; i < n; i++) {
		sum.targets += server[i].targets;
		sum.degraded += server[i].degraded;
		sum.held += server[i].held;
		if (!(server[i].capacity > 0))
			continue;
		sum.full++;
		known += server[i].capacity;
		targets += server[i].targets;
	}
	if (targets > 0 && 2 * targets >= sum.targets)
		sum.capacity = known * sum.targets / targets;
	return sum;
}
