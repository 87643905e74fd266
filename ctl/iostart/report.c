/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people are told. */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define RATE 24 /* bytes of the text of one */
#define WHO  48 /* and of three jobs */

static const char *rate_text(double rate, char out[RATE])
{
	static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
	size_t i = 0;

	for (; rate >= 1000 && i + 1 < sizeof(unit) / sizeof(*unit); i++)
		rate /= 1000;
	snprintf(out, RATE, "%.3g %s/s", rate, unit[i]);
	return out;
}

static void say_who(const struct slu_iostart *s, char out[WHO])
{
	int at = 0;

	slu_copy(out, WHO, "running jobs");
	for (size_t i = 0; i < sizeof(s->heavy) / sizeof(*s->heavy); i++)
		if (s->heavy[i])
			at += snprintf(out + at, WHO - (size_t)at, "%s%u",
				       i ? ", " : "jobs ", s->heavy[i]);
}

void slu_io_say_why(const struct slu_iostart *s, const struct slu_demand *d,
		    int64_t when, char why[SLU_IOSTART_WHY])
{
	char who[WHO], uses[RATE], all[RATE], needs[RATE], until[20] = "?";
	time_t t = (time_t)when;
	struct tm tm;

	say_who(s, who);
	if (localtime_r(&t, &tm))
		strftime(until, sizeof(until), "%Y-%m-%dT%H:%M", &tm);
	snprintf(why, SLU_IOSTART_WHY,
		 "waits for bandwidth of the parallel file system: %s of %s "
		 "are in use (%s), this one needs %s; until %s at the latest",
		 rate_text(s->admit.demand, uses),
		 rate_text(s->site.capacity, all), who,
		 rate_text(d->rate, needs), until);
}

void slu_io_say(struct slu_iostart *s, const struct io_wait *wait, int64_t now)
{
	bool advised = s->mode != SLU_IOSTART_ON;
	struct slu_io_said said = {
		.job_id = wait->job_id,
		.waited =
			advised ? wait->when - wait->asked : now - wait->since,
		.bound = wait->bound,
		.advised = advised,
	};

	slu_copy(said.why, sizeof(said.why), wait->why);
	if (advised) {
		s->totals.advised++;
	} else {
		s->totals.waited++;
		s->totals.bound += wait->bound;
		s->totals.seconds +=
			said.waited > 0 ? (uint64_t)said.waited : 0;
	}
	if (s->n_said < SLU_IOSTART_SAID)
		s->said[s->n_said] = said;
	s->n_said++;
}

size_t slu_iostart_said(struct slu_iostart *s,
			struct slu_io_said out[SLU_IOSTART_SAID],
			uint64_t *lost)
{
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = s->n_said < SLU_IOSTART_SAID ? s->n_said : SLU_IOSTART_SAID;
	memcpy(out, s->said, n * sizeof(*out));
	*lost = s->n_said - n;
	s->n_said = 0;
	pthread_mutex_unlock(&s->lock);
	return n;
}

static void sum_up(const struct slu_iostart *s, struct slu_io_totals *out)
{
	const struct io_run *run;

	*out = s->totals;
	out->mode = s->mode;
	out->capacity = s->site.capacity;
	for (size_t i = 0; (run = slu_map_next(&s->running, &i));)
		out->demand += run->rate;
	out->waiting = s->mode == SLU_IOSTART_ON ? (uint32_t)s->waiting.n : 0;
}

void slu_iostart_totals(struct slu_iostart *s, struct slu_io_totals *out)
{
	pthread_mutex_lock(&s->lock);
	sum_up(s, out);
	pthread_mutex_unlock(&s->lock);
}

static const char *why_idle(const struct slu_iostart *s, int64_t now)
{
	if (!s->taught)
		return "nobody waits: history has not been read yet; ";
	if (!slu_io_is_able(s, now))
		return "nobody waits: sluiced is away; ";
	return "";
}

void slu_iostart_print(struct slu_iostart *s, int64_t now, struct slu_buf *out)
{
	struct slu_io_totals t;
	char who[WHO], demand[RATE], capacity[RATE];

	pthread_mutex_lock(&s->lock);
	sum_up(s, &t);
	say_who(s, who);
	if (t.mode != SLU_IOSTART_OFF) {
		slu_buf_printf(out,
			       "IOStart=%s: %s%u jobs wait; %s of %s are in use"
			       " (%s); ",
			       t.mode == SLU_IOSTART_ON ? "on" : "advise",
			       why_idle(s, now), t.waiting,
			       rate_text(t.demand, demand),
			       rate_text(t.capacity, capacity), who);
		if (t.mode == SLU_IOSTART_ON)
			slu_buf_printf(out,
				       "%llu have waited, %llu of them until "
				       "MaxIOWait\n",
				       (unsigned long long)t.waited,
				       (unsigned long long)t.bound);
		else
			slu_buf_printf(out, "%llu would have waited\n",
				       (unsigned long long)t.advised);
	}
	pthread_mutex_unlock(&s->lock);
}
