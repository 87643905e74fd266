/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes IOStart's texts for people: why a job waits, log lines, and the line
 * of bbstat.
 */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include "common/size.h"

#define WHO  48 /* bytes of text for three jobs */
#define TIME 20

/* seconds: a job that was not asked about for so long waits for something else
 * now */
#define RECENT 300

static void say_who(const struct slu_iostart *s, char out[WHO])
{
	int at = 0;

	slu_copy(out, WHO, "running jobs");
	for (size_t i = 0; i < SLU_IO_HEAVY; i++)
		if (s->heavy[i])
			at += snprintf(out + at, WHO - (size_t)at, "%s%u",
				       i ? ", " : "jobs ", s->heavy[i]);
}

static const char *time_text(int64_t when, char out[TIME])
{
	time_t t = (time_t)when;
	struct tm tm;

	slu_copy(out, TIME, "?");
	if (localtime_r(&t, &tm))
		strftime(out, TIME, "%Y-%m-%dT%H:%M", &tm);
	return out;
}

/* SLU_RATE_TEXT bytes of text. */
static const char *rate_text(const struct slu_iostart *s, double rate,
			     char out[SLU_RATE_TEXT])
{
	if (s->scope != SLU_IO_OPS)
		return slu_rate_text(rate, out);
	snprintf(out, SLU_RATE_TEXT, "%.0f/s", rate);
	return out;
}

void slu_io_explain(struct slu_iostart *s, const struct slu_demand *d,
		    int64_t when, char why[SLU_IOSTART_WHY])
{
	char who[WHO], uses[SLU_RATE_TEXT], all[SLU_RATE_TEXT],
		needs[SLU_RATE_TEXT], until[TIME];

	slu_io_find_heavy(s);
	say_who(s, who);
	snprintf(why, SLU_IOSTART_WHY,
		 "waits for %s of the %.8s file system: %s of %s are in "
		 "use (%s), this one needs %s; until %s at the latest",
		 s->scope == SLU_IO_OPS ? "metadata operations" : "bandwidth",
		 *s->fs ? s->fs : "parallel",
		 rate_text(s, s->admit.demand, uses),
		 rate_text(s, s->site.capacity, all), who,
		 rate_text(s, d->rate, needs), time_text(when, until));
}

void slu_io_log(struct slu_iostart *s, const struct io_wait *wait, int64_t now)
{
	bool advised = s->mode != SLU_IOSTART_ON;
	struct slu_iostart_log_entry said = {
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
	}
	if (s->n_said < SLU_IOSTART_LOG)
		s->said[s->n_said] = said;
	s->n_said++;
}

size_t
slu_iostart_log_entries(struct slu_iostart *s,
			struct slu_iostart_log_entry out[SLU_IOSTART_LOG],
			uint64_t *lost)
{
	size_t n;

	pthread_mutex_lock(&s->lock);
	n = s->n_said < SLU_IOSTART_LOG ? s->n_said : SLU_IOSTART_LOG;
	memcpy(out, s->said, n * sizeof(*out));
	*lost = s->n_said - n;
	s->n_said = 0;
	pthread_mutex_unlock(&s->lock);
	return n;
}

static uint32_t waiting(const struct slu_iostart *s, int64_t now)
{
	const struct io_wait *wait;
	uint32_t n = 0;

	if (s->mode != SLU_IOSTART_ON)
		return 0;
	for (size_t i = 0; (wait = slu_map_next(&s->waiting, &i));)
		n += now - wait->asked <= RECENT;
	return n;
}

/* bytes/s */
static double in_use(const struct slu_iostart *s)
{
	const struct io_run *run;
	double rate = 0;

	for (size_t i = 0; (run = slu_map_next(&s->running, &i));)
		rate += run->rate;
	return rate;
}

bool slu_iostart_use(struct slu_iostart *s, int64_t now, struct slu_io_use *out)
{
	bool on;

	pthread_mutex_lock(&s->lock);
	on = s->mode != SLU_IOSTART_OFF;
	slu_io_forget_stale(s, now);
	if (on)
		*out = (struct slu_io_use){
			.capacity = s->site.capacity,
			.demand = in_use(s),
			.waiting = waiting(s, now),
			.waited = s->totals.waited,
			.bound = s->totals.bound,
			.advised = s->totals.advised,
			.known = slu_io_known(s),
			.targets = s->reached.targets,
			.degraded = s->reached.degraded,
			.silent = s->reached.silent,
			.unheard = slu_io_unheard(s, now),
		};
	pthread_mutex_unlock(&s->lock);
	return on;
}

/* Prints since when no server has reported what the capacity is based on.
 */
static void say_unheard(const struct slu_iostart *s, int64_t now,
			struct slu_buf *out)
{
	char text[TIME];

	if (s->is_auto && slu_io_unheard(s, now))
		slu_buf_printf(out, "no Lustre server has reported since %s; ",
			       time_text(s->heard, text));
}

static const char *why_idle(const struct slu_iostart *s, int64_t now)
{
	const bool metadata = s->scope == SLU_IO_OPS;

	if (!s->taught)
		return "no job is held back: the job history has not been "
		       "read yet; ";
	if (s->is_auto && s->reached.targets &&
	    s->reached.degraded == s->reached.targets)
		return "no job is held back: all Lustre targets are degraded "
		       "or read-only; ";
	if (!(s->site.capacity > 0))
		return metadata
			       ? "no job is held back: IOMetadata=auto is not "
				 "known yet; "
			       : "no job is held back: IOBandwidth=auto is not "
				 "known yet; ";
	if (!slu_io_is_able(s, now))
		return "no job is held back: sluiced does not answer; ";
	return "";
}

void slu_iostart_print(struct slu_iostart *s, int64_t now, struct slu_buf *out)
{
	const struct slu_io_totals *t = &s->totals;
	char who[WHO], uses[SLU_RATE_TEXT], all[SLU_RATE_TEXT];

	pthread_mutex_lock(&s->lock);
	slu_io_find_heavy(s);
	say_who(s, who);
	if (s->mode != SLU_IOSTART_OFF)
		slu_buf_printf(
			out,
			"IOStart=%s%s%s%s: %s%u jobs wait; %s of %s are in "
			"use (%s); ",
			s->mode == SLU_IOSTART_ON ? "on" : "advise",
			*s->fs ? ", " : "", s->fs,
			s->scope == SLU_IO_OPS ? ", metadata" : "",
			why_idle(s, now), waiting(s, now),
			rate_text(s, in_use(s), uses),
			rate_text(s, s->site.capacity, all), who);
	if (s->mode != SLU_IOSTART_OFF)
		say_unheard(s, now, out);
	if (s->mode == SLU_IOSTART_ON)
		slu_buf_printf(
			out, "%llu have waited, %llu of them until MaxIOWait\n",
			(unsigned long long)t->waited,
			(unsigned long long)t->bound);
	else if (s->mode == SLU_IOSTART_ADVISE)
		slu_buf_printf(out, "%llu would have waited\n",
			       (unsigned long long)t->advised);
	pthread_mutex_unlock(&s->lock);
}
