/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the controller's jobs and targets, with an account for every job on
 * every target. Jobs are found through a hash table of indexes, which is
 * rebuilt when jobs are removed.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "common/str.h"

const struct slu_tbf_settings slu_tbf_defaults = {
	.min_rate = 10,
	.min_change = 0.1,
	.headroom = 0.3,
	.overrun = 1,
	.depth = 3,
	.linger = 10,
	.forget = 3600,
	.hungry = true,
	.instant = true,
};

struct slu_tbf *slu_tbf_new(const struct slu_tbf_settings *settings,
			    struct slu_err *err)
{
	struct slu_tbf *tbf;

	if (!(settings->rate > 0)) {
		slu_err(err, SLU_INVALID,
			"the rate of a target must be above 0");
		return NULL;
	}
	tbf = calloc(1, sizeof(*tbf));
	if (!tbf) {
		slu_err(err, SLU_NOMEM, "token control");
		return NULL;
	}
	tbf->set = *settings;
	tbf->cpts = 1;
	tbf->others =
		(struct job){.id = "*",
			     .name = SLU_RULE_OTHERS,
			     .nodes = 1,
			     .size = settings->bytes ? SLU_TBF_AT_FIRST : 1,
			     .active = -INFINITY};
	while (settings->exempt && settings->exempt[tbf->exempt_n])
		tbf->exempt_n++;
	return tbf;
}

void slu_tbf_free(struct slu_tbf *tbf)
{
	if (!tbf)
		return;
	for (size_t i = 0; i < tbf->n; i++)
		free(tbf->job[i].account);
	slu_tokens_free(&tbf->batch);
	free(tbf->job);
	free(tbf->slot);
	free(tbf->target);
	free(tbf->who);
	free(tbf->stale);
	free(tbf->command);
	free(tbf);
}

/* The slot of the job in the hash table, or the free one for it. */
static size_t slot_of(const struct slu_tbf *tbf, const char *id)
{
	size_t mask = tbf->n_slots - 1;
	size_t at = XXH3_64bits(id, strlen(id)) & mask;

	while (tbf->slot[at] != SLU_TBF_NO_JOB &&
	       strcmp(tbf->job[tbf->slot[at]].id, id) != 0)
		at = (at + 1) & mask;
	return at;
}

static void fill_slots(struct slu_tbf *tbf)
{
	memset(tbf->slot, 0xff, tbf->n_slots * sizeof(*tbf->slot));
	for (size_t i = 0; i < tbf->n; i++)
		tbf->slot[slot_of(tbf, tbf->job[i].id)] = (uint32_t)i;
}

struct job *slu_tbf_find(const struct slu_tbf *tbf, const char *id)
{
	size_t at;

	if (tbf->n_slots == 0)
		return NULL;
	at = slot_of(tbf, id);
	return tbf->slot[at] == SLU_TBF_NO_JOB ? NULL
					       : &tbf->job[tbf->slot[at]];
}

static int grow(struct slu_tbf *tbf, struct slu_err *err)
{
	size_t cap = tbf->cap ? 2 * tbf->cap : 64;
	struct job *job = realloc(tbf->job, cap * sizeof(*job));
	uint32_t *slot;

	if (job)
		tbf->job = job;
	slot = job ? realloc(tbf->slot, 4 * cap * sizeof(*slot)) : NULL;
	if (!slot)
		return slu_err(err, SLU_NOMEM, "%zu jobs", cap);
	tbf->slot = slot;
	tbf->cap = cap;
	tbf->n_slots = 4 * cap;
	fill_slots(tbf);
	return 0;
}

static void clear_account(struct account *a)
{
	*a = (struct account){.tokens = -1, .limit = -1, .dealt = -1};
}

/* "uid=500": processes of that user without a job have the id "NAME.500". Any
 * user can give a job such an id. */
static bool is_of_user(const char *uid, const char *id)
{
	const char *dot = strrchr(id, '.');

	return dot && strcmp(dot + 1, uid) == 0;
}

/* Derives a job's properties from its id. */
static void set_kind(const struct slu_tbf *tbf, struct job *job)
{
	const char *const *e = tbf->set.exempt;
	char match[SLU_RULE_MATCH];

	if (tbf->set.class_key) {
		*job->name = '\0'; /* of a job, which has no rule */
		if (slu_tbf_is_class(tbf, job->id))
			slu_rule_name(strchr(job->id, '=') + 1, job->name);
		for (; e && *e; e++)
			job->exempt |= strcmp(*e, job->id) == 0;
		return;
	}
	job->nameless = !slu_rule_match(job->id, match);
	job->wild = strchr(match, '*') != NULL;
	for (; e && *e; e++)
		if (strncmp(*e, "uid=", 4) == 0)
			job->of_user |= is_of_user(*e + 4, job->id);
		else if (strncmp(*e, "jobid=", 6) == 0)
			job->exempt |=
				fnmatch(*e + 6, job->id, FNM_NOESCAPE) == 0;
}

struct job *slu_tbf_job(struct slu_tbf *tbf, const char *id, double now,
			struct slu_err *err)
{
	struct job *job = slu_tbf_find(tbf, id);

	if (job)
		return job;
	if (tbf->n == tbf->cap && grow(tbf, err))
		return NULL;
	job = &tbf->job[tbf->n];
	*job = (struct job){.nodes = 1,
			    .size = tbf->others.size,
			    .seen = now,
			    .active = -INFINITY};
	job->account = calloc(tbf->cap_targets ? tbf->cap_targets : 1,
			      sizeof(*job->account));
	if (!job->account) {
		slu_err(err, SLU_NOMEM, "accounts of a job");
		return NULL;
	}
	for (size_t t = 0; t < tbf->cap_targets; t++)
		clear_account(&job->account[t]);
	slu_copy(job->id, sizeof(job->id), id);
	slu_rule_name(job->id, job->name);
	set_kind(tbf, job);
	tbf->slot[slot_of(tbf, id)] = (uint32_t)tbf->n++;
	return job;
}

/* Users choose job ids freely, so the number of those that are unknown to Slurm
 * is limited. */
bool slu_tbf_is_full(const struct slu_tbf *tbf)
{
	return tbf->n - tbf->n_listed >= SLU_TBF_UNLISTED;
}

/* Removes jobs without a rule that are neither in job_stats nor in the node
 * table: ended ones at once, others after a time. */
void slu_tbf_forget(struct slu_tbf *tbf, double now)
{
	size_t n = 0;

	for (size_t i = 0; i < tbf->n; i++) {
		struct job *job = &tbf->job[i];

		if (job->written == 0 && !job->listed &&
		    now - job->seen > (job->ended ? 0 : tbf->set.forget))
			free(job->account);
		else
			tbf->job[n++] = *job;
	}
	if (n == tbf->n)
		return;
	tbf->n = n;
	fill_slots(tbf);
}

static int more_targets(struct slu_tbf *tbf, struct slu_err *err)
{
	size_t cap = tbf->cap_targets ? 2 * tbf->cap_targets : 4;
	struct target *target = realloc(tbf->target, cap * sizeof(*target));
	struct account *account;

	if (!target)
		goto fail;
	tbf->target = target;
	for (size_t i = 0; i < tbf->n; i++) {
		account = realloc(tbf->job[i].account, cap * sizeof(*account));
		if (!account)
			goto fail;
		tbf->job[i].account = account;
		for (size_t t = tbf->cap_targets; t < cap; t++)
			clear_account(&account[t]);
	}
	tbf->cap_targets = cap;
	return 0;
fail:
	return slu_err(err, SLU_NOMEM, "%zu targets", cap);
}

struct target *slu_tbf_target(struct slu_tbf *tbf, const char *name,
			      struct slu_err *err)
{
	struct target *t;

	for (t = tbf->target; t < tbf->target + tbf->n_targets; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	if (tbf->n_targets == tbf->cap_targets && more_targets(tbf, err))
		return NULL;
	t = &tbf->target[tbf->n_targets++];
	*t = (struct target){.rate = tbf->set.rate,
			     .dealt = tbf->set.rate,
			     .headroom = tbf->set.headroom};
	slu_copy(t->name, sizeof(t->name), name);
	return t;
}

int slu_tbf_set_rate(struct slu_tbf *tbf, const char *target, double rate,
		     struct slu_err *err)
{
	struct target *t;

	if (!(rate > 0))
		return slu_err(err, SLU_INVALID, "%s: the rate must be above 0",
			       target);
	t = slu_tbf_target(tbf, target, err);
	if (!t)
		return -1;
	t->rate = t->dealt = rate;
	return 0;
}

/* A line of the node table; nodes 0: an empty line. */
struct nodes_line {
	const char *id;
	double nodes;
	char of_class[SLU_CLASS_NUMBER]; /* "": not told */
};

static int nodes_line(char *line, int number, struct nodes_line *out,
		      struct slu_err *err)
{
	char *word[4], *end;
	size_t n;

	line[strcspn(line, "#")] = '\0';
	n = slu_split(line, " \t\r", word, 3);
	*out = (struct nodes_line){0};
	if (n == 0)
		return 0;
	if (n == 2 || n == 3)
		out->nodes = strtod(word[1], &end);
	if (!(n == 2 || n == 3) || *end ||
	    !(out->nodes >= 1 && out->nodes <= 1e9) ||
	    (n == 3 && !slu_tbf_number(word[2], out->of_class)))
		return slu_err(err, SLU_INVALID,
			       "line %d: not \"JOBID NODES\", or \"JOBID NODES "
			       "NUMBER\" of its user, group or project",
			       number);
	out->id = word[0];
	return 0;
}

static void tell(struct slu_tbf *tbf, struct job *job)
{
	tbf->n_listed += !job->listed;
	job->listed = true;
	job->ended = false;
	job->seen = tbf->then;
}

/* The nodes of a class are those of all its jobs. */
static int apply_line(struct slu_tbf *tbf, const struct nodes_line *line,
		      struct slu_err *err)
{
	struct job *job = slu_tbf_job(tbf, line->id, tbf->then, err);
	char id[SLU_JOBID_SIZE];

	if (!job)
		return -1;
	tell(tbf, job);
	job->nodes = line->nodes;
	slu_copy(job->of_class, sizeof(job->of_class), line->of_class);
	if (!tbf->set.class_key || !*line->of_class)
		return 0;
	slu_tbf_class_id(tbf, line->of_class, id);
	job = slu_tbf_job(tbf, id, tbf->then, err);
	if (!job)
		return -1;
	job->nodes = line->nodes + (job->listed ? job->nodes : 0);
	tell(tbf, job);
	return 0;
}

static int each_line(struct slu_tbf *tbf, const char *text, bool apply,
		     struct slu_err *err)
{
	char *copy = strdup(text), *rest = copy, *line;
	struct nodes_line is;
	int ret = copy ? 0 : slu_err(err, SLU_NOMEM, "table of nodes");

	for (int number = 1; ret == 0 && (line = strsep(&rest, "\n"));
	     number++) {
		ret = nodes_line(line, number, &is, err);
		if (ret == 0 && apply && is.nodes > 0 &&
		    strlen(is.id) < SLU_JOBID_SIZE &&
		    !slu_tbf_is_class(tbf, is.id))
			ret = apply_line(tbf, &is, err);
	}
	free(copy);
	return ret;
}

/* A job's records of lent tokens end with it, even if job_stats still has it
 * for a while. A user without jobs has no nodes of theirs. */
static void end_job(const struct slu_tbf *tbf, struct job *job)
{
	if (slu_tbf_is_class(tbf, job->id))
		job->nodes = 1;
	for (size_t t = 0; t < tbf->n_targets; t++)
		job->account[t].record = job->account[t].remainder = 0;
}

int slu_tbf_set_nodes(struct slu_tbf *tbf, const char *text,
		      struct slu_err *err)
{
	if (each_line(tbf, text, false, err))
		return -1;
	for (size_t i = 0; i < tbf->n; i++) {
		tbf->job[i].ended |= tbf->job[i].listed;
		tbf->job[i].listed = false;
	}
	tbf->n_listed = 0;
	if (each_line(tbf, text, true, err))
		return -1;
	for (size_t i = 0; i < tbf->n; i++)
		if (tbf->job[i].ended)
			end_job(tbf, &tbf->job[i]);
	return 0;
}
