/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles a submission: writes the predicted run time into a note, and sets a
 * tight time limit. In mode fill a job without a limit gets one, in mode
 * tighten every job, in mode early one by which few such jobs have ended.
 * limit_guard.c extends it when the job needs more, up to the limit that the
 * job would have without us. So no limit is set where the guard does not run,
 * for jobs that watch their limit themselves, or for users who want none.
 */
#include "config.h"
#include "ctl/private.h"
#include "ctl/threads.h"
#include "ctl/jobs/running/limit_guard.h"

#include <string.h>
#include <time.h>
#include <xxhash.h>

#include "burst_buffer/request/request.h"
#include "job_submit/predictor/too_short.h"

#define SCRIPT_MAX 262144 /* bytes of a script that are hashed */
#define TELL_MAX   32768  /* bytes of text for a user */

static bool says_tighten(const char *text)
{
	return text && strstr(text, "tighten");
}

/* Only looks for "limit tighten=no": slu_ctl_validate() parses option and
 * script later. */
static bool keeps_limit(const struct slu_ctl_submit *submit)
{
	struct slu_request req;
	bool keeps;

	if (!says_tighten(submit->option) && !says_tighten(submit->script))
		return false;
	if (slu_request_parse(submit->option, submit->script, &req, NULL) < 0)
		return true;
	keeps = req.keep_limit;
	slu_request_free(&req);
	return keeps;
}

static bool may_set(struct slu_ctl *ctl, const struct slu_ctl_submit *submit)
{
	return submit->guarded && !submit->watched && slu_guard_alive(ctl) &&
	       !keeps_limit(submit);
}

static uint32_t or_none(uint32_t minutes)
{
	return minutes ? minutes : SLU_LIMIT_NONE;
}

static struct slu_limit_rules rules_of(struct slu_ctl *ctl,
				       const struct slu_ctl_submit *s)
{
	return (struct slu_limit_rules){
		.given = s->has_limit,
		.left = !may_set(ctl, s),
		.unknown = !s->has_limit && s->default_unknown,
		.whole = or_none(s->has_limit ? s->job.limit_asked
					      : s->default_limit),
		.most = or_none(s->max_limit),
	};
}

static void put_limit(struct slu_buf *text, const struct slu_ctl_submit *s,
		      const struct slu_limit_rules *rules,
		      const struct slu_limit_grant *grant)
{
	bool waits = grant->deed == SLU_LIMIT_TIGHT && s->reserved &&
		     s->reserved(s->host, grant->minutes, rules->whole);

	slu_limit_say(text, rules, grant, waits);
}

/* Where most of the last runs of its kind took clearly longer than predicted,
 * they are told: "take about" would be wrong of them. */
static void put_forecast(struct slu_ctl *ctl,
			 const struct slu_ctl_submit *submit,
			 struct slu_buf *text)
{
	const struct slu_note *note = &submit->note;
	struct slu_too_short runs;

	if (slu_predict_too_short(ctl->site->predictor, &submit->job,
				  note->predicted + note->predicted / 4,
				  &runs)) {
		slu_buf_printf(text,
			       "sluice: %u of the last %u runs like this one "
			       "took ",
			       runs.longer, runs.known);
		slu_limit_hms(text, runs.least);
		slu_buf_puts(text, " or longer");
	} else {
		slu_buf_puts(text, "sluice: jobs like this one take about ");
		slu_limit_hms(text, note->predicted);
		slu_buf_printf(text, " (%u known)", note->jobs);
	}
	if (note->asked) {
		slu_buf_puts(text, ", you asked for ");
		slu_limit_hms(text, note->asked);
	}
}

static void put_asked(struct slu_buf *text, const struct slu_note *note)
{
	slu_buf_puts(text, "sluice: you asked for ");
	slu_limit_hms(text, note->asked);
}

struct strays {
	struct slu_buf *text;
	bool all; /* else what is certain refuses the job */
};

static void put_stray(void *arg, int line, const char *what, bool sure)
{
	const struct strays *s = arg;
	struct slu_buf *text = s->text;

	if (s->all || !sure)
		slu_buf_printf(text, "%ssluice: line %d: %s",
			       text->len ? "\n" : "", line, what);
}

static void put_line(struct slu_buf *text)
{
	slu_buf_puts(text, text->len ? "\n" : "");
}

static void put_strays(struct slu_buf *text,
		       const struct slu_ctl_submit *submit, bool all)
{
	struct strays s = {text, all};

	if (submit->option)
		slu_request_strays(submit->option, true, put_stray, &s);
	if (submit->script)
		slu_request_strays(submit->script, false, put_stray, &s);
}

/* If the request is wrong, the refusal says so. */
static void put_absent(struct slu_buf *text,
		       const struct slu_ctl_submit *submit,
		       const struct slu_conf *conf)
{
	struct strays s = {text, true};
	struct slu_request req;
	struct slu_err err;

	if (!submit->script || !slu_request_names_any(submit->script) ||
	    slu_request_parse(submit->option, submit->script, &req, &err))
		return;
	if (!slu_request_resolve(&req, conf, &err))
		slu_request_absent(submit->script, &req, put_stray, &s);
	slu_request_free(&req);
}

static void note_limit(struct slu_note *note,
		       const struct slu_limit_rules *rules,
		       const struct slu_limit_grant *grant)
{
	if (grant->deed == SLU_LIMIT_KEPT)
		return;
	note->limit = SLU_LIMIT_MEANT;
	note->tight = grant->minutes;
	note->whole = rules->given ? rules->whole : 0;
}

/* Is the limit that will end the job too short? */
static bool is_too_short(struct slu_ctl *ctl,
			 const struct slu_ctl_submit *submit,
			 const struct slu_limit_rules *rules,
			 const struct slu_limit_grant *grant,
			 struct slu_too_short *out)
{
	uint32_t limit =
		grant->deed == SLU_LIMIT_FILLED ? grant->minutes : rules->whole;

	return limit != SLU_LIMIT_NONE &&
	       slu_predict_too_short(ctl->site->predictor, &submit->job,
				     (int64_t)limit * 60, out);
}

static void put_warning(struct slu_buf *text, const struct slu_too_short *is)
{
	put_line(text);
	slu_buf_puts(text, "sluice: warning: ");
	slu_too_short_say(text, is);
}

static void advise(struct slu_ctl *ctl, struct slu_ctl_submit *submit,
		   struct slu_buf *text)
{
	const struct slu_conf *conf = ctl->site->conf;
	struct slu_note *note = &submit->note;
	struct slu_limit_rules rules;
	struct slu_limit_grant grant;
	struct slu_limit_needs needs = {0};
	struct slu_too_short is;
	struct slu_prediction p;
	bool warns;

	slu_predict(ctl->site->predictor, &submit->job, &p);
	if (!p.jobs || p.seconds <= 0)
		return;
	note->predicted = p.seconds;
	note->jobs = p.jobs;
	slu_copy(note->from, sizeof(note->from), p.from);
	note->has_asked = true;
	note->asked = (int64_t)submit->job.limit_asked * 60;
	rules = rules_of(ctl, submit);
	if (slu_limit_may_change(conf->predict_mode, &rules))
		needs = slu_predict_needs(ctl->site->predictor, &submit->job,
					  &p);
	grant = slu_limit_decide(conf->predict_mode, &rules, &needs);
	note_limit(note, &rules, &grant);
	warns = is_too_short(ctl, submit, &rules, &grant, &is);
	if (conf->predict_tell && !(warns && grant.deed == SLU_LIMIT_KEPT)) {
		put_line(text);
		/* that of a run which its request cuts short is not what it
		 * would take */
		if (warns && note->asked)
			put_asked(text, note);
		else
			put_forecast(ctl, submit, text);
		put_limit(text, submit, &rules, &grant);
	}
	if (warns)
		put_warning(text, &is);
}

/* A job that gives only a number of tasks usually gets the fewest nodes that
 * hold them. */
static uint32_t fewest_nodes(const struct slu_ctl_submit *s)
{
	uint64_t need = s->job.tasks, per_node = s->tasks_per_node;

	if (!per_node) {
		need *= s->cpus_per_task ? s->cpus_per_task : 1;
		per_node = s->cpus_per_node;
	}
	if (!per_node || need <= per_node)
		return 1;
	need = (need + per_node - 1) / per_node;
	return need < UINT32_MAX ? (uint32_t)need : UINT32_MAX;
}

static uint64_t hash(const char *script)
{
	return script ? XXH3_64bits(script, strnlen(script, SCRIPT_MAX)) : 0;
}

void slu_ctl_submit(struct slu_ctl *ctl, struct slu_ctl_submit *submit)
{
	struct slu_buf text = {.max = TELL_MAX};
	const struct slu_conf *conf;

	if (!submit->job.node_cnt)
		submit->job.node_cnt = fewest_nodes(submit);
	submit->note = (struct slu_note){.gave_back = -1};
	slu_ctl_wake(ctl);
	pthread_rwlock_rdlock(&ctl->site_lock);
	conf = ctl->site->conf;
	if (conf) {
		put_strays(&text, submit, conf->stray_warn);
		put_absent(&text, submit, conf);
	}
	if (conf && conf->predict_mode != SLU_PREDICT_OFF) {
		submit->note.script = hash(submit->script);
		advise(ctl, submit, &text);
	}
	pthread_rwlock_unlock(&ctl->site_lock);
	submit->tell = text.len ? slu_buf_steal(&text) : NULL;
	slu_buf_free(&text);
}

uint32_t slu_ctl_reconsider_limit(const struct slu_limit_rules *rules,
				  struct slu_note *note)
{
	const struct slu_limit_needs needs = {.careful = (int64_t)note->tight *
							 60};
	struct slu_limit_grant grant =
		slu_limit_decide(SLU_PREDICT_TIGHTEN, rules, &needs);

	note->limit = grant.deed == SLU_LIMIT_KEPT ? SLU_LIMIT_USERS
						   : SLU_LIMIT_GUARDED;
	note->tight = grant.minutes;
	if (grant.deed == SLU_LIMIT_KEPT)
		note->whole = 0;
	return grant.minutes;
}
