/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Issues the commands that make Lustre's rules match the wanted rates. First
 * stale rules are stopped, then exemptions are put on top, then the rules of
 * jobs follow: more nodes before fewer.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/str.h"

#define COMMAND_SIZE 256

#define BUCKETS	     20
#define SLACK	     2.0  /* seconds */
#define TRY	     0.5  /* s; classes notice a change late */
#define PAUSE	     32.0 /* s after a failed trial */

static void set_busy(const struct slu_tbf *tbf, struct job *job, double busy)
{
	job->busy = (uint32_t)fmax(busy, 1);
	job->written = slu_tbf_passes(tbf, job);
}

/* Estimates the number of busy classes. Classes without RPCs continue to exist,
 * and a class that works alone would only have its part of the rate. So if a
 * job stays far below its rate, a trial tells whether the division holds it
 * back: the rate is divided among as many classes as would explain its RPCs at
 * the rule's rate. If it does not speed up, all classes count again. */
void slu_tbf_count_busy(const struct slu_tbf *tbf, struct job *job)
{
	double all = slu_tbf_all_classes(tbf, job),
	       old = slu_tbf_divisor(tbf, job);
	double did = job->served / tbf->elapsed;
	double seem = fmin(ceil(0.9 * did / (job->rate * job->size)), all);
	bool tried = job->trying > 0;

	if (job->written == 0 || tbf->set.naive)
		return;
	job->trying = fmax(job->trying - tbf->elapsed, 0);
	if (seem > old) {
		set_busy(tbf, job, seem);
		job->trying = 0;
	} else if (job->trying > 0) {
		return;
	} else if (tried && did < 0.9 * job->dealt) {
		set_busy(tbf, job, all);
		job->slack = -PAUSE;
	} else if (did == 0 || did > 0.8 * job->dealt) {
		job->slack = fmin(job->slack, 0);
	} else if (seem < old && (job->slack += tbf->elapsed) >= SLACK) {
		set_busy(tbf, job, seem);
		job->slack = 0;
		job->trying = TRY;
	}
}

/* Is the new rate worth a `change`, which refills the bucket of every class? A
 * small change only if it makes a difference of many RPCs. */
static bool matters(const struct slu_tbf *tbf, const struct job *job,
		    uint32_t rate, double now)
{
	double old = job->rate, by = fabs((double)rate - old);
	double since = now - job->changed;

	if (tbf->set.naive)
		return true;
	double worth = by >= tbf->set.min_change * old ? 1 : BUCKETS;

	return by > 0 && by * since >= worth * tbf->set.depth;
}

static bool job_command(struct slu_tbf *tbf, struct job *job, double now)
{
	uint32_t rate = job->due;
	char match[SLU_RULE_MATCH];

	if (job->wanted == 0 && job->written == 0)
		return false;
	if (job->wanted == 0) {
		snprintf(tbf->command, COMMAND_SIZE, "stop %s", job->name);
		job->written = 0;
		job->classes = job->busy = 0;
		return true;
	}
	if (job->written > 0 && job->placed != job->nodes) {
		snprintf(tbf->command, COMMAND_SIZE, "change %s rank=%s",
			 job->name, slu_tbf_rank(tbf, job));
		job->placed = job->nodes;
		return true;
	}
	if (job->written > 0 && !matters(tbf, job, rate, now))
		return false;
	slu_tbf_match(tbf, job, match);
	if (job->written == 0)
		job->placed = job->nodes;
	if (job->written > 0)
		snprintf(tbf->command, COMMAND_SIZE, "change %s rate=%u",
			 job->name, rate);
	else
		snprintf(tbf->command, COMMAND_SIZE,
			 "start %s %s rate=%u rank=%s", job->name, match, rate,
			 slu_tbf_rank(tbf, job));
	job->rate = rate;
	job->written = slu_tbf_passes(tbf, job);
	job->changed = now;
	return true;
}

static const char *stop_stale(struct slu_tbf *tbf)
{
	snprintf(tbf->command, COMMAND_SIZE, "stop %s",
		 tbf->stale[--tbf->n_stale]);
	return tbf->command;
}

/* "start slx_0 uid={0} rate=999999": new rules are put on top. */
static const char *exempt(struct slu_tbf *tbf)
{
	const char *what = tbf->set.exempt[tbf->exempt_next];
	int key = (int)strcspn(what, "=");

	snprintf(tbf->command, COMMAND_SIZE,
		 "start " SLU_RULE_EXEMPT "%zu %.*s={%s} rate=%u",
		 tbf->exempt_next, key, what, what + key + (what[key] == '='),
		 SLU_RULE_RATE_MAX);
	tbf->exempt_next++;
	return tbf->command;
}

const char *slu_tbf_command(struct slu_tbf *tbf, double now)
{
	if (!tbf->command)
		tbf->command = malloc(COMMAND_SIZE);
	if (!tbf->command)
		return NULL;
	if (tbf->n_stale > 0)
		return stop_stale(tbf);
	if (tbf->exempt_next < tbf->exempt_n)
		return exempt(tbf);
	if (!tbf->rounded)
		slu_tbf_round(tbf);
	while (tbf->next < tbf->n)
		if (job_command(tbf, &tbf->job[tbf->next++], now))
			return tbf->command;
	if (tbf->next++ == tbf->n && job_command(tbf, &tbf->others, now))
		return tbf->command;
	return NULL;
}

static int add_stale(struct slu_tbf *tbf, const char *name, struct slu_err *err)
{
	if (tbf->n_stale == tbf->cap_stale) {
		size_t cap = tbf->cap_stale ? 2 * tbf->cap_stale : 16;
		void *more = realloc(tbf->stale, cap * sizeof(*tbf->stale));

		if (!more)
			return slu_err(err, SLU_NOMEM, "stale rules");
		tbf->stale = more;
		tbf->cap_stale = cap;
	}
	slu_copy(tbf->stale[tbf->n_stale++], SLU_RULE_NAME, name);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct job *const *)a)->name,
		      (*(struct job *const *)b)->name);
}

/* All jobs sorted by the names of their rules. Caller frees; NULL: no memory.
 */
static struct job **sort_jobs(struct slu_tbf *tbf)
{
	struct job **sorted = malloc((tbf->n + 1) * sizeof(*sorted));

	for (size_t i = 0; sorted && i < tbf->n; i++)
		sorted[i] = &tbf->job[i];
	if (sorted)
		qsort(sorted, tbf->n, sizeof(*sorted), by_name);
	return sorted;
}

/* The job of a rule; NULL: none. */
static struct job *owner(const struct slu_tbf *tbf, struct job **sorted,
			 const char *name)
{
	struct job key, *which = &key, **found;

	slu_copy(key.name, sizeof(key.name), name);
	found = bsearch(&which, sorted, tbf->n, sizeof(*sorted), by_name);
	return found ? *found : NULL;
}

static int adopt(struct slu_tbf *tbf, const struct slu_rule *rule,
		 struct job **sorted, struct standing *standing,
		 struct slu_err *err)
{
	struct job *job = owner(tbf, sorted, rule->name);

	tbf->others.placed = 0; /* its place is not known */
	if (!job || (job->written == 0 && job->wanted == 0))
		return add_stale(tbf, rule->name, err);
	job->found = true;
	job->classes = rule->classes;
	job->rate = rule->rate;
	job->written = slu_tbf_passes(tbf, job);
	slu_tbf_stands(standing, job);
	return 0;
}

/* Adopts the rule of the crowd. Each of its jobs has the whole rate on each
 * CPT: the number of classes does not matter. */
static int adopt_others(struct slu_tbf *tbf, const struct slu_rule *rule,
			struct slu_err *err)
{
	struct job *o = &tbf->others;

	if (o->written == 0 && o->wanted == 0)
		return add_stale(tbf, rule->name, err);
	o->found = true;
	o->rate = rule->rate;
	o->written = slu_tbf_passes(tbf, o);
	o->placed = o->nodes;
	return 0;
}

/* Does the rule match this exemption: "jobid={PATTERN}", or "{PATTERN}" alone
 * as under "tbf jobid" before 2.18? */
static bool exempts(const char *policy, const char *what, const char *match)
{
	const char *type = strchrnul(policy, ' ');
	size_t key = strcspn(what, "="), n;

	if (strncmp(match, what, key + 1) == 0)
		match += key + 1;
	else if (*type && strncmp(what, type + 1, key) != 0)
		return false;
	n = strlen(match);
	what += key + 1;
	return n == strlen(what) + 2 && match[0] == '{' &&
	       match[n - 1] == '}' && strncmp(match + 1, what, n - 2) == 0;
}

/* Adopts exemptions if they are complete from 0 up to their number; others are
 * stale. */
static int adopt_exemption(struct slu_tbf *tbf, const struct slu_rule *rule,
			   bool *there, struct slu_err *err)
{
	size_t i = strtoul(rule->name + strlen(SLU_RULE_EXEMPT), NULL, 10);

	if (i >= tbf->exempt_n ||
	    !exempts(slu_tbf_policy(tbf), tbf->set.exempt[i], rule->match))
		return add_stale(tbf, rule->name, err);
	there[i] = true;
	return 0;
}

/* The first missing exemption; those after it are written again too. */
static int next_exemption(struct slu_tbf *tbf, const bool *there,
			  struct slu_err *err)
{
	char name[32];

	for (tbf->exempt_next = 0; there[tbf->exempt_next];)
		tbf->exempt_next++;
	for (size_t i = tbf->exempt_next; i < tbf->exempt_n; i++) {
		snprintf(name, sizeof(name), SLU_RULE_EXEMPT "%zu", i);
		if (there[i] && add_stale(tbf, name, err))
			return -1;
	}
	return 0;
}

int slu_tbf_reconcile(struct slu_tbf *tbf, const struct slu_rules *rules,
		      struct slu_err *err)
{
	struct standing standing = {NULL, NULL};
	bool *there = calloc(tbf->exempt_n + 1, sizeof(*there));
	struct job **sorted = sort_jobs(tbf);
	int ret = there && sorted ? 0 : slu_err(err, SLU_NOMEM, "rules");

	tbf->cpts = rules->cpts;
	tbf->rounded = false;
	tbf->n_stale = 0;
	for (size_t i = 0; i < tbf->n; i++)
		tbf->job[i].found = false;
	tbf->others.found = false;
	for (size_t i = 0; i < rules->n && ret == 0; i++) {
		const struct slu_rule *rule = &rules->rule[i];

		if (strcmp(rule->name, SLU_RULE_OTHERS) == 0)
			ret = adopt_others(tbf, rule, err);
		else if (strncmp(rule->name, SLU_RULE_EXEMPT,
				 strlen(SLU_RULE_EXEMPT)) == 0)
			ret = adopt_exemption(tbf, rule, there, err);
		else if (slu_rule_is_ours(rule->name))
			ret = adopt(tbf, rule, sorted, &standing, err);
	}
	for (size_t i = 0; i < tbf->n && ret == 0; i++)
		if (!tbf->job[i].found)
			tbf->job[i].written = tbf->job[i].classes =
				tbf->job[i].busy = 0;
	if (!tbf->others.found)
		tbf->others.written = 0;
	if (ret == 0)
		ret = next_exemption(tbf, there, err);
	free(sorted);
	free(there);
	return ret;
}
