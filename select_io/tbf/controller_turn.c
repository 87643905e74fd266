/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the rate of each job at the end of a period, from job_stats and the
 * tokens dealt out on each target (tokens.h). Lustre's counters are never
 * cleared: the difference to the last reading counts. A record that was reset
 * (start_time, or a counter that decreased) counts as a whole; for a record
 * that is new to us but older than the last reading, the time of its RPCs is
 * not known.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUSY_FROM   0.5 /* of its rate: a target where jobs delay each other */
#define MOST_LOST   0.9
#define TOKENS_MAX  0x1p30 /* in a period: tokens.h */
#define AT_ONCE	    10	   /* times its rate: enough never to wait for tokens */
#define MOST_OFF    0.9 /* of a target's rate, for what has passed beyond it */
#define TOKENS_WAIT 3.0 /* with this many due, a class is idle */
#define FEW	    8	/* tokens */
#define EPSILON	    1e-9
#define LEAST	    0.01 /* RPCs a second: there is a rule */
#define NO_ROOM	    0.1	 /* of it is off: the target is not what limits */
#define PAGE	    4096 /* bytes: an RPC counts as no fewer */

/* RPCs of a record since the last reading, up to time `newest`; *bytes of
 * these. */
static double served(struct account *a, const struct slu_jobstat *s,
		     bool metadata, uint64_t newest, double *bytes)
{
	struct account now = {.start = s->start,
			      .rpcs = metadata ? s->requests
					       : s->read_rpcs + s->write_rpcs,
			      .bytes = s->read_bytes + s->write_bytes};
	struct account before = *a;

	if (a->start != s->start && s->start && s->start <= newest)
		before = now;
	else if (a->start != s->start || now.rpcs < before.rpcs ||
		 now.bytes < before.bytes)
		before = (struct account){0};
	a->start = now.start;
	a->rpcs = now.rpcs;
	a->bytes = now.bytes;
	*bytes = (double)(now.bytes - before.bytes);
	return (double)(now.rpcs - before.rpcs);
}

/* The tokens of so many RPCs. */
static double tokens_of(const struct slu_tbf *tbf, double rpcs, double bytes)
{
	return tbf->set.bytes ? fmax(bytes, rpcs * PAGE) / SLU_TBF_TOKEN : rpcs;
}

static uint64_t later(uint64_t t, const struct slu_jobstat *s)
{
	t = t > s->start ? t : s->start;
	return t > s->last ? t : s->last;
}

/* Adds what a job did to its own account, or to that of its class. */
static int credit(struct slu_tbf *tbf, double now, size_t t, struct job *job,
		  double rpcs, double bytes, struct slu_err *err)
{
	double tokens = tokens_of(tbf, rpcs, bytes);
	char id[SLU_JOBID_SIZE];

	if (tbf->set.class_key) {
		if (!slu_tbf_class_of(tbf, job, id)) {
			tbf->nobody += tokens;
			return 0;
		}
		job = slu_tbf_job(tbf, id, now, err);
		if (!job)
			return -1;
		job->account[t].rpcs += (uint64_t)rpcs;
		job->ended = false; /* its jobs may have, the class has not */
		job->seen = now;
	}
	job->account[t].served += tokens;
	job->served += tokens;
	job->rpcs += rpcs;
	job->active = now;
	return 0;
}

/* Adds up what was served on a target. Returns -1 without memory. */
static int count(struct slu_tbf *tbf, double now, size_t t,
		 const struct slu_jobstat *s, size_t n, struct slu_err *err)
{
	bool known = tbf->target[t].known;
	uint64_t newest = tbf->target[t].newest;
	size_t crowd = 0;

	for (size_t i = 0; i < n; i++) {
		struct job *job = slu_tbf_find(tbf, s[i].job);
		struct account *a;
		double rpcs, bytes;

		tbf->target[t].newest = later(tbf->target[t].newest, &s[i]);
		if (slu_tbf_is_class(tbf, s[i].job))
			continue; /* a job with the name of a class */
		if (!job && slu_tbf_is_full(tbf)) {
			crowd++;
			continue;
		}
		if (!job)
			job = slu_tbf_job(tbf, s[i].job, now, err);
		if (!job)
			return -1;
		a = &job->account[t];
		rpcs = served(a, &s[i], tbf->set.metadata, newest, &bytes);
		job->seen = now;
		if (!known || rpcs == 0)
			continue;
		crowd += job->nameless && !job->exempt;
		if (credit(tbf, now, t, job, rpcs, bytes, err))
			return -1;
	}
	tbf->target[t].known = tbf->target[t].present = true;
	if (tbf->crowd < crowd)
		tbf->crowd = crowd;
	return 0;
}

/* The rate of a rule that yields this part of a target. A token that is due
 * waits while the server is busy with RPCs of others, and the next one is due
 * after its use: the loss grows with the job's part of the target. */
static double let_through(const struct slu_tbf *tbf, size_t t, double part)
{
	double lost = tbf->target[t].headroom * part / tbf->target[t].rate;

	return part / (1 - fmin(lost, MOST_LOST));
}

/* The tokens that the job's rule allowed on this target: its rate is divided
 * among targets by the RPCs on each; -1: it had no rule. */
static double allowed(const struct slu_tbf *tbf, const struct job *job,
		      size_t t)
{
	double rate;

	if (job->written == 0)
		return -1;
	rate = job->written * job->account[t].served / job->served;
	rate /= 1 + tbf->target[t].headroom * rate / tbf->target[t].rate;
	return fmin(rate * tbf->elapsed, TOKENS_MAX);
}

/* The least time, in seconds, that an RPC waits for the server. All jobs with
 * pending RPCs wait equally long, within one RPC, and idle ones longer. RPC
 * counts have an error of one, so jobs with many give the best estimate. */
static double least_wait(const struct slu_tbf *tbf)
{
	double least = INFINITY, tokens = 0;

	for (size_t t = 0; t < tbf->n_targets; t++)
		if (tbf->target[t].present)
			tokens += tbf->target[t].rate;
	for (size_t i = 0; i < tbf->n; i++) {
		const struct job *job = &tbf->job[i];

		if (job->rpcs > 1 && job->written > 0)
			least = fmin(least,
				     slu_tbf_divisor(tbf, job) *
					     (tbf->elapsed / (job->rpcs - 1) -
					      job->size / job->written));
	}
	return fmax(least, 0) + tbf->others.size / tokens;
}

/* Was it below its rule's rate because the server was busy? */
static bool is_held_up(const struct slu_tbf *tbf, const struct job *job)
{
	double each = slu_tbf_divisor(tbf, job);

	return job->written > 0 &&
	       job->rpcs + 1 >=
		       0.9 * tbf->elapsed /
			       (job->size / job->written + tbf->wait / each);
}

/* A job that used up its tokens is not idle while it waits for its next token,
 * which takes a class of a rule of one RPC a second a second. */
static bool waits(const struct slu_tbf *tbf, const struct job *job)
{
	return !tbf->set.naive && job->waiting && job->written > 0 &&
	       tbf->then - job->active <= TOKENS_WAIT / job->rate;
}

/* Where it waits it took part before. */
static bool takes_part(const struct slu_tbf *tbf, const struct job *job,
		       size_t t)
{
	const struct account *a = &job->account[t];

	return !job->exempt && !job->of_user && !job->nameless &&
	       (a->served > 0 ||
		(job->served == 0 && a->tokens >= 0 && waits(tbf, job)));
}

static bool is_busy(const struct slu_tbf *tbf, size_t t)
{
	double all = 0;

	for (size_t i = 0; i < tbf->n; i++)
		all += tbf->job[i].account[t].served;
	return all >= BUSY_FROM * tbf->target[t].rate * tbf->elapsed;
}

/* More passes than there is where rules are rounded up, have a floor, begin
 * with full buckets, or have room for tokens that are lost beside others
 * (headroom) though the target is not busy. That is counted, and taken off what
 * is dealt out, as an integral controller does: in the long run no more than
 * the rate has passed. While something is off, no room is needed. */
static void take_off(struct slu_tbf *tbf, struct target *target)
{
	const struct slu_tbf_settings *set = &tbf->set;
	/* two periods, lest a correction outlast what it corrects */
	double all = target->rate * fmax(set->overrun, 2 * tbf->elapsed), off;

	target->overrun += target->served - target->rate * tbf->elapsed;
	target->overrun = fmin(fmax(target->overrun, 0), MOST_OFF * all);
	off = set->naive || set->overrun == 0 ? 0 : target->overrun / all;
	target->dealt = target->rate * (1 - off);
	target->headroom = set->headroom * fmax(1 - off / NO_ROOM, 0);
}

/* Tokens are whole: of a part of half a token a job has one in every
 * other period. What counts is the mean over so many periods as are worth FEW:
 * so much weight has one period. */
static double weight(const struct slu_tbf *tbf, const struct job *job, size_t t)
{
	const struct target *target = &tbf->target[t];
	double part = target->dealt * job->nodes / fmax(target->nodes, 1);

	return tbf->set.naive ? 1 : fmin(part * tbf->elapsed / FEW, 1);
}

/* What it seems to have wanted on this target, whole tokens. */
static double demand(const struct slu_tbf *tbf, const struct job *job, size_t t,
		     double limit)
{
	struct account *a = &job->account[t];
	bool held = a->served == 0;

	if (a->served > 0) {
		a->mean += weight(tbf, job, t) * (a->served - a->mean);
		held = !tbf->set.naive && tbf->target[t].busy &&
		       is_held_up(tbf, job);
	}
	return fmax(ceil(a->mean - EPSILON), held ? fmax(ceil(limit), 1) : 1);
}

/* Sums over the active jobs, before any job's tokens are computed. */
static void sum_up(struct slu_tbf *tbf, size_t t)
{
	struct target *target = &tbf->target[t];

	target->nodes = target->served = 0;
	for (size_t i = 0; i < tbf->n; i++) {
		const struct job *job = &tbf->job[i];

		if (!takes_part(tbf, job, t))
			continue;
		target->nodes += job->nodes;
		target->served += job->written > 0 ? job->account[t].served : 0;
	}
}

static int fill_batch(struct slu_tbf *tbf, size_t t, struct slu_err *err)
{
	struct slu_tokens *b = &tbf->batch;
	size_t n = 0;

	if (slu_tokens_resize(b, tbf->n, err))
		return -1;
	tbf->target[t].busy = is_busy(tbf, t);
	sum_up(tbf, t);
	for (size_t i = 0; i < tbf->n; i++) {
		struct job *job = &tbf->job[i];
		struct account *a = &job->account[t];

		if (!takes_part(tbf, job, t)) {
			a->tokens = a->limit = -1;
			continue;
		}
		b->nodes[n] = job->nodes;
		b->limit[n] = a->served > 0 ? allowed(tbf, job, t) : a->limit;
		b->demand[n] = demand(tbf, job, t, b->limit[n]);
		b->tokens[n] = a->tokens;
		b->record[n] = a->record;
		b->remainder[n] = a->remainder;
		tbf->who[n++] = (uint32_t)i;
	}
	return slu_tokens_resize(b, n, err);
}

static int deal(struct slu_tbf *tbf, size_t t, struct slu_err *err)
{
	struct slu_tokens_settings set = {
		.literal = tbf->set.literal,
		.hungry = tbf->set.hungry,
		.instant = tbf->set.instant,
	};
	struct slu_tokens *b = &tbf->batch;

	if (fill_batch(tbf, t, err))
		return -1;
	take_off(tbf, &tbf->target[t]);
	/* a period may be long */
	set.rate = fmin(tbf->target[t].dealt, TOKENS_MAX / tbf->elapsed);
	b->carry = tbf->target[t].carry;
	slu_tokens_step(&set, b, tbf->elapsed);
	tbf->target[t].carry = b->carry;
	for (size_t k = 0; k < b->n; k++) {
		struct account *a = &tbf->job[tbf->who[k]].account[t];

		a->tokens = b->tokens[k];
		a->limit = b->limit[k];
		a->record = b->record[k];
		a->remainder = b->remainder[k];
	}
	return 0;
}

/* The rate of a rule that yields the job's limits on the targets it uses. */
static double sum_limits(const struct slu_tbf *tbf, struct job *job)
{
	double all = 0;

	job->dealt = job->part = 0;
	for (size_t t = 0; t < tbf->n_targets; t++) {
		const struct target *target = &tbf->target[t];
		struct account *a = &job->account[t];
		double part = target->dealt * job->nodes / target->nodes;

		if (a->limit < 0)
			continue;
		if (a->dealt < 0)
			a->dealt = fmax(a->limit / tbf->elapsed, part);
		a->dealt += weight(tbf, job, t) *
			    (a->limit / tbf->elapsed - a->dealt);
		part = a->dealt;
		job->dealt += part;
		job->part += target->dealt * job->nodes / target->nodes;
		all += let_through(tbf, t, part);
	}
	return fmax(all, LEAST);
}

/* Does it keep to its rate, but for a little? */
static bool is_within(const struct target *target)
{
	return target->dealt >= (1 - NO_ROOM / 2) * target->rate;
}

/* The rate of an idle job's rule, for its return: its part by priority on all
 * targets that it ever used; no effective limit once the tokens it did not use
 * since it became idle are those of a whole period. */
static double sum_parts(const struct slu_tbf *tbf, const struct job *job,
			double idle)
{
	double all = 0;

	for (size_t t = 0; t < tbf->n_targets; t++) {
		const struct target *target = &tbf->target[t];
		double part = job->nodes / (target->nodes + job->nodes);

		if (!target->present || job->account[t].rpcs == 0)
			continue;
		all += part * idle >= tbf->elapsed && is_within(target)
			       ? AT_ONCE * target->rate
			       : let_through(tbf, t, part * target->dealt);
	}
	return all;
}

static void want(const struct slu_tbf *tbf, struct job *job, double now)
{
	const struct slu_tbf_settings *set = &tbf->set;

	job->used_up = job->written > 0 &&
		       job->served >= 0.9 * job->written * tbf->elapsed;
	if (job->served > 0)
		job->waiting = job->used_up;
	slu_tbf_count_busy(tbf, job);
	if (job->exempt || job->nameless)
		job->wanted = 0;
	else if (job->of_user && job->served > 0)
		job->dealt = job->wanted = sum_parts(tbf, job, 0);
	else if (job->served > 0 || waits(tbf, job))
		job->wanted = sum_limits(tbf, job);
	else if (set->naive || now - job->active > set->linger)
		job->wanted = 0;
	else if (set->instant && job->written > 0)
		job->wanted = fmax(job->written,
				   sum_parts(tbf, job, now - job->active));
}

/* Every job of the crowd gets the part of one node, without lending. */
static void want_others(struct slu_tbf *tbf, double now)
{
	struct job *o = &tbf->others;
	double all = 0;

	if (tbf->set.class_key)
		return; /* no rule matches every number */
	if (tbf->crowd > 0)
		o->active = now;
	else if (tbf->set.naive || now - o->active > tbf->set.linger)
		o->wanted = 0;
	for (size_t t = 0; t < tbf->n_targets; t++)
		if (tbf->target[t].present)
			all += tbf->target[t].dealt /
			       (tbf->target[t].nodes + 1);
	if (tbf->crowd > 0)
		o->wanted = all;
}

static int make_room(struct slu_tbf *tbf, struct slu_err *err)
{
	uint32_t *who;

	if (tbf->cap_who >= tbf->n)
		return 0;
	who = realloc(tbf->who, tbf->cap * sizeof(*who));
	if (!who)
		return slu_err(err, SLU_NOMEM, "%zu jobs", tbf->cap);
	tbf->who = who;
	tbf->cap_who = tbf->cap;
	return 0;
}

static int count_all(struct slu_tbf *tbf, double now,
		     const struct slu_jobstats *stats, struct slu_err *err)
{
	tbf->crowd = 0;
	tbf->nobody = 0;
	for (size_t t = 0; t < tbf->n_targets; t++)
		tbf->target[t].present = false;
	for (size_t i = 0; i < tbf->n; i++) {
		tbf->job[i].served = tbf->job[i].rpcs = 0;
		for (size_t t = 0; t < tbf->n_targets; t++)
			tbf->job[i].account[t].served = 0;
	}
	for (size_t k = 0; k < stats->n_targets; k++) {
		const struct slu_jobstats_target *s = &stats->target[k];
		struct target *t = slu_tbf_target(tbf, s->name, err);

		if (!t || count(tbf, now, (size_t)(t - tbf->target),
				stats->job + s->first, s->n, err))
			return -1;
	}
	return 0;
}

size_t slu_tbf_crowd(const struct slu_tbf *tbf)
{
	return tbf->crowd;
}

void slu_tbf_pause(struct slu_tbf *tbf)
{
	for (size_t i = 0; i < tbf->n; i++)
		tbf->job[i].wanted = 0;
	tbf->others.wanted = 0;
	tbf->next = 0;
	tbf->rounded = false;
}

int slu_tbf_observe(struct slu_tbf *tbf, double now,
		    const struct slu_jobstats *stats, struct slu_err *err)
{
	bool first = !tbf->started;

	if (count_all(tbf, now, stats, err) || make_room(tbf, err))
		return -1;
	tbf->elapsed = now - tbf->then;
	tbf->then = now;
	tbf->started = true;
	tbf->next = 0;
	tbf->rounded = false;
	if (first || !(tbf->elapsed > 0))
		return 0;
	if (tbf->set.bytes)
		slu_tbf_measure_sizes(tbf);
	tbf->wait = least_wait(tbf);
	for (size_t t = 0; t < tbf->n_targets; t++)
		if (deal(tbf, t, err))
			return -1;
	for (size_t i = 0; i < tbf->n; i++)
		want(tbf, &tbf->job[i], now);
	want_others(tbf, now);
	slu_tbf_forget(tbf, now);
	return 0;
}
